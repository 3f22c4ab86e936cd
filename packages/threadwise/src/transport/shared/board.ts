/** The board that all threads of a pool share: who sleeps, who looks for tasks, and which sleeper is woken when. */
import { int32sOf } from '../codec/value-memory.js';
import { countWithin } from '../trust.js';
import * as L from './layout.js';

/** A task is tiny if it runs for fewer milliseconds: about what it costs to wake a worker. */
const TINY_MS = 0.02;
/** For how many milliseconds no further worker is woken for tiny tasks once it was seen that the others get on. */
const QUIET_MS = 1;
/** A backlog of tiny tasks is large if it takes more milliseconds altogether. */
const MUCH_MS = 0.1;
/** While all workers sleep, one is woken for this many tiny tasks, or at the end of the burst of calls. */
const BURST = 64;
/** After how many milliseconds a worker that goes to sleep while tasks come looks once more by itself. */
export const DOZE_MS = 2;
/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;
/** A single long task among short ones counts in the average as if it had run for that many milliseconds, at the most. Chosen by hand. */
const SINGLE_MS = 0.1;
/**
 * Tasks most of which run for fewer milliseconds are short: no worker is woken for them while as many are awake as there are cores. Of longer
 * ones some may wait for a file, say, so that another worker would find a core.
 */
const SHORT_MS = 0.25;
/** How many more short tasks than long ones it takes until tasks count as short. Chosen by hand. */
const MAJORITY = 16;

/** The moving average of how long tasks run, as one thread sees them. */
export class RunTimes {
  averageMs = Number.POSITIVE_INFINITY;
  /** Whether the last task ran for longer than a tiny one, and for longer than the average. */
  #wasLong = false;
  /**
   * The number of long tasks less the number of short ones, kept between 0 and 2 * MAJORITY. The average is no use here: on a busy machine another
   * thread now and then takes the core from a short task for some milliseconds.
   */
  #long = 2 * MAJORITY;

  /** Two long ones in a row count at once: those behind them must not be taken for tiny. */
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
  /** Words of each mask that are in use, when that was last looked at: seats are added, and never taken away. */
  #maskWords = 1;

  constructor(buffer: ArrayBufferLike) {
    this.words = int32sOf(buffer);
  }

  /** Looks how many seats there are by now. */
  refresh(): void {
    this.#maskWords = (countWithin(Atomics.load(this.words, L.SEATS_USED), L.SEATS) + 31) >>> 5;
  }

  /** The number of hints in the ring. */
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

  /** Whether any bit is set; `mask`: PARKED, SPINNING or DOZING. */
  any(mask: number): boolean {
    const end = mask + this.#maskWords;
    for (let at = mask; at < end; at++) if (Atomics.load(this.words, at) !== 0) return true;
    return false;
  }

  /** Whether the bit of a seat with a higher number is set. */
  anyAbove(mask: number, seat: number): boolean {
    const at = mask + (seat >>> 5);
    if (Atomics.load(this.words, at) >>> (seat & 31) > 1) return true;
    const end = mask + this.#maskWords;
    for (let next = at + 1; next < end; next++) if (Atomics.load(this.words, next) !== 0) return true;
    return false;
  }

  count(mask: number): number {
    const end = mask + this.#maskWords;
    let bits = 0;
    for (let at = mask; at < end; at++) {
      for (let word = Atomics.load(this.words, at); word !== 0; word &= word - 1) bits++;
    }
    return bits;
  }

  /** Workers that do not sleep. */
  get awake(): number {
    return Atomics.load(this.words, L.SEATS_TAKEN) - this.count(L.PARKED) - this.count(L.RESERVED);
  }

  /** Whether all workers sleep, and can be woken for tasks in the ring. */
  get areAllParked(): boolean {
    return this.count(L.PARKED) === Atomics.load(this.words, L.SEATS_TAKEN);
  }

  /**
   * Whether as many threads are awake as there are cores; false until main has counted the cores.
   * @param others how many threads are awake that are no workers
   */
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
      // The exchange may come second to another waker's: then the next bit is tried.
      for (let word = Atomics.load(this.words, at); word !== 0; word = Atomics.load(this.words, at)) {
        const seat = ((at - L.PARKED) << 5) + (31 - Math.clz32(word & -word));
        // First: once it is called it is relied on, until it looks; it clears this bit after the other one.
        this.set(L.DOZING, seat);
        if (this.#wake(L.PARKED, seat)) return;
        this.clear(L.DOZING, seat);
      }
    }
  }

  /** Wakes the worker of a seat, if it sleeps, whatever it can be woken for. */
  wake(seat: number): boolean {
    return this.#wake(L.PARKED, seat) || this.#wake(L.RESERVED, seat);
  }

  /** X5: whoever was about to wake this worker is dead; a wake-up too many does no harm. */
  wakeAgain(seat: number): void {
    Atomics.add(this.words, L.wakeupsOf(seat), 1);
    Atomics.notify(this.words, L.wakeupsOf(seat));
  }

  /** D1, D2: has the worker of a seat wait for nothing any more. To be called before its thread ends, by whoever ends it. */
  dismiss(seat: number): void {
    Atomics.store(this.words, L.dismissedOf(seat), 1);
    this.wakeAgain(seat);
  }

  isDismissed(seat: number): boolean {
    return Atomics.load(this.words, L.dismissedOf(seat)) !== 0;
  }

  #wake(mask: number, seat: number): boolean {
    if (!this.clear(mask, seat)) return false;
    this.wakeAgain(seat);
    return true;
  }
}

/** Decides which worker is woken when tasks lie ready: one for each long task at once, and now and then one for tiny tasks. */
export class Waker {
  readonly #board: Board;
  readonly #times: RunTimes;
  readonly #now: () => number;
  #quietUntil = 0;
  #headBefore = 0;
  /** 0: no worker was spared since one was last woken; otherwise the number of calls until that is looked at again, and one. */
  #owed = 0;
  readonly #spared: number;
  /** How many threads are awake at a call and are no workers: 1 if main makes the calls, 0 if a worker does. */
  readonly #callers: number;

  /**
   * @param now may be a clock that is read once for a burst
   * @param spared how many further tasks of a burst are not looked at once a worker was spared. Only main gives it: main calls
   * `callAfterBurst` and `callAtLast`
   */
  constructor(board: Board, times: RunTimes, now: () => number, spared = 0) {
    this.#board = board;
    this.#times = times;
    this.#now = now;
    this.#spared = spared;
    this.#callers = spared > 0 ? 1 : 0;
  }

  /**
   * O5, S3: hints lie in the ring, or `more` of them elsewhere. The cheapest questions come first: this is asked at every
   * call, and `head` is in another core's cache.
   */
  call(more = 0): void {
    if (this.#owed > 1) {
      this.#owed--;
      return;
    }
    if (!this.#board.any(L.PARKED)) return;
    const isSaturated = this.#isSaturated(this.#callers);
    const isRush = (this.#times.areTiny || isSaturated) && this.#board.any(L.DOZING);
    if (isRush && this.#isSeenTo(more, isSaturated)) {
      this.#owed = 1 + this.#spared;
      return;
    }
    const tasks = this.#board.length + more;
    if (tasks > 0 && this.callFor(tasks) && isRush) this.#quietUntil = this.#now() + QUIET_MS;
  }

  /** Wakes a worker for `tasks` that may have to wait for a long one, however short they are. False: none sleeps, or enough look for tasks. */
  callFor(tasks: number): boolean {
    if (!this.#board.any(L.PARKED) || this.#board.count(L.SPINNING) >= tasks) return false;
    this.#owed = 0;
    this.#board.wakeOne();
    return true;
  }

  /** The burst of calls is over: if nobody is awake for them, somebody is called. */
  callAfterBurst(): void {
    if (this.#owed === 0) return;
    this.#owed = 1;
    if (this.#board.areAllParked) this.callAtLast();
  }

  /**
   * To be called by a thread that goes to sleep: wakes the worker that was spared before, if hints still lie in the ring. Where all cores are in
   * use, it may still owe that: then it is to be called again.
   */
  callAtLast(): void {
    if (this.#owed === 0) return;
    const board = this.#board;
    const isLeft = board.any(L.PARKED) && board.length > 0;
    if (isLeft && this.areOthersEnough) return;
    this.#owed = 0;
    if (isLeft) board.wakeOne();
  }

  /** Whether a worker was spared, and hints may lie in the ring. */
  get owes(): boolean {
    return this.#owed > 0;
  }

  /** Whether those that are awake see to the hints in the ring: short tasks while all cores are in use, or a few tiny ones. */
  get areOthersEnough(): boolean {
    const isSaturated = this.#isSaturated(0);
    const areFew = this.#times.areTiny && this.#board.awake > 0;
    return (isSaturated || areFew) && this.#isSeenTo(0, isSaturated);
  }

  /** Short tasks come, and one more worker would only take a core from those that are awake. */
  #isSaturated(others: number): boolean {
    return this.#times.areShort && this.#board.areCoresInUse(others);
  }

  /**
   * Tiny tasks come, and somebody is awake; or short ones, and all cores are in use. Then nobody else is called as long as one looks by himself,
   * or was called and has not looked yet, the others get on, and there is not much to do for whom there is a core.
   */
  #isSeenTo(more: number, isSaturated: boolean): boolean {
    if (this.#board.areAllParked) return this.#board.hasOneCore || this.#board.length + more < BURST;
    const now = this.#now();
    if (now < this.#quietUntil) return true;
    const head = Atomics.load(this.#board.words, L.HEAD);
    const getOn = head !== this.#headBefore;
    this.#headBefore = head;
    const backlogMs = (this.#board.length + more) * this.#times.averageMs;
    if (!getOn || (backlogMs > MUCH_MS && !isSaturated)) return false;
    this.#quietUntil = now + QUIET_MS;
    return true;
  }
}
