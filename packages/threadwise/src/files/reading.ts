/**
 * Reads one file, synchronously or by libuv's threads, on one descriptor. Its size when it is opened counts: what a file
 * grows by meanwhile is not read, and one that shrinks gives what is left.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Should there be something else by the time that it is opened (a FIFO, a terminal), opening it neither waits nor takes it over. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** How many bytes libuv's threads read in one go; an abort is seen between two of them. Chosen by hand: a read takes some milliseconds. */
const PIECE_BYTES = 16 * 2 ** 20;
/** Some files of /proc never come to an end, or to one beyond all memory. Bytes, chosen by hand. */
const MOST_UNSIZED_BYTES = 64 * 2 ** 20;
const FIRST_PIECE_BYTES = 2 ** 16;

/** Its size, if it is a regular file. Anything else may block for ever, never end, or do something when it is opened. */
function sizeOf(stats: Stats): number {
  if (stats.isFile()) return stats.size;
  const isOther = stats.isSocket() ? 'a socket' : 'a device';
  const kind = stats.isDirectory() ? 'a directory' : stats.isFIFO() ? 'a FIFO' : isOther;
  throw new Error(`it is ${kind}, expected a regular file`);
}

export function sizeNow(path: string): number {
  holdLoop();
  return sizeOf(statSync(path));
}

export async function sizeLater(path: string): Promise<number> {
  return sizeOf(await stat(path));
}

/** For a small file: that costs less than the trip through libuv's threads. Undefined: it has more than `most` bytes by now. */
export function readFileNow(path: string, most: number): Uint8Array | undefined {
  holdLoop();
  const file = openSync(path, OPEN_FLAGS);
  try {
    const size = sizeOf(fstatSync(file));
    if (size > most) return undefined;
    const reads = readsOf(size);
    let read = reads.next();
    while (!read.done) read = reads.next(readSync(file, read.value));
    return read.value;
  } finally {
    closeSync(file);
  }
}

/** @param isOver nobody waits any more: what is read so far is given */
export async function readFileLater(path: string, isOver: () => boolean): Promise<Uint8Array> {
  const file = await open(path, OPEN_FLAGS);
  try {
    const reads = readsOf(sizeOf(await file.stat()));
    let read = reads.next();
    while (!read.done) {
      const piece = read.value.subarray(0, PIECE_BYTES);
      read = reads.next(isOver() ? 0 : (await file.read(piece)).bytesRead);
    }
    return read.value;
  } finally {
    await file.close();
  }
}

/**
 * Yields where the next bytes of a file go, and is told how many came; returns all of them. Of a file without a size, it collects what comes: files of
 * /proc say 0, as empty ones do.
 */
function* readsOf(size: number): Generator<Uint8Array, Uint8Array, number> {
  let memory = allocate(size === 0 ? FIRST_PIECE_BYTES : size);
  let filled = 0;
  for (;;) {
    const bytes = yield memory.subarray(filled);
    filled += bytes;
    if (filled === size && size > 0) return memory;
    if (bytes === 0) break;
    if (filled < memory.byteLength) continue;
    if (filled >= MOST_UNSIZED_BYTES)
      throw new Error(`it says that it is empty, and has more than ${MOST_UNSIZED_BYTES} bytes`);
    const larger = allocate(2 * filled);
    larger.set(memory);
    memory = larger;
  }
  // A copy where it is less than there was room for, so that no memory is held for nothing.
  const part = allocate(filled);
  part.set(memory.subarray(0, filled));
  return part;
}

/** Memory of its own, so that it can be transferred, and not cleared, since it is filled at once. */
function allocate(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes);
}

// --- the event loop ---

/** When synchronous reading began in this turn of the event loop, which all readers hold up; undefined: nothing was read yet. */
let heldSince: number | undefined;
let nextTurn: Promise<void> = Promise.resolve();

function holdLoop(): void {
  if (heldSince !== undefined) return;
  heldSince = performance.now();
  nextTurn = new Promise((resolve) => {
    setImmediate(() => {
      heldSince = undefined;
      resolve();
    });
  });
}

/** Whether the first synchronous read of this turn is that long ago. Whatever ran in between held up the loop, too. */
export function isBudgetSpent(budgetMs: number): boolean {
  return heldSince !== undefined && performance.now() - heldSince >= budgetMs;
}

/** Resolves in the next turn. Then ask again: of many readers that wait for it, the first ones spend the budget again. */
export function loopTurn(): Promise<void> {
  return nextTurn;
}
