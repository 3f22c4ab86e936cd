// Files that are written whole or not at all.
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** What a file is called until it is whole. */
const partOf = (path) => `${path}.part`;

/** Throws an error that names the file, with the system's `code`; then no part of it is left. */
export function writeWhole(path, bytes) {
  try {
    // Some disks say only then that they are full.
    writeFileSync(partOf(path), bytes, { flush: true });
    renameSync(partOf(path), path);
  } catch (cause) {
    rmSync(partOf(path), { force: true });
    const error = new Error(`${path} cannot be written: ${cause.message}`, { cause });
    throw Object.assign(error, { code: cause.code });
  }
}
