// The work, plainly: what a file becomes. It runs the same on the main thread and in a worker.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { writeWhole } from '../whole-file.js';

/** Smaller than the default of servers, 4 or so, makes it; much faster than the best, 11. */
export const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Makes of the file `from` the file `to`, whole or not at all. Blocks its thread. */
export function compressFile(from, to) {
  writeWhole(to, brotliCompressSync(readFileSync(from), OPTIONS));
}
