/** Who is woken when tasks lie ready: everybody that long tasks need at once, and for tiny ones now and then one. */
import type { Board } from './board.js';
import { DOZING, HEAD, PARKED, SPINNING } from './layout.js';

/** Tasks that run for less are not worth a worker's waking up. Milliseconds: about what that costs. */
const TINY_MS = 0.02;
/** While tiny tasks come, it is looked that often whether a sleeper should be called. Milliseconds. */
const LOOK_INTERVAL_MS = 1;
/** Tiny tasks that are much altogether. Milliseconds. */
const MUCH_MS = 0.1;
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
  #lastLookAt = 0;
  #headBefore = 0;

  /** @param now may be a clock that is read once for a burst */
  constructor(board: Board, times: RunTimes, now: () => number) {
    this.#board = board;
    this.#times = times;
    this.#now = now;
  }

  /**
   * O5, S3: hints lie in the ring, or `more` of them elsewhere. The cheapest questions come first: this is asked at every
   * call, and `head` is in another core's cache.
   * @param workers how many there are
   */
  call(workers: number, more = 0): void {
    if (!this.#board.any(PARKED)) return;
    if (this.#times.areTiny && this.#board.count(PARKED) < workers && !this.#isTimeForMore(more)) return;
    const tasks = this.#board.length + more;
    if (tasks > 0 && this.#board.count(SPINNING) < tasks) this.#board.wakeOne();
  }

  /**
   * Tiny tasks come, and somebody is awake. One more is called now and then, or there would be nobody to find out that the
   * others are stuck; unless there is one who looks by himself, the others get on, and there is not much to do.
   */
  #isTimeForMore(more: number): boolean {
    const now = this.#now();
    if (now - this.#lastLookAt < LOOK_INTERVAL_MS) return false;
    this.#lastLookAt = now;
    const head = Atomics.load(this.#board.words, HEAD);
    const getOn = head !== this.#headBefore;
    this.#headBefore = head;
    const backlogMs = (this.#board.length + more) * this.#times.averageMs;
    return !(getOn && backlogMs < MUCH_MS && this.#board.any(DOZING));
  }
}
