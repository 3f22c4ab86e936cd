/** The words of shared memory that only a pool with a coordinator uses: what they mean. README.md says who writes them. */
import { AWAKE, COORDINATOR, COORDINATOR_DISMISSED, runTimeOf } from '../shared/layout.js';

// --- what wakes the coordinator: the word COORDINATOR is AWAKE, or says what the sleeping coordinator waits for ---

/** The coordinator sleeps because its queue is empty: a new hint wakes it. */
export const WANTS_HINTS = 1;
/** The coordinator sleeps because no worker has room for its tasks: a worker that has room again wakes it. */
export const WANTS_ROOM = 2;

/** Wakes the coordinator if it waits for `when`. @param board the words of the pool's board */
export function wakeCoordinator(board: Int32Array, when: typeof WANTS_HINTS | typeof WANTS_ROOM): void {
  if (Atomics.load(board, COORDINATOR) !== when) return;
  if (Atomics.compareExchange(board, COORDINATOR, when, AWAKE) === when) Atomics.notify(board, COORDINATOR);
}

/** Wakes the coordinator from any wait. */
export function callCoordinator(board: Int32Array): void {
  if (Atomics.exchange(board, COORDINATOR, AWAKE) !== AWAKE) Atomics.notify(board, COORDINATOR);
}

/** Makes the coordinator wait for nothing any more. To be called before its thread is ended. */
export function dismissCoordinator(board: Int32Array): void {
  Atomics.store(board, COORDINATOR_DISMISSED, 1);
  Atomics.store(board, COORDINATOR, AWAKE);
  Atomics.notify(board, COORDINATOR);
}

export function isCoordinatorDismissed(board: Int32Array): boolean {
  return Atomics.load(board, COORDINATOR_DISMISSED) !== 0;
}

// --- how far a worker has got: the word PROGRESS of its seat ---

const HEAD_BITS = 16;
export const progress = (running: number, head: number) =>
  (running << HEAD_BITS) | (head & ((1 << HEAD_BITS) - 1));
export const runningOf = (word: number) => word >>> HEAD_BITS;
/** How many hints before `tail` were not tried. */
export const unreadOf = (word: number, tail: number) => (tail - word) & ((1 << HEAD_BITS) - 1);

// --- how long functions run ---

/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;
/** A run of more milliseconds than this, and than the average, becomes the average: otherwise tasks would pile up behind such runs. */
const LONG_MS = 0.5;

/** Adds a run time to the average of a function; of those that several threads add at once, one counts. */
export function noteRunTime(board: Float64Array, nameId: number, ms: number): void {
  const at = runTimeOf(nameId);
  const average = board[at]!;
  const isJump = average === 0 || ms > Math.max(LONG_MS, average);
  board[at] = isJump ? Math.max(ms, Number.MIN_VALUE) : average + (ms - average) * NEWEST_WEIGHT;
}
