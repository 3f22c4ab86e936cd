/** What one worker has completed, as main reads it. */
import type { LinkEvents } from '../../../core/contracts.js';
import { unreadable } from '../../../core/calls/payload.js';
import type { Task } from '../../../core/calls/task.js';
import { decodeError, type EncodedError } from '../../codec/error-codec.js';
import { ShapeReader } from '../../codec/shapes/shape-book.js';
import { int32sOf, type Memory, memoryOf } from '../../codec/value-memory.js';
import { ValueReader } from '../../codec/value-reader.js';
import { untrue } from '../../trust.js';
import type { WorkerMessages } from '../../worker-messages.js';
import {
  BY_PORT,
  CELL_BYTES,
  DONE_TAIL,
  DOUBLES,
  donePlace,
  FORM,
  IN_CELL,
  INLINE_BYTES,
  INLINE_NUMBER,
  INLINE_START,
  IS_ERROR,
  LENGTH,
  NAME,
  NOTHING,
  NUMBER,
  OUTSIDE,
  PLACE,
  PORT_FIRST,
  RUN_MS,
  RUNNING,
  type SharedMemory,
  STATE,
  STREAM_READ,
  state,
  WORDS,
} from '../layout.js';
import type { SharedExchange } from './exchange.js';

/** How many results ahead of the one that is read the next cell is fetched. Chosen by hand. */
const AHEAD = 4;
/** What was read is no value: the worker is not believed any more. */
const DAMAGED = Symbol('damaged');
/** The result was sent over the port, and could not be read. */
const LOST = Symbol('lost');

/** What one worker has completed: the hints in its ring, and the results in cells, in its stream, or come over its port. */
export class Completed {
  readonly #exchange: SharedExchange;
  readonly #events: LinkEvents;
  readonly #messages: WorkerMessages;
  /** Tasks that were sent to this worker and have not ended, by their ids: the link's. */
  readonly #sent: Map<number, Task>;
  readonly #seat: number;
  readonly #own: Int32Array;
  readonly #stream: Memory;
  readonly #reader: ValueReader;
  /** Results that came over the port, by cell. */
  readonly #posted = new Map<number, unknown>();
  #head = 0;
  /** How far `reclaim` has looked; it may lie behind `#head`. */
  #reclaimed = 0;
  /** The state of a cell whose task this worker has begun, whether it was to stop or not, with the lowest bit set. */
  readonly #endedState: number;
  /** Why nothing more of what the worker writes is believed: it is about to be ended. */
  #fault: Error | undefined;

  constructor(
    exchange: SharedExchange,
    { seat, own, stream, ownShapes }: SharedMemory,
    events: LinkEvents,
    messages: WorkerMessages,
    sent: Map<number, Task>,
  ) {
    this.#exchange = exchange;
    this.#events = events;
    this.#messages = messages;
    this.#sent = sent;
    this.#seat = seat;
    this.#own = int32sOf(own);
    this.#stream = memoryOf(stream);
    this.#reader = new ValueReader(new ShapeReader(ownShapes));
    this.#endedState = state(RUNNING, seat) | 1;
  }

  get hasAny(): boolean {
    return Atomics.load(this.#own, DONE_TAIL) !== this.#head && this.#fault === undefined;
  }

  /** A result came over the port; a hint that names its cell comes behind it. */
  post(cell: number, value: unknown): void {
    this.#posted.set(cell, value);
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
    // What a result does when it is told may drain, too, or close the pool: each is out of the ring before it is told.
    for (; ((end - this.#head) | 0) > 0 && this.#isBelieved; count++) {
      const at = this.#head;
      const hint = own[donePlace(at, sizes)]!;
      this.#head = (at + 1) | 0;
      // The cells ahead were written by the worker's core: to write to them has the processor fetch them meanwhile.
      if (((end - at) | 0) > AHEAD) words[own[donePlace(at + AHEAD, sizes)]! * WORDS + NAME] = 0;
      const runMs = doubles[hint * DOUBLES + RUN_MS]!;
      const isPlain =
        plain?.has(hint) === true &&
        (words[hint * WORDS + STATE]! | 1) === this.#endedState &&
        runMs >= 0 &&
        runMs < Number.POSITIVE_INFINITY;
      if (!isPlain) {
        this.#drainOne(hint);
        continue;
      }
      const form = words[hint * WORDS + FORM]!;
      const value =
        form === NUMBER ? doubles[hint * DOUBLES + INLINE_NUMBER]! : this.#read(hint, form & ~IS_ERROR);
      if (value === DAMAGED) break; // what is read next would be no better
      ranCount++;
      ranMs += runMs;
      runTimes.add(runMs);
      plain.runMs = runMs;
      cells.freePlain(hint);
      if ((form & IS_ERROR) === 0) plain.completed(hint, value, record);
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
      const cell = this.#own[donePlace(at, sizes)]! & ~PORT_FIRST;
      if (this.#hasBegun(cell)) count += cells.freeArguments(cell);
    }
    this.#reclaimed = tail;
    return count;
  }

  /** A worker that writes what cannot be is not to be trusted with more: it goes down, and its tasks with it. */
  distrust(fault: unknown): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault instanceof Error ? fault : new Error(String(fault));
    // Whoever has come upon it may be in the middle of handing tasks over.
    this.#exchange.platform.defer(() => this.#events.broken(fault));
  }

  get #isBelieved(): boolean {
    return this.#fault === undefined && !this.#messages.isClosed;
  }

  #hasBegun(cell: number): boolean {
    const { cells } = this.#exchange;
    return cells.isOut(cell) && cells.holder(cell) === this.#seat;
  }

  /** Hints of ended tasks from that place on: no more than there are tasks that have not ended, or the worker is not believed. */
  #pending(from: number): number {
    if (this.#fault !== undefined) return 0;
    const count = (Atomics.load(this.#own, DONE_TAIL) - from) | 0;
    if (count >= 0 && count <= this.#exchange.open) return count;
    this.distrust(untrue('the number of ended tasks', count, `0 to ${this.#exchange.open}`));
    return 0;
  }

  #drainOne(hint: number): void {
    const { cells, runTimes } = this.#exchange;
    if ((hint & PORT_FIRST) !== 0) this.#messages.drain();
    const cell = hint & ~PORT_FIRST;
    if (!this.#hasBegun(cell)) {
      return this.distrust(untrue('an ended task', cell, 'the cell of one that it has begun'));
    }
    const form = cells.words[cell * WORDS + FORM]!;
    const value = this.#read(cell, form & ~IS_ERROR);
    if (value === DAMAGED) return;
    const runMs = cells.doubles[cell * DOUBLES + RUN_MS]!;
    if (!(runMs >= 0 && runMs < Number.POSITIVE_INFINITY))
      return this.distrust(untrue('the running time of a task', runMs, 'milliseconds'));
    const task = cells.taskIn(cell)!;
    runTimes.add(runMs);
    if (this.#sent.size > 0) this.#sent.delete(task.id);
    cells.takeBack(cell);
    const isError = (form & IS_ERROR) !== 0;
    if (value === LOST) this.#events.failed(task, unreadable(isError ? 'thrown' : 'result'), runMs);
    else if (isError) this.#events.failed(task, decodeError(value as EncodedError), runMs);
    else this.#events.done(task, value, runMs);
    if (cells.payload(cell) !== task.payload) cells.freeIfHeld(cell);
  }

  #read(cell: number, form: number): unknown {
    const { words, doubles, memory } = this.#exchange.cells;
    try {
      switch (form) {
        case NOTHING:
          return undefined;
        case NUMBER:
          return doubles[cell * DOUBLES + INLINE_NUMBER];
        case IN_CELL:
          return this.#readAt(
            memory,
            cell * CELL_BYTES + INLINE_START,
            words[cell * WORDS + LENGTH]!,
            INLINE_BYTES,
          );
        case OUTSIDE:
          return this.#readStream(words[cell * WORDS + PLACE]!, words[cell * WORDS + LENGTH]!);
        case BY_PORT: {
          const value = this.#posted.has(cell) ? this.#posted.get(cell) : LOST;
          this.#posted.delete(cell);
          return value;
        }
        default:
          throw new Error(`threadwise: a result in an unknown form, ${form}`);
      }
    } catch (error) {
      this.distrust(error);
      return DAMAGED;
    }
  }

  #readStream(position: number, length: number): unknown {
    const size = this.#stream.u8.byteLength;
    const start = position & (size - 1);
    const value = this.#readAt(this.#stream, start, length, size - start);
    Atomics.store(this.#own, STREAM_READ, (position + length) | 0);
    return value;
  }

  #readAt(memory: Memory, start: number, length: number, most: number): unknown {
    if (length >= 0 && length <= most) return this.#reader.read(memory, start, start + length);
    throw untrue('the length of a result', length, `0 to ${most}`);
  }
}
