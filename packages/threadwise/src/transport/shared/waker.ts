/** Who is woken when tasks lie ready: everybody that long tasks need at once, and for tiny ones now and then one. */
import type { Board } from './board.js';
import { DOZING, HEAD, PARKED, SPINNING } from './layout.js';

/** Tasks that run for less are not worth a worker's waking up. Milliseconds: about what that costs. */
const TINY_MS = 0.02;
/** So long it is not asked again how the others get on, while somebody looks by himself. Milliseconds. */
const QUIET_MS = 1;
/** Tiny tasks that are much altogether. Milliseconds. */
const MUCH_MS = 0.1;
/** While all workers sleep, one is called for that many tiny tasks, or at the end of the burst that they belong to. */
const BURST = 64;
/** A worker that goes to sleep while tasks come looks again by itself after that time. Milliseconds. */
export const DOZE_MS = 2;
/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;

/** How long the tasks run that one thread has to do with. */
export class RunTimes {
  averageMs = Number.POSITIVE_INFINITY;

  /** A long one counts at once: those behind it must not be taken for tiny. */
  add(ms: number): void {
    const { averageMs } = this;
    if (averageMs === Number.POSITIVE_INFINITY || ms > Math.max(TINY_MS, averageMs)) this.averageMs = ms;
    else this.averageMs += (ms - this.averageMs) * NEWEST_WEIGHT;
  }

  get areTiny(): boolean {
    return this.averageMs < TINY_MS;
  }
}

export class Waker {
  readonly #board: Board;
  readonly #times: RunTimes;
  readonly #now: () => number;
  #quietUntil = 0;
  #headBefore = 0;
  /** A call was saved since the last one. */
  #isOwed = false;

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
    const isRush = this.#times.areTiny && this.#board.any(DOZING);
    if (isRush && this.#isSeenTo(workers, more)) {
      this.#isOwed = true;
      return;
    }
    const tasks = this.#board.length + more;
    if (tasks <= 0 || this.#board.count(SPINNING) >= tasks) return;
    if (isRush) this.#quietUntil = this.#now() + QUIET_MS;
    this.#isOwed = false;
    this.#board.wakeOne();
  }

  /** So many tasks lie elsewhere that may have to wait for a long one: somebody is called, however short they are. */
  callFor(tasks: number): void {
    if (!this.#board.any(PARKED) || this.#board.count(SPINNING) >= tasks) return;
    this.#isOwed = false;
    this.#board.wakeOne();
  }

  /** The burst of calls is over: if nobody is awake for them, somebody is called. */
  callAfterBurst(workers: number): void {
    if (this.#isOwed && this.#board.count(PARKED) === workers) this.callAtLast();
  }

  /** For who goes to sleep himself: makes up for a call that was saved, if something lies there still. */
  callAtLast(): void {
    if (!this.#isOwed) return;
    this.#isOwed = false;
    if (this.#board.any(PARKED) && this.#board.length > 0) this.#board.wakeOne();
  }

  /**
   * Tiny tasks come, and somebody is awake. Then nobody else is called as long as one looks by himself, or was called and
   * has not looked yet, the others get on, and there is not much to do.
   */
  #isSeenTo(workers: number, more: number): boolean {
    if (this.#board.count(PARKED) === workers) return this.#board.length + more < BURST;
    const now = this.#now();
    if (now < this.#quietUntil) return true;
    const head = Atomics.load(this.#board.words, HEAD);
    const getOn = head !== this.#headBefore;
    this.#headBefore = head;
    const backlogMs = (this.#board.length + more) * this.#times.averageMs;
    if (!getOn || backlogMs > MUCH_MS) return false;
    this.#quietUntil = now + QUIET_MS;
    return true;
  }
}
