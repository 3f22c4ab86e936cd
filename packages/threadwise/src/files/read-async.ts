/** Reads a file by libuv's threads, while this thread does something else: as read-sync.ts, but for one that takes a while. */
import { type FileHandle, open } from 'node:fs/promises';
import { mustBeRegular } from './file-error.js';
import { allocate, filledPart, OPEN_FLAGS, Unsized } from './opening.js';

/** So much is read in one go; in between, an abort is seen. Bytes, chosen by hand: some milliseconds. */
const PIECE_BYTES = 16 * 2 ** 20;

/** @param isOver nobody waits any more: what is read so far is given */
export async function readFileLater(path: string, isOver: () => boolean): Promise<Uint8Array> {
  const file = await open(path, OPEN_FLAGS);
  try {
    const stats = await file.stat();
    mustBeRegular(stats);
    return await (stats.size === 0 ? readUnsized(file) : readSized(file, stats.size, isOver));
  } finally {
    await file.close();
  }
}

async function readSized(file: FileHandle, size: number, isOver: () => boolean): Promise<Uint8Array> {
  const memory = allocate(size);
  let filled = 0;
  while (filled < size && !isOver()) {
    const { bytesRead } = await file.read(memory, filled, Math.min(PIECE_BYTES, size - filled), null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filledPart(memory, filled);
}

async function readUnsized(file: FileHandle): Promise<Uint8Array> {
  const content = new Unsized();
  for (;;) {
    const { bytesRead } = await file.read(content.room());
    if (bytesRead === 0) return content.end();
    content.add(bytesRead);
  }
}
