/** Counts what was read, the same in every way: a file that vanished or may not be read is counted and does not end the measurement. */
import { describeSystemError } from '../../../../exit-code.js';

/** `files` and `bytes` do not count what failed. */
export interface Tally {
  files: number;
  bytes: number;
  readonly failed: { readonly path: string; readonly why: string }[];
}

/** How many failures are kept: a million files that are gone must not become a message of a million entries. */
const MOST_FAILED = 1000;

/** The process, or the system, has too many files open. */
const OUT_OF_FILES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

export function newTally(): Tally {
  return { files: 0, bytes: 0, failed: [] };
}

/** Keeps no reference to the content. */
export function addFile(tally: Tally, content: Uint8Array): void {
  tally.files += 1;
  tally.bytes += content.byteLength;
}

/** Throws if it is not the file that is at fault, but that too many files are open. */
export function addFailure(tally: Tally, path: string, error: unknown): void {
  if (error instanceof Error && 'code' in error && OUT_OF_FILES.has(error.code)) throw error;
  if (tally.failed.length < MOST_FAILED) tally.failed.push({ path, why: describeSystemError(error) });
}

export function addAll(tally: Tally, { files, bytes, failed }: Tally): void {
  tally.files += files;
  tally.bytes += bytes;
  tally.failed.push(...failed.slice(0, MOST_FAILED - tally.failed.length));
}
