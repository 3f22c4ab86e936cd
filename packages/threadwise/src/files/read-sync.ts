/**
 * Reads a file synchronously, on one descriptor: for a small one that costs less than the trip through libuv's threads. Its size at that
 * moment counts: what a file grows by meanwhile is not read, and one that shrinks gives what is left.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { mustBeRegular } from './file-error.js';
import { allocate, filledPart, OPEN_FLAGS, Unsized } from './opening.js';

/** @returns undefined: it has more than `most` bytes by now, and was not read */
export function readFileNow(path: string, most: number): Uint8Array | undefined {
  const file = openSync(path, OPEN_FLAGS);
  try {
    const stats = fstatSync(file);
    mustBeRegular(stats);
    if (stats.size > most) return undefined;
    return stats.size === 0 ? readUnsized(file) : readSized(file, stats.size);
  } finally {
    closeSync(file);
  }
}

function readSized(file: number, size: number): Uint8Array {
  const memory = allocate(size);
  let filled = 0;
  while (filled < size) {
    const bytes = readSync(file, memory, filled, size - filled, null);
    if (bytes === 0) break;
    filled += bytes;
  }
  return filledPart(memory, filled);
}

function readUnsized(file: number): Uint8Array {
  const content = new Unsized();
  for (;;) {
    const bytes = readSync(file, content.room());
    if (bytes === 0) return content.end();
    content.add(bytes);
  }
}
