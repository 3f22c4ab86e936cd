/** Reads one file. Its size when it is opened counts: what is appended later is not read, and of a file that shrinks, what is left is read. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import timers from 'node:timers';

const { setImmediate } = timers; // a test may replace the global

/** Opening a path that has become a FIFO or a terminal since it was looked at neither blocks nor makes it the controlling terminal. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** How many bytes libuv's threads read in one go; an abort is seen between two of them. Chosen by hand: a read takes some milliseconds. */
const PIECE_BYTES = 16 * 2 ** 20;
/** The most that is read of a file without a size: some files of /proc never end, or are larger than all memory. Bytes, chosen by hand. */
const MOST_UNSIZED_BYTES = 64 * 2 ** 20;
const FIRST_PIECE_BYTES = 2 ** 16;

/** The size of a regular file. Throws for anything else: it may block for ever, never end, or do something when it is opened. */
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

export const sizeLater = async (path: string): Promise<number> => sizeOf(await stat(path));

/** Reads a small file: that costs less than the way through libuv's threads. Undefined: it has more than `most` bytes by now. */
export function readFileNow(path: string, most: number): Uint8Array | undefined {
  holdLoop();
  const file = openSync(path, OPEN_FLAGS);
  try {
    const size = sizeOf(fstatSync(file));
    if (size > most) return undefined;
    const reads = readsOf(size);
    let read = reads.next();
    while (!read.done) {
      if (read.value.byteOffset > most) return undefined; // a file of /proc, which told no size, has turned out to be larger
      read = reads.next(readSync(file, read.value));
    }
    return read.value;
  } finally {
    closeSync(file);
  }
}

/** @param isOver whether nobody waits any more: then what was read so far is returned */
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

/** Yields the memory for the next bytes, is told how many came, and returns all. A file of /proc says 0 and is not empty: it is read to its end. */
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
  // A copy, since there was room for more bytes, so that no memory is held for nothing.
  const part = allocate(filled);
  part.set(memory.subarray(0, filled));
  return part;
}

/** Memory that no other Buffer shares, so that it can be transferred; not cleared, since it is filled at once. */
const allocate = (bytes: number): Uint8Array => Buffer.allocUnsafeSlow(bytes);

// --- the event loop ---

/** When the first synchronous read of this turn of the event loop began, of all readers; undefined: there was none. Milliseconds. */
let heldSince: number | undefined;
let nextTurn: Promise<void> = Promise.resolve();

function holdLoop(): void {
  if (heldSince !== undefined) return;
  heldSince = performance.now();
  nextTurn = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    heldSince = undefined;
  });
}

/** Whether the first synchronous read of this turn began `budgetMs` or longer ago. Other code that ran since then held up the loop, too. */
export function isBudgetSpent(budgetMs: number): boolean {
  return heldSince !== undefined && performance.now() - heldSince >= budgetMs;
}

/** Resolves in the next turn. Then look at the budget again: of many readers that wait, the first ones spend it. */
export const loopTurn = (): Promise<void> => nextTurn;
