// Writes files whole or not at all.
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** The name of a file until it is whole. */
const partOf = (path) => `${path}.part`;

/** On failure throws an error that names the file and has the system's `code`, and leaves no part of the file. */
export function writeWhole(path, bytes) {
  try {
    // With `flush`, since some disks only report then that they are full.
    writeFileSync(partOf(path), bytes, { flush: true });
    renameSync(partOf(path), path);
  } catch (cause) {
    rmSync(partOf(path), { force: true });
    const error = new Error(`${path} cannot be written: ${cause.message}`, { cause });
    throw Object.assign(error, { code: cause.code });
  }
}
