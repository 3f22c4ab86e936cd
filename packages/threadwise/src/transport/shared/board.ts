/** The board that all threads of a pool share: who sleeps, who looks for tasks, and which sleeper is woken when. */
import { int32sOf } from '../codec/value-memory.js';
import { countWithin } from '../trust.js';
import * as L from './layout.js';

/** A task is tiny if it runs for fewer milliseconds than it costs to wake a worker. */
const TINY_MS = 0.02;
/** How many milliseconds no further worker is woken for tiny tasks once the other workers were seen to make progress. */
const QUIET_MS = 1;
/** A backlog of tiny tasks is large if it takes more than this many milliseconds altogether. */
const MUCH_MS = 0.1;
/** While all workers sleep, one is woken for this many tiny tasks, or at the end of the burst of calls. */
const BURST = 64;
/** After how many milliseconds a worker that goes to sleep while tasks come looks once more by itself. */
export const DOZE_MS = 2;
/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;
/** A single long task among short ones counts in the average as if it had run for at most this many milliseconds. Chosen by hand. */
const SINGLE_MS = 0.1;
/** Tasks are short if most of them run for fewer milliseconds. Longer ones may wait for a file, for instance, and leave a core to another worker. */
const SHORT_MS = 0.25;
/** How many more short tasks than long ones it takes until tasks count as short. Chosen by hand. */
const MAJORITY = 16;

/** How long tasks run, as one thread sees them. */
export class RunTimes {
  /** A moving average. */
  averageMs = Number.POSITIVE_INFINITY;
  /** Whether the last task ran for longer than a tiny one, and for longer than the average. */
  #wasLong = false;
  /**
   * Long tasks less short ones, kept between 0 and 2 * MAJORITY. The average is no use here: on a busy machine another thread now and then takes
   * the core from a short task for some milliseconds.
   */
  #long = 2 * MAJORITY;

  /** Two long tasks in a row count in full at once: the tasks behind them must not be taken for tiny. */
  add(ms: number): void {
    const { averageMs } = this;
    const isLong = ms > Math.max(TINY_MS, averageMs);
    const counted = isLong ? Math.min(ms, Math.max(SINGLE_MS, averageMs)) : ms;
    if (averageMs === Number.POSITIVE_INFINITY || (isLong && this.#wasLong)) this.averageMs = ms;
    else this.averageMs += (counted - averageMs) * NEWEST_WEIGHT;
    this.#wasLong = isLong;
    if (ms >= SHORT_MS) this.#long = Math.min(2 * MAJORITY, this.#long + 1);
    else if (this.#long > 0) this.#long--;
  }

  get areShort(): boolean {
    return this.#long < MAJORITY;
  }

  get areTiny(): boolean {
    return this.averageMs < TINY_MS;
  }
}

export class Board {
  readonly words: Int32Array;
  /** How many words of each mask were in use at the last `refresh`: seats are added, and never taken away. */
  #maskWords = 1;

  constructor(buffer: ArrayBufferLike) {
    this.words = int32sOf(buffer);
  }

  refresh(): void {
    this.#maskWords = (countWithin(Atomics.load(this.words, L.SEATS_USED), L.SEATS) + 31) >>> 5;
  }

  /** Hints in the ring. */
  get length(): number {
    return (Atomics.load(this.words, L.TAIL) - Atomics.load(this.words, L.HEAD)) | 0;
  }

  set(mask: number, seat: number): void {
    Atomics.or(this.words, mask + (seat >>> 5), 1 << (seat & 31));
  }

  /** Returns whether it was set. */
  clear(mask: number, seat: number): boolean {
    const bit = 1 << (seat & 31);
    return (Atomics.and(this.words, mask + (seat >>> 5), ~bit) & bit) !== 0;
  }

  /** Whether any bit is set. @param from the first word of the mask that is looked at */
  any(mask: number, from = 0): boolean {
    const end = mask + this.#maskWords;
    for (let at = mask + from; at < end; at++) if (Atomics.load(this.words, at) !== 0) return true;
    return false;
  }

  /** Whether the bit of a seat with a higher number is set. */
  anyAbove(mask: number, seat: number): boolean {
    const word = Atomics.load(this.words, mask + (seat >>> 5));
    return word >>> (seat & 31) > 1 || this.any(mask, (seat >>> 5) + 1);
  }

  count(mask: number): number {
    const end = mask + this.#maskWords;
    let bits = 0;
    for (let at = mask; at < end; at++)
      for (let word = Atomics.load(this.words, at); word !== 0; word &= word - 1) bits++;
    return bits;
  }

  get awake(): number {
    return Atomics.load(this.words, L.SEATS_TAKEN) - this.count(L.PARKED) - this.count(L.RESERVED);
  }

  get areAllParked(): boolean {
    return this.count(L.PARKED) === Atomics.load(this.words, L.SEATS_TAKEN);
  }

  /** False until main has counted the cores. @param others how many threads that are no workers are awake */
  areCoresInUse(others: number): boolean {
    const cores = Atomics.load(this.words, L.CORES);
    return cores > 0 && this.awake + others >= cores;
  }

  /** False until main has counted the cores. */
  get hasOneCore(): boolean {
    return Atomics.load(this.words, L.CORES) === 1;
  }

  /** W1, W2: wakes one sleeper, if there is one. */
  wakeOne(): void {
    const end = L.PARKED + this.#maskWords;
    for (let at = L.PARKED; at < end; at++) {
      // Another thread may clear the bit first: then the next bit is tried.
      for (let word = Atomics.load(this.words, at); word !== 0; word = Atomics.load(this.words, at)) {
        const seat = ((at - L.PARKED) << 5) + (31 - Math.clz32(word & -word));
        // Set first: from its call until it looks, other threads rely on the worker, which clears this bit after the `parked` bit.
        this.set(L.DOZING, seat);
        if (this.clear(L.PARKED, seat)) return this.wakeAgain(seat);
        this.clear(L.DOZING, seat);
      }
    }
  }

  /** Wakes the worker of a seat, if it sleeps. */
  wake(seat: number): void {
    if (this.clear(L.PARKED, seat) || this.clear(L.RESERVED, seat)) this.wakeAgain(seat);
  }

  /** Wakes the worker of a seat without a look at its bits (X5): a wake-up too many does no harm. */
  wakeAgain(seat: number): void {
    Atomics.add(this.words, L.wakeupsOf(seat), 1);
    Atomics.notify(this.words, L.wakeupsOf(seat));
  }

  /** D1, D2. To be called before the thread is ended. */
  dismiss(seat: number): void {
    Atomics.store(this.words, L.dismissedOf(seat), 1);
    this.wakeAgain(seat);
  }

  isDismissed(seat: number): boolean {
    return Atomics.load(this.words, L.dismissedOf(seat)) !== 0;
  }
}

/** Decides whether a worker is woken when tasks lie ready: one for each long task at once, and now and then one for tiny tasks. */
export class Waker {
  readonly #board: Board;
  readonly #times: RunTimes;
  readonly #now: () => number;
  readonly #spared: number;
  #quietUntil = 0;
  #headBefore = 0;
  /** 0: no wake-up was saved since a worker was last woken. Otherwise one more than the number of calls until the question is asked again. */
  #owed = 0;

  /** @param spared main's, which calls `callAfterBurst`: for how many tasks of a burst the question is not asked once a wake-up was saved */
  constructor(board: Board, times: RunTimes, now: () => number, spared = 0) {
    this.#board = board;
    this.#times = times;
    this.#now = now;
    this.#spared = spared;
  }

  /** O5, S3: for the hints in the ring, and `more` elsewhere. The cheapest tests come first: `head` is in another core's cache. */
  call(more = 0): void {
    if (this.#owed > 1) {
      this.#owed--;
      return;
    }
    if (!this.#board.any(L.PARKED)) return;
    // Main, which has `spared`, is awake at its calls.
    const isSaturated = this.#isSaturated(this.#spared > 0 ? 1 : 0);
    const isRush = (this.#times.areTiny || isSaturated) && this.#board.any(L.DOZING);
    if (isRush && this.#isSeenTo(more, isSaturated)) {
      this.#owed = 1 + this.#spared;
      return;
    }
    const tasks = this.#board.length + more;
    if (tasks > 0 && this.callFor(tasks) && isRush) this.#quietUntil = this.#now() + QUIET_MS;
  }

  /** Wakes a worker for `tasks` tasks, even if they are short. False: no worker sleeps, or as many workers look for tasks already. */
  callFor(tasks: number): boolean {
    if (!this.#board.any(L.PARKED) || this.#board.count(L.SPINNING) >= tasks) return false;
    this.#owed = 0;
    this.#board.wakeOne();
    return true;
  }

  /** If all workers sleep, wakes one. */
  callAfterBurst(): void {
    if (this.#owed === 0) return;
    this.#owed = 1;
    if (this.#board.areAllParked) this.callAtLast();
  }

  /** M4: makes up for a wake-up that was saved, if hints still lie in the ring. True: that is yet to be done, by another call of this. */
  callAtLast(): boolean {
    if (this.#owed === 0) return false;
    const board = this.#board;
    const isLeft = board.any(L.PARKED) && board.length > 0;
    if (isLeft && this.areOthersEnough) return true;
    this.#owed = 0;
    if (isLeft) board.wakeOne();
    return false;
  }

  /** Whether the workers that are awake are enough for the hints in the ring. */
  get areOthersEnough(): boolean {
    const isSaturated = this.#isSaturated(0);
    const areFew = this.#times.areTiny && this.#board.awake > 0;
    return (isSaturated || areFew) && this.#isSeenTo(0, isSaturated);
  }

  #isSaturated(others: number): boolean {
    return this.#times.areShort && this.#board.areCoresInUse(others);
  }

  /** Whether what lies ready needs no further worker for now, in the cases _tiny_ and _saturated_ of README.md. */
  #isSeenTo(more: number, isSaturated: boolean): boolean {
    const board = this.#board;
    if (board.areAllParked) return board.hasOneCore || board.length + more < BURST;
    const now = this.#now();
    if (now < this.#quietUntil) return true;
    const head = Atomics.load(board.words, L.HEAD);
    const getOn = head !== this.#headBefore;
    this.#headBefore = head;
    const backlogMs = (board.length + more) * this.#times.averageMs;
    if (!getOn || (backlogMs > MUCH_MS && !isSaturated)) return false;
    this.#quietUntil = now + QUIET_MS;
    return true;
  }
}
