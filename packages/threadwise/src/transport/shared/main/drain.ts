/** When main looks for results: soon after a call, in slices that leave its event loop alone, and asleep otherwise. */
import type { Platform, TimerHandle } from '../../../core/contracts.js';
import { RunTimes, type Board, type Waker } from '../board.js';
import { ASLEEP, AWAKE, MAIN_PARKED, RESTING, SPINNERS } from '../layout.js';
import type { SharedLink } from './link.js';
import { Sleeper, SpinBudget } from '../waiting.js';

/** What a drain needs of its exchange. */
export interface Drained {
  readonly platform: Platform;
  readonly board: Board;
  readonly waker: Waker;
  readonly runTimes: RunTimes;
  readonly links: ReadonlyMap<number, SharedLink>;
  /** Tasks that are out. */
  readonly open: number;
}

/** Results may be handled back to back for that long before timers and I/O have their turn. Milliseconds. */
const SLICE_MS = 1;
/** Results of one worker that are handled at a time: few, as the calls that they bring forth feed workers that wait. */
const BATCH = 64;
/** The same where tasks are tiny: then it costs more to wake a worker between two batches than to let one wait. */
const TINY_BATCH = 1024;
/** How long main looks for a result before it sleeps: about what being woken costs. Milliseconds. */
const SPIN_MS = 0.05;
/** Main may be woken for several results together where tasks run for less. Milliseconds. */
const SHORT_MS = 0.1;
/** And where it has that much to do with each, calls that come of it included. Milliseconds. */
const LIGHT_MS = 0.01;
/** And where there are more tasks for each worker than that. */
const AMPLE = 16;
/** So long it waits for a batch at the most. Milliseconds. */
const REST_MS = 1;

/**
 * What has just been: a call out of the event loop, which may have others to serve, so that it must not be kept waiting; results,
 * whose continuations made calls; or a turn of the event loop.
 */
type After = 'call' | 'results' | 'loop';
/** How many promises a result may go through to the next call of a chain. Chosen by hand. */
const CHAIN = 4;

export class Drain {
  readonly #from: Drained;
  readonly #budget: SpinBudget;
  /** Workers that may be awake while main spins. */
  #spinners: number | undefined;
  readonly #sleeper: Sleeper;
  readonly #hasDone = () => this.#anyDone();
  readonly #turnNow = () => this.#turn('call');
  readonly #turnNext = () => this.#turn('results');
  readonly #turnLater = () => this.#turn('loop');
  #isScheduled = false;
  /** Has main look, if nobody else did. */
  #timer: TimerHandle | undefined;
  #isClosed = false;
  #sliceEnd = 0;
  #lastTurnAt = 0;
  /** Promises that it was waited for since the last result, while nothing is out. */
  #lingered = 0;
  /** Results that were handled since main was last asleep, since when, and how long each of them took it. */
  #handled = 0;
  #awakeSince = 0;
  readonly #times = new RunTimes();

  constructor(from: Drained) {
    this.#from = from;
    this.#budget = new SpinBudget(SPIN_MS, from.platform.now);
    this.#sleeper = new Sleeper(from.board.words, MAIN_PARKED, this.#turnLater);
  }

  /** A task is out: its result will have to be handled. */
  expect(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void SETTLED.then(this.#turnNow);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #turn(after: After): void {
    this.#isScheduled = true; // whoever submits while results are handled need not ask
    if (this.#isClosed) return;
    const { platform, board } = this.#from;
    if (after === 'results' && this.#from.open === 0) return this.#linger();
    Atomics.store(board.words, MAIN_PARKED, AWAKE);
    const now = platform.now();
    if (after === 'loop' || now - this.#lastTurnAt > SLICE_MS) this.#sliceEnd = now + SLICE_MS;
    if (this.#handled === 0) this.#awakeSince = now;
    this.#from.waker.callAfterBurst(this.#from.links.size);
    const drained = this.#drainAll() || (after !== 'call' && this.#spin());
    this.#lastTurnAt = platform.now();
    if (this.#from.open === 0) this.#linger();
    else if (drained) this.#again();
    else if (after === 'loop') this.#park();
    // The event loop may have others to serve now, who call as well: one sleep for all of them, behind the last.
    else this.#from.platform.nextTurn(this.#turnLater);
  }

  /** Nothing is out: a call that a result brings forth within a few promises is waited for as one of a chain. */
  #linger(): void {
    if (this.#lingered++ < CHAIN) return void SETTLED.then(this.#turnNext);
    this.#lingered = 0;
    this.#isScheduled = false;
  }

  /** After the calls' continuations, which may submit more; or after the event loop, when that has waited long. */
  #again(): void {
    this.#lingered = 0;
    if (this.#lastTurnAt < this.#sliceEnd) void SETTLED.then(this.#turnNext);
    else this.#from.platform.nextTurn(this.#turnLater);
  }

  #spin(): boolean {
    const { board } = this.#from;
    // Nobody is there to wait for, or whoever spins takes time from them: all cores are in use.
    this.#spinners ??= this.#countCores();
    const { awake } = board;
    if (awake === 0 || awake > this.#spinners) return false;
    return this.#budget.wants() && this.#budget.spin(this.#hasDone) && this.#drainAll();
  }

  /** Takes a millisecond, so not before there is a moment for it: while the first workers start. */
  #countCores(): number {
    const { platform, board } = this.#from;
    const spinners = Math.max(0, platform.availableThreads() - 1);
    Atomics.store(board.words, SPINNERS, spinners);
    return spinners;
  }

  /** M1 to M3. */
  #park(): void {
    const { board } = this.#from;
    this.#noteEffort();
    const depth = this.#canRest ? RESTING : ASLEEP;
    Atomics.store(board.words, MAIN_PARKED, depth);
    if (this.#anyDone() || !this.#sleeper.sleep(depth)) {
      Atomics.store(board.words, MAIN_PARKED, AWAKE);
      return this.#again();
    }
    this.#isScheduled = false;
    if (depth === RESTING) this.#lookSoon();
    this.#from.waker.callAtLast();
  }

  /** How long main was at it for each result, since it was last asleep. */
  #noteEffort(): void {
    this.#times.add((this.#lastTurnAt - this.#awakeSince) / Math.max(1, this.#handled));
    this.#handled = 0;
  }

  /**
   * Tasks are short, there is more than enough for all workers, and main has little to do with a result: then it is worth
   * waking up for by the batch.
   */
  get #canRest(): boolean {
    const { board, links, runTimes } = this.#from;
    if (links.size === 0) return false; // nothing comes, however often main looks
    return (
      runTimes.averageMs < SHORT_MS && this.#times.averageMs < LIGHT_MS && board.length > AMPLE * links.size
    );
  }

  #lookSoon(): void {
    this.#timer ??= this.#from.platform.timer(REST_MS, () => {
      this.#timer = undefined;
      if (!this.#isScheduled) this.#turnLater();
    });
  }

  #anyDone(): boolean {
    for (const link of this.#from.links.values()) if (link.completed.hasAny) return true;
    return false;
  }

  #drainAll(): boolean {
    const most = this.#from.runTimes.areTiny ? TINY_BATCH : BATCH;
    let count = 0;
    for (const link of this.#from.links.values())
      if (link.completed.hasAny) count += link.completed.drain(most);
    this.#handled += count;
    return count > 0;
  }
}

const SETTLED = Promise.resolve();
