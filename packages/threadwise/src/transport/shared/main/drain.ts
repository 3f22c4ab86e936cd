/** When main looks for results, and what it does with each. */
import type { LinkEvents, TimerHandle } from '../../../core/contracts.js';
import { unreadable } from '../../../core/calls/payload.js';
import type { Task } from '../../../core/calls/task.js';
import { decodeError, type EncodedError } from '../../codec/error-codec.js';
import { int32sOf } from '../../codec/value-memory.js';
import { untrue } from '../../trust.js';
import type { PortLink } from '../../port-link.js';
import * as L from '../layout.js';
import type { SharedExchange } from './exchange.js';

import { LOST, ResultReader } from './values.js';
import { Sleeper, SPIN } from '../waiting.js';
import { SpinBudget } from '../../spin-budget.js';

/** How many results ahead of the one that is read the next cell is fetched. Chosen by hand. */
const AHEAD = 4;
/** The bytes that were read are no value: the worker is not believed any more. */
const DAMAGED = Symbol('damaged');
/** Results may be handled back to back for that long before timers and I/O have their turn. Milliseconds. */
const SLICE_MS = 1;
/** Results of one worker that are handled at a time: few, as the calls that they bring forth feed workers that wait. */
const BATCH = 64;
/**
 * The same where tasks are tiny, and several of them cost less than to wake a worker. Their cells, 16 KiB, still lie in the core's first
 * cache when their callers make the next calls. Measured: 1,024 are 10 to 19 % slower, 64 and 256 less.
 */
const TINY_BATCH = 128;
/** Main may rest only while results come more often than once in this many milliseconds. Chosen by hand. */
const OFTEN_MS = 0.25;
/** Weight of the newest interval in the moving average of how often results come. Chosen by hand. */
const NEWEST_WEIGHT = 0.5;
/** Main may rest only where more than this many tasks lie ready for each worker, also when it will have rested. */
const AMPLE = 16;
/** How many milliseconds main rests at the most before it looks for results by itself. */
const REST_MS = 1;

/**
 * What has just been: a call out of the event loop, which may have others to serve, so that it must not be kept waiting; results,
 * whose continuations made calls; or a turn of the event loop.
 */
type After = 'call' | 'results' | 'loop';
/** How many promises a result may go through to the next call of a chain. Chosen by hand. */
const CHAIN = 4;

const SETTLED = Promise.resolve();

/** When main looks: soon after a call, in slices that leave its event loop alone, and asleep otherwise. */
export class Drain {
  readonly #from: SharedExchange;
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
  /** Results that were handled since main last went to sleep, when that was, and how many milliseconds there are between two results. */
  #handled = 0;
  #parkedAt = 0;
  #intervalMs = Number.POSITIVE_INFINITY;

  constructor(from: SharedExchange) {
    this.#from = from;
    this.#budget = new SpinBudget(SPIN, from.platform.now);
    this.#sleeper = new Sleeper(from.board.words, L.MAIN_PARKED, this.#turnLater);
  }

  /** A task is out: its result will have to be handled. */
  expect(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    if (this.#isAloneAndLong) this.#park();
    else void SETTLED.then(this.#turnNow);
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
    Atomics.store(board.words, L.MAIN_PARKED, L.AWAKE);
    const now = platform.now();
    if (after === 'loop' || now - this.#lastTurnAt > SLICE_MS) this.#sliceEnd = now + SLICE_MS;
    this.#from.waker.callAfterBurst(this.#from.links.size);
    const drained = this.#drainAll() || (after !== 'call' && this.#spin());
    this.#lastTurnAt = platform.now();
    if (this.#from.open === 0) this.#linger();
    else if (drained) this.#again();
    else if (after === 'loop') {
      this.#noteInterval();
      this.#park();
    }
    // The event loop may have others to serve now, who call as well: one sleep for all of them, behind the last.
    else this.#from.platform.nextTurn(this.#turnLater);
  }

  /**
   * One task is out, and its result is not near: there is no reason to stay awake. The worker that was woken for it may have to
   * wait until main sleeps: where the other cores are halted, as on an idle virtual machine, Linux puts it on the core of its waker.
   */
  get #isAloneAndLong(): boolean {
    return this.#from.open === 1 && this.#from.runTimes.averageMs > SPIN.mostMs;
  }

  /** No task is out. If a continuation makes a call within CHAIN promises, that call is treated as the next one of a chain. */
  #linger(): void {
    if (this.#lingered++ < CHAIN) return void SETTLED.then(this.#turnNext);
    this.#lingered = 0;
    this.#isScheduled = false;
  }

  /** Looks again after the continuations of these results, which may make calls; or after a turn of the event loop, if the slice is over. */
  #again(): void {
    this.#lingered = 0;
    if (this.#lastTurnAt < this.#sliceEnd) void SETTLED.then(this.#turnNext);
    else this.#from.platform.nextTurn(this.#turnLater);
  }

  #spin(): boolean {
    const { board } = this.#from;
    // With no worker awake there is nobody to wait for; with all cores in use, spinning would take time from the workers.
    this.#spinners ??= this.#countCores();
    const { awake } = board;
    if (awake === 0 || awake > this.#spinners) return false;
    return this.#budget.wants() && this.#budget.spin(this.#hasDone) && this.#drainAll();
  }

  /** Takes a millisecond, so not before there is a moment for it: while the first workers start. */
  #countCores(): number {
    const { platform, board } = this.#from;
    const spinners = Math.max(0, platform.availableThreads() - 1);
    Atomics.store(board.words, L.SPINNERS, spinners);
    return spinners;
  }

  /** M1 to M3. */
  #park(): void {
    const { board } = this.#from;
    const depth = this.#canRest ? L.RESTING : L.ASLEEP;
    Atomics.store(board.words, L.MAIN_PARKED, depth);
    if (this.#anyDone() || !this.#sleeper.sleep(depth)) {
      Atomics.store(board.words, L.MAIN_PARKED, L.AWAKE);
      return this.#again();
    }
    this.#isScheduled = false;
    if (depth === L.RESTING) this.#lookSoon();
    this.#from.waker.callAtLast();
  }

  /** Notes how often results have come since main last went to sleep. */
  #noteInterval(): void {
    const intervalMs = (this.#lastTurnAt - this.#parkedAt) / Math.max(1, this.#handled);
    if (this.#intervalMs === Number.POSITIVE_INFINITY) this.#intervalMs = intervalMs;
    else this.#intervalMs += (intervalMs - this.#intervalMs) * NEWEST_WEIGHT;
    this.#parkedAt = this.#lastTurnAt;
    this.#handled = 0;
  }

  /** Results come so often, and there is so much left for all workers to do, that it is worth waking up for by the batch. */
  get #canRest(): boolean {
    const { board, links } = this.#from;
    if (links.size === 0 || this.#intervalMs > OFTEN_MS) return false; // where no worker is, nothing comes, however often main looks
    return board.length > AMPLE * links.size + REST_MS / this.#intervalMs;
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

/** Reads what one worker has completed: the hints in its ring, and the results in cells, in its stream, or come over its port. */
export class Completed {
  readonly #exchange: SharedExchange;
  readonly #events: LinkEvents;
  readonly #link: PortLink;
  /** Tasks that were sent to this worker and have not ended, by their ids: the link's. */
  readonly #sent: Map<number, Task>;
  readonly #seat: number;
  readonly #own: Int32Array;
  readonly #results: ResultReader;
  #head = 0;
  /** The position in the ring up to which `reclaim` has looked; it may lie behind `#head`. */
  #reclaimed = 0;
  /** The state of a cell whose task this worker has begun, whether it was to stop or not, with the lowest bit set. */
  readonly #endedState: number;
  /** Why nothing more of what the worker writes is believed: it is about to be ended. */
  #fault: Error | undefined;

  constructor(
    exchange: SharedExchange,
    { seat, own, stream, ownShapes }: L.SharedMemory,
    events: LinkEvents,
    link: PortLink,
    sent: Map<number, Task>,
  ) {
    this.#exchange = exchange;
    this.#events = events;
    this.#link = link;
    this.#sent = sent;
    this.#seat = seat;
    this.#own = int32sOf(own);
    this.#results = new ResultReader(exchange.cells, own, stream, ownShapes);
    this.#endedState = L.state(L.RUNNING, seat) | 1;
  }

  get hasAny(): boolean {
    return Atomics.load(this.#own, L.DONE_TAIL) !== this.#head && this.#fault === undefined;
  }

  /** A result came over the port; a hint that names its cell comes behind it. */
  post(cell: number, value: unknown): void {
    this.#results.post(cell, value);
  }

  /** Handles at most `most` completed tasks; returns how many it did. */
  drain(most: number): number {
    const { cells, sizes, runTimes } = this.#exchange;
    const { plain, words, doubles } = cells;
    const [own, { record }] = [this.#own, this.#events];
    // Read once for the batch: the worker writes it with each completion, and fetching it anew costs as much as a result.
    const ready = this.#pending(this.#head);
    if (ready === 0) return 0;
    const end = (this.#head + Math.min(most, ready)) | 0;
    plain?.beginBatch();
    let count = 0;
    let ranCount = 0;
    let ranMs = 0;
    // A continuation may drain, too, or close the pool: so each hint leaves the ring before its caller is told.
    for (; ((end - this.#head) | 0) > 0 && this.#isBelieved; count++) {
      const at = this.#head;
      const hint = own[L.donePlace(at, sizes)]!;
      this.#head = (at + 1) | 0;
      // The cells ahead were written by the worker's core: to write to them has the processor fetch them meanwhile.
      if (((end - at) | 0) > AHEAD) words[own[L.donePlace(at + AHEAD, sizes)]! * L.WORDS + L.NAME] = 0;
      const runMs = doubles[hint * L.DOUBLES + L.RUN_MS]!;
      const isPlain =
        plain?.has(hint) === true &&
        (words[hint * L.WORDS + L.STATE]! | 1) === this.#endedState &&
        runMs >= 0 &&
        runMs < Number.POSITIVE_INFINITY;
      if (!isPlain) {
        this.#drainOne(hint);
        continue;
      }
      const form = words[hint * L.WORDS + L.FORM]!;
      const value =
        form === L.NUMBER
          ? doubles[hint * L.DOUBLES + L.INLINE_NUMBER]!
          : this.#read(hint, form & ~L.IS_ERROR);
      if (value === DAMAGED) break; // what is read next would be no better
      ranCount++;
      ranMs += runMs;
      runTimes.add(runMs);
      plain.runMs = runMs;
      cells.freePlain(hint);
      if ((form & L.IS_ERROR) === 0) plain.completed(hint, value, record);
      else plain.failed(hint, decodeError(value as EncodedError), record);
    }
    plain?.endBatch();
    if (ranCount > 0) this.#events.ranPlain(ranCount, ranMs);
    if (count > 0) this.#events.settledBatch();
    return count;
  }

  /**
   * Gives back the blocks with the arguments of tasks that are completed, before it is told: K2 is behind them, and nobody looks at
   * those any more but to write them anew. Returns how many there were.
   */
  reclaim(): number {
    const { cells, sizes } = this.#exchange;
    let at = ((this.#reclaimed - this.#head) | 0) > 0 ? this.#reclaimed : this.#head;
    const tail = (at + this.#pending(at)) | 0;
    let count = 0;
    for (; at !== tail; at = (at + 1) | 0) {
      const cell = this.#own[L.donePlace(at, sizes)]! & ~L.PORT_FIRST;
      if (this.#hasBegun(cell)) count += cells.freeArguments(cell);
    }
    this.#reclaimed = tail;
    return count;
  }

  /** A worker that writes what cannot be is not to be trusted with more: it goes down, and its tasks with it. */
  distrust(fault: unknown): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault instanceof Error ? fault : new Error(String(fault));
    // Main may have found this while it hands tasks over: the worker is ended later.
    this.#exchange.platform.defer(() => this.#events.broken(fault));
  }

  get #isBelieved(): boolean {
    return this.#fault === undefined && !this.#link.isClosed;
  }

  #hasBegun(cell: number): boolean {
    const { cells } = this.#exchange;
    return cells.isOut(cell) && cells.holder(cell) === this.#seat;
  }

  /** Hints of ended tasks from that place on: no more than there are tasks that have not ended, or the worker is not believed. */
  #pending(from: number): number {
    if (this.#fault !== undefined) return 0;
    const count = (Atomics.load(this.#own, L.DONE_TAIL) - from) | 0;
    if (count >= 0 && count <= this.#exchange.open) return count;
    this.distrust(untrue('the number of ended tasks', count, `0 to ${this.#exchange.open}`));
    return 0;
  }

  #drainOne(hint: number): void {
    const { cells, runTimes } = this.#exchange;
    if ((hint & L.PORT_FIRST) !== 0) this.#link.drainPort();
    const cell = hint & ~L.PORT_FIRST;
    if (!this.#hasBegun(cell)) {
      return this.distrust(untrue('an ended task', cell, 'the cell of one that it has begun'));
    }
    const form = cells.words[cell * L.WORDS + L.FORM]!;
    const value = this.#read(cell, form & ~L.IS_ERROR);
    if (value === DAMAGED) return;
    const runMs = cells.doubles[cell * L.DOUBLES + L.RUN_MS]!;
    if (!(runMs >= 0 && runMs < Number.POSITIVE_INFINITY))
      return this.distrust(untrue('the running time of a task', runMs, 'milliseconds'));
    const task = cells.taskIn(cell)!;
    runTimes.add(runMs);
    if (this.#sent.size > 0) this.#sent.delete(task.id);
    cells.takeBack(cell);
    const isError = (form & L.IS_ERROR) !== 0;
    if (value === LOST) this.#events.failed(task, unreadable(isError ? 'thrown' : 'result'), runMs);
    else if (isError) this.#events.failed(task, decodeError(value as EncodedError), runMs);
    else this.#events.done(task, value, runMs);
    if (cells.payload(cell) !== task.payload) cells.freeIfHeld(cell);
  }

  #read(cell: number, form: number): unknown {
    try {
      return this.#results.read(cell, form);
    } catch (error) {
      this.distrust(error);
      return DAMAGED;
    }
  }
}
