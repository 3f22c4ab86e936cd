/** When main looks for results: soon after a call, in slices that leave its event loop alone, and asleep otherwise. */
import type { TimerHandle } from '../../../core/contracts.js';
import * as L from '../layout.js';
import type { SharedExchange } from './exchange.js';
import { type Sleep, sleepOn, SPIN } from '../waiting.js';
import { SpinBudget } from '../../spin-budget.js';

/** How many milliseconds results may be handled back to back before timers and I/O have their turn. */
const SLICE_MS = 1;
/** How many results of one worker are handled at a time: few, as workers wait for the next calls, which callers make when they have results. */
const BATCH = 64;
/** The same for tiny tasks. Cells of 16 KiB stay in the core's first cache. Measured: 1,024 are 10 to 19 % slower, 64 and 256 less. */
const TINY_BATCH = 128;
/** Main rests only while results come more often than once in this many milliseconds. Chosen by hand. */
const OFTEN_MS = 0.25;
/** Weight of the newest interval in the moving average of how often results come. Chosen by hand. */
const NEWEST_WEIGHT = 0.5;
/** Main rests only where more than this many tasks will be left for each worker after the rest; where tasks are tiny, any task will do. */
const AMPLE = 16;
/** How many milliseconds main rests at most before it looks for results by itself. */
const REST_MS = 1;
/** How many promises a result may go through to the next call of a chain. Chosen by hand. */
const CHAIN = 4;

/**
 * What a turn follows: a call out of the event loop, which may have other work and must not be kept waiting; results, whose continuations
 * may have made calls; or a turn of the event loop.
 */
type After = 'call' | 'results' | 'loop';

const SETTLED = Promise.resolve();

export class Drain {
  readonly #from: SharedExchange;
  readonly #budget: SpinBudget;
  readonly #sleep: Sleep;
  readonly #anyDone = () => {
    for (const link of this.#from.links.values()) if (link.hasDone) return true;
    return false;
  };
  readonly #turnNow = () => this.#turn('call');
  readonly #turnNext = () => this.#turn('results');
  readonly #turnLater = () => this.#turn('loop');
  /** Whether main will look for results without being woken. */
  #isScheduled = false;
  #timer: TimerHandle | undefined;
  #isClosed = false;
  /** Results that callers were told of, and the pool was not: it is told after their continuations, which often make the next call. */
  #untold = 0;
  /** Whether a worker waits for main to send it its next task: then the pool is told before the continuations, which may take long. */
  isAwaited = false;
  #sliceEnd = 0;
  #lastTurnAt = 0;
  #lingered = 0;
  /** Results that were handled since main last went to sleep, when that was, and the average milliseconds between two results. */
  #handled = 0;
  #parkedAt = 0;
  #intervalMs = Number.POSITIVE_INFINITY;
  /** If so, main does not rest again before a result comes. */
  #restedInVain = false;
  /** Whether the pool is being told of results; and the seats of workers that are mailed tasks meanwhile. */
  #isTelling = false;
  readonly #mailed = new Set<number>();

  constructor(from: SharedExchange) {
    this.#from = from;
    this.#budget = new SpinBudget(SPIN, from.platform.now);
    this.#sleep = sleepOn(from.board.words, L.MAIN_PARKED, this.#turnLater);
  }

  /** A task is out: its result will have to be handled. */
  expect(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    // The result is not near, and the worker that was woken may have to wait until main sleeps: where the other cores are halted, as on an
    // idle virtual machine, Linux puts it on the core of its waker.
    if (this.#from.cells.outCount === 1 && this.#areLong) this.#park(L.ASLEEP);
    else void SETTLED.then(this.#turnNow);
  }

  /** A task was mailed to the worker of a seat: wakes the worker; while the pool is told of results, only after that, once for all tasks. */
  mailed(seat: number): void {
    if (this.#isTelling) this.#mailed.add(seat);
    else this.#from.board.wake(seat);
    this.expect();
  }

  settleUp(): void {
    this.isAwaited = false;
    if (this.#untold === 0) return;
    this.#untold = 0;
    this.#isTelling = true;
    try {
      for (const link of this.#from.links.values()) link.settleUp();
    } finally {
      this.#isTelling = false;
      for (const seat of this.#mailed) this.#from.board.wake(seat);
      this.#mailed.clear();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    Atomics.notify(this.#from.board.words, L.MAIN_PARKED); // the engine keeps a wait, and all that it would call, until it is over
  }

  #turn(after: After): void {
    this.#isScheduled = true; // a call that is made while results are handled need not schedule a turn
    // The pool is told of the last result of a chain while the worker runs the next call.
    if (this.#from.cells.outCount !== 1 || this.#untold >= BATCH) this.settleUp();
    if (this.#isClosed) return;
    const { platform, board, cells, waker } = this.#from;
    if (after === 'results' && cells.outCount === 0) return this.#linger();
    // Only main changes this word from AWAKE. A store would take its cache line away from the workers, which read it with each result.
    if (Atomics.load(board.words, L.MAIN_PARKED) !== L.AWAKE)
      Atomics.store(board.words, L.MAIN_PARKED, L.AWAKE);
    if (after !== 'call') this.#countCores(); // a main thread that is slower than its workers never parks
    // On one core, a worker that is woken takes that core from main, which has results to handle: their continuations make further calls.
    if (!board.hasOneCore || !this.#anyDone()) waker.callAfterBurst();
    // The clock is read anew: main may have been blocked since the calls of these results, by other code or by waking a worker.
    const now = platform.burstNow(true);
    if (after === 'loop' || now - this.#lastTurnAt > SLICE_MS) this.#sliceEnd = now + SLICE_MS;
    const drained = this.#drainAll() || this.#settleUpAndSpin(after);
    this.#lastTurnAt = platform.now();
    if (cells.outCount === 0) this.#linger();
    else if (drained) this.#again();
    // After results of long tasks the next result is not near, and callers have made their next calls.
    else if (after === 'loop' || (after === 'results' && this.#areLong)) {
      const intervalMs = (this.#lastTurnAt - this.#parkedAt) / Math.max(1, this.#handled);
      if (this.#intervalMs === Number.POSITIVE_INFINITY) this.#intervalMs = intervalMs;
      else this.#intervalMs += (intervalMs - this.#intervalMs) * NEWEST_WEIGHT;
      this.#parkedAt = this.#lastTurnAt;
      this.#handled = 0;
      this.#park(this.#canRest ? L.RESTING : L.ASLEEP);
    }
    // Other work of the event loop may make calls now, as well: main sleeps once, after all of them.
    else platform.nextTurn(this.#turnLater);
  }

  /** No task is out. If a continuation makes a call within CHAIN promises, that call is treated as the next one of a chain. */
  #linger(): void {
    if (this.#lingered++ < CHAIN) return void SETTLED.then(this.#turnNext);
    this.#lingered = 0;
    this.#isScheduled = false;
    this.settleUp();
  }

  /** Looks again after the continuations of these results, which may make calls; or after a turn of the event loop, if the slice is over. */
  #again(): void {
    this.#lingered = 0;
    if (this.#lastTurnAt < this.#sliceEnd) return void SETTLED.then(this.#turnNext);
    this.settleUp();
    this.#from.platform.nextTurn(this.#turnLater);
  }

  #settleUpAndSpin(after: After): boolean {
    this.settleUp();
    if (after === 'call') return false;
    const { awake, words } = this.#from.board;
    // With no worker awake there is no result to wait for; with all cores in use, spinning would take time from the workers.
    if (awake === 0 || awake >= Atomics.load(words, L.CORES)) return false;
    return this.#budget.wants() && this.#budget.spin(this.#anyDone) && this.#drainAll();
  }

  /** M1 to M3. */
  #park(depth: typeof L.RESTING | typeof L.ASLEEP): void {
    const { platform, waker } = this.#from;
    const { words } = this.#from.board;
    Atomics.store(words, L.MAIN_PARKED, depth);
    if (this.#anyDone() || !this.#sleep(depth)) {
      Atomics.store(words, L.MAIN_PARKED, L.AWAKE);
      return this.#again();
    }
    this.#isScheduled = false;
    this.#countCores();
    if (!waker.callAtLast() && depth === L.ASLEEP) return;
    this.#timer ??= platform.timer(REST_MS, () => {
      this.#timer = undefined;
      if (this.#handled === 0) this.#restedInVain = true;
      if (!this.#isScheduled) this.#turnLater();
    });
  }

  /** Counting the cores takes a millisecond, so main counts behind its first calls, while it waits for a result if it can. */
  #countCores(): void {
    const { words } = this.#from.board;
    if (Atomics.load(words, L.CORES) > 0) return;
    Atomics.store(words, L.CORES, this.#from.platform.availableThreads());
  }

  /** Whether main is better woken once for a batch of results. */
  get #canRest(): boolean {
    const { board, links, runTimes } = this.#from;
    if (links.size === 0 || this.#intervalMs > OFTEN_MS || this.#restedInVain) return false;
    if (runTimes.areTiny) return board.length > 0;
    return board.length > AMPLE * links.size + REST_MS / this.#intervalMs;
  }

  /** Longer than main would spin for a result. */
  get #areLong(): boolean {
    return this.#from.runTimes.averageMs > SPIN.mostMs;
  }

  #drainAll(): boolean {
    const most = this.#from.runTimes.areTiny ? TINY_BATCH : BATCH;
    let count = 0;
    for (const link of this.#from.links.values()) if (link.hasDone) count += link.drainDone(most);
    this.#handled += count;
    this.#untold += count;
    this.#restedInVain &&= count === 0;
    if (this.isAwaited) this.settleUp();
    return count > 0;
  }
}
