/** Where everything lies that a coordinator shares with main and workers, beside the cells: README.md says who writes it. */
import { COORDINATOR, type SharedMemory, type Sizes } from '../shared/layout.js';

// --- of the coordinator: what wakes it ---

export const AWAKE = 0;
/** It sleeps with an empty queue: a hint wakes it. */
export const WANTS_HINTS = 1;
/** It sleeps with tasks that it has no seat for: a worker that has room wakes it. */
export const WANTS_ROOM = 2;

/** Wakes the coordinator if that is what it waits for. @param board the words of the pool's board */
export function wakeCoordinator(board: Int32Array, when: typeof WANTS_HINTS | typeof WANTS_ROOM): void {
  if (Atomics.load(board, COORDINATOR) !== when) return;
  if (Atomics.compareExchange(board, COORDINATOR, when, AWAKE) === when) Atomics.notify(board, COORDINATOR);
}

/** Wakes it in any case. */
export function callCoordinator(board: Int32Array): void {
  if (Atomics.exchange(board, COORDINATOR, AWAKE) !== AWAKE) Atomics.notify(board, COORDINATOR);
}

// --- what a seat has for itself: Int32 words, a cache line for each that writes ---

/** The coordinator's: hints given so far. */
export const GIVEN_TAIL = 0;
/** With this many unread hints or fewer the worker wakes the coordinator; -1: not before a task ends. */
export const WAKE_AT = 1;
/**
 * The worker's: how many tasks it runs, above the lowest 16 bits of how many hints it has tried. In one word, so that a task which begins
 * is never seen as both.
 */
export const PROGRESS = 16;
const HEAD_BITS = 16;
export const progress = (running: number, head: number) =>
  (running << HEAD_BITS) | (head & ((1 << HEAD_BITS) - 1));
export const runningOf = (word: number) => word >>> HEAD_BITS;
/** How many hints before `tail` were not tried. */
export const unreadOf = (word: number, tail: number) => (tail - word) & ((1 << HEAD_BITS) - 1);
/** Whether it begins nothing more but what is for it alone. */
export const LEAVING = 18;
export const ENDED = 19;
/** What the system calls its thread; 0 where that is not known. */
export const THREAD_ID = 20;
/** Event loop utilisation between the ends of its last two tasks, in thousandths, where it is measured. */
export const UTILIZATION = 21;
/** Float64 words: how long its tasks ran altogether, and since when it has had nothing to do. Milliseconds. */
export const RAN_MS = 12;
export const IDLE_SINCE = 13;
/** Main's, before the worker begins: whether utilisation is measured. */
export const MEASURES = 32;
const GIVEN = 48;
/** A hint: the cell's number, and behind it the state word of its posting. As many as there are mailed tasks. */
export const givenPlace = (position: number, { mail }: Sizes) => GIVEN + 2 * (position & (mail - 1));
export const seatByteLength = ({ mail }: Sizes) => (GIVEN + 2 * mail) * 4;

// --- how long functions run ---

/** How many functions have an average of their own; more share them. */
const FUNCTIONS = 1024;
export const RUN_TIMES_BYTES = FUNCTIONS * 8;
/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;
/** A run that is longer than this, and than the average, counts at once: others would pile up behind such. Milliseconds. */
const LONG_MS = 0.5;

/** Adds a run time to the average of a function. Several threads may write at once: then the one or the other counts. */
export function noteRunTime(averages: Float64Array, nameId: number, ms: number): void {
  const at = nameId & (FUNCTIONS - 1);
  const average = averages[at]!;
  const isJump = average === 0 || ms > Math.max(LONG_MS, average);
  averages[at] = isJump ? Math.max(ms, Number.MIN_VALUE) : average + (ms - average) * NEWEST_WEIGHT;
}

/** The average of a function, in milliseconds; undefined where it is not known. */
export function averageMs(averages: Float64Array, nameId: number): number | undefined {
  return averages[nameId & (FUNCTIONS - 1)] || undefined;
}

/** What a worker of a coordinated pool is given. */
export interface CoordinatedMemory extends SharedMemory {
  /** The words of its seat. */
  readonly given: ArrayBufferLike;
  readonly runTimes: ArrayBufferLike;
  readonly tasksPerWorker: number;
}
