/** Who is woken when tasks lie ready: everybody that long tasks need at once, and for tiny ones now and then one. */
import type { Board } from './board.js';
import { PARKED, SPINNING } from './layout.js';

/** Tasks that run for less are not worth a worker's waking up. Milliseconds: about what that costs. */
const TINY_MS = 0.02;
/** While tiny tasks come, a sleeper is called at most that often. Milliseconds. */
const CALL_INTERVAL_MS = 1;
/**
 * A worker that goes to sleep while tasks come looks again by itself after that time. Longer than the interval above:
 * so whatever nobody was called for is found by the one who was called before. Milliseconds.
 */
export const DOZE_MS = 2;
/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;

/** How long the tasks run that one thread has to do with. */
export class RunTimes {
  averageMs = Number.POSITIVE_INFINITY;

  /** A long one counts at once: those behind it must not be taken for tiny. */
  add(ms: number): void {
    if (ms > TINY_MS || this.averageMs === Number.POSITIVE_INFINITY) this.averageMs = ms;
    else this.averageMs += (ms - this.averageMs) * NEWEST_WEIGHT;
  }

  get areTiny(): boolean {
    return this.averageMs < TINY_MS;
  }
}

export class Caller {
  readonly #board: Board;
  readonly #times: RunTimes;
  readonly #now: () => number;
  #lastCallAt = 0;

  /** @param now may be a clock that is read once for a burst */
  constructor(board: Board, times: RunTimes, now: () => number) {
    this.#board = board;
    this.#times = times;
    this.#now = now;
  }

  /** O5, S3. @param workers how many there are */
  call(tasks: number, workers: number): void {
    if (tasks <= 0 || !this.#board.any(PARKED) || this.#board.count(SPINNING) >= tasks) return;
    if (this.#times.areTiny && this.#board.count(PARKED) < workers) {
      const now = this.#now();
      if (now - this.#lastCallAt < CALL_INTERVAL_MS) return;
      this.#lastCallAt = now;
    }
    this.#board.wakeOne();
  }
}
