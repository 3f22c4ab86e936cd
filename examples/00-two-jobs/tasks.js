// The work of both jobs. Every exported function is a task; nothing here knows of threads.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

/** How many bytes are left of a file. Milliseconds of computing. */
export function compress(path) {
  return brotliCompressSync(readFileSync(path)).length;
}

/** Microseconds, most of them for opening the file. */
export function hash(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
