// The work of both jobs. Every exported function is a task; the code does not know about threads.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

/** Returns how many bytes a file is compressed to. Takes milliseconds of computing. */
export function compress(path) {
  return brotliCompressSync(readFileSync(path)).length;
}

/** Returns the SHA-256 of a file. Takes microseconds, most of them to open the file. */
export function hash(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
