// The work, for one file. The code is the same on the main thread and in a worker.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { writeWhole } from '../whole-file.js';

/** Compresses better than 4 or so, a server's usual quality, and much faster than 11, the best. */
export const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compresses the file `from` into the file `to`, whole or not at all. Blocks its thread. */
export function compressFile(from, to) {
  writeWhole(to, brotliCompressSync(readFileSync(from), OPTIONS));
}
