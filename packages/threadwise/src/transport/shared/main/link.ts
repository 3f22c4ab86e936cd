/** The main side of one worker's line through shared memory: its mailbox, what it completed, and its port. */
import type { Link, LinkEvents, Wire } from '../../../core/contracts.js';
import { LeaseStore } from '../../../core/lease.js';
import { unreadable } from '../../../core/calls/payload.js';
import type { Task } from '../../../core/calls/task.js';
import { decodeError, type EncodedError } from '../../codec/error-codec.js';
import { shapeBookByteLength } from '../../codec/shapes/shape-book.js';
import { int32sOf } from '../../codec/value-memory.js';
import { PortLink } from '../../port-link.js';
import { forestall } from '../../stage.js';
import { beganWithin, countWithin, untrue } from '../../trust.js';
import type { MessageToMain } from '../../messages.js';
import { CellPayload } from './cell-payload.js';
import type { SharedExchange } from './exchange.js';
import {
  CELL_BYTES,
  DONE_TAIL,
  donePlace,
  FORM,
  INLINE_NUMBER,
  IS_ERROR,
  MAIL_HEAD,
  MAIL_TAIL,
  mailPlace,
  NAME,
  NUMBER,
  PORT_FIRST,
  pulledOf,
  RUN_MS,
  RUNNING,
  type SharedMemory,
  STAGE,
  STATE,
  seatByteLength,
  state,
} from '../layout.js';
import { LOST, Results } from './results.js';
import { ARGUMENTS, RESULT, type ToMain } from '../messages.js';

const WORDS = CELL_BYTES / 4;
const DOUBLES = CELL_BYTES / 8;

/** How many results ahead of the one that is read the next cell is fetched. Chosen by hand. */
const AHEAD = 4;
const DAMAGED = Symbol('damaged');

export class SharedLink extends PortLink implements Link {
  readonly wire: Wire;
  readonly #exchange: SharedExchange;
  readonly #seat: number;
  readonly #own: Int32Array;
  readonly #results: Results;
  readonly #capacity: number;
  /** Tasks that were sent to this worker and have not ended, by their numbers. */
  readonly #sent = new Map<number, Task>();
  /** Cells of a dead worker that no call holds any more: whether they had begun is yet to be asked. */
  #borrowed: number[] = [];
  #doneHead = 0;
  /** The state of a cell whose task this worker has begun, whether it was to stop or not, with the lowest bit set. */
  readonly #endedState: number;
  /** Plain calls of this batch, and how long they ran altogether. */
  #ranCount = 0;
  #ranMs = 0;
  /** Why nothing more of what the worker writes is believed: it is about to be ended. */
  #fault: Error | undefined;
  /** How far `reclaim` has looked; it may lie behind `#doneHead`. */
  #reclaimed = 0;

  constructor(
    exchange: SharedExchange,
    memory: Omit<SharedMemory, 'own' | 'stream' | 'ownShapes'>,
    events: LinkEvents,
    capacity: number,
  ) {
    super(exchange.platform, events);
    const { platform, sizes } = exchange;
    const own = platform.sharedMemory(seatByteLength(sizes));
    const stream = platform.sharedMemory(sizes.stream);
    const ownShapes = platform.sharedMemory(shapeBookByteLength());
    const all: SharedMemory = { ...memory, own, stream, ownShapes };
    this.wire = { transport: exchange.name, port: this.far, memory: all };
    this.#exchange = exchange;
    this.#seat = memory.seat;
    this.#endedState = state(RUNNING, memory.seat) | 1;
    this.#own = int32sOf(own);
    this.#results = new Results(exchange.cells, this.#own, stream, ownShapes);
    this.#capacity = capacity;
  }

  get room(): number {
    return this.#exchange.cells.hasFree ? this.#places : 0;
  }

  hasRoomFor(task: Task): boolean {
    return (task.payload instanceof CellPayload || this.#exchange.cells.hasFree) && this.#places > 0;
  }

  forestall(): boolean {
    return forestall(this.#own, STAGE);
  }

  get #places(): number {
    const { mail } = this.#exchange.sizes;
    const mailed = (Atomics.load(this.#own, MAIL_TAIL) - Atomics.load(this.#own, MAIL_HEAD)) | 0;
    if (mailed >= 0 && mailed <= mail) return Math.min(this.#capacity - this.#sent.size, mail - mailed);
    this.#distrust(untrue('the number of unread mailed tasks', mailed, `0 to ${mail}`));
    return 0;
  }

  get pulled(): number {
    return countWithin(Atomics.load(this.#exchange.board.words, pulledOf(this.#seat)), this.#exchange.open);
  }

  get hasDone(): boolean {
    return Atomics.load(this.#own, DONE_TAIL) !== this.#doneHead && this.#fault === undefined;
  }

  send(task: Task): void {
    const { cells, board, sizes, drain } = this.#exchange;
    const cell = this.#exchange.cellFor(task);
    if (cell < 0) throw new Error('threadwise: no free cell for a task that is sent');
    task.cell = cell;
    if (cells.isByPort(cell)) {
      this.tell([ARGUMENTS, cell, task.id, task.wireName, argumentsOf(task)], task.payload.transfer);
    }
    this.#sent.set(task.id, task);
    cells.post(cell, task, this.#seat);
    const tail = Atomics.load(this.#own, MAIL_TAIL);
    this.#own[mailPlace(tail, sizes)] = cell;
    Atomics.store(this.#own, MAIL_TAIL, (tail + 1) | 0);
    board.wake(this.#seat);
    drain.expect();
  }

  withdraw(task: Task): boolean {
    if (this.#sent.get(task.id) !== task) return this.#exchange.pull.withdraw(task);
    if (!this.#exchange.cells.withdraw(task.cell, this.#exchange.tail)) return false;
    this.#sent.delete(task.id);
    this.#exchange.parked(task);
    return true;
  }

  wake(): void {
    this.#exchange.board.wake(this.#seat);
  }

  startedAt(task: Task): number | undefined {
    const { cells, platform } = this.#exchange;
    if (task.cell < 0 || cells.holder(task.cell) !== this.#seat) return undefined;
    return beganWithin(cells.began(task.cell), platform.now());
  }

  override abort(task: Task, reason: unknown): void {
    super.abort(task, reason);
    this.#exchange.cells.abort(task.cell); // after the message, so that whoever sees the word finds the reason
  }

  override drain(): void {
    super.drain();
    this.drainDone(Number.POSITIVE_INFINITY);
  }

  adopt(): readonly Task[] {
    const { cells } = this.#exchange;
    const begun: Task[] = [];
    for (let cell = 0; cell < cells.usedCount; cell++) {
      if (!cells.isOut(cell) || cells.holder(cell) !== this.#seat) continue;
      const task = cells.taskIn(cell);
      if (task === undefined || this.#sent.has(task.id)) continue;
      cells.adopt(cell);
      this.#sent.set(task.id, task);
      begun.push(task);
    }
    return begun;
  }

  /** X2, X3. */
  bury(): void {
    const { cells } = this.#exchange;
    for (const task of this.#sent.values()) {
      const { cell } = task;
      if (cells.withdraw(cell, this.#exchange.tail)) {
        this.#exchange.parked(task);
        continue;
      }
      cells.takeBack(cell);
      cells.payload(cell).isSpoilt = true;
      if (cells.payload(cell) !== task.payload) this.#borrowed.push(cell);
    }
    this.#sent.clear();
  }

  override close(): void {
    for (const cell of this.#borrowed) this.#exchange.cells.freeIfHeld(cell);
    super.close();
    this.#exchange.leave(this.#seat);
  }

  /** Handles at most `most` completed tasks; returns how many it did. */
  drainDone(most: number): number {
    const { cells, sizes } = this.#exchange;
    const { plain, words } = cells;
    const [own, { record }] = [this.#own, this.events];
    // Read once for the batch: the worker writes it with each completion, and fetching it anew costs as much as a result.
    const ready = this.#pending(this.#doneHead);
    if (ready === 0) return 0;
    const end = (this.#doneHead + Math.min(most, ready)) | 0;
    plain?.beginBatch();
    let count = 0;
    // What a result does when it is told may drain, too, or close the pool: each is out of the ring before it is told.
    for (; ((end - this.#doneHead) | 0) > 0 && this.#isBelieved; count++) {
      const at = this.#doneHead;
      const hint = own[donePlace(at, sizes)]!;
      this.#doneHead = (at + 1) | 0;
      // The cells ahead were written by the worker's core: to write to them has the processor fetch them meanwhile.
      if (((end - at) | 0) > AHEAD) words[own[donePlace(at + AHEAD, sizes)]! * WORDS + NAME] = 0;
      const runMs = cells.doubles[hint * DOUBLES + RUN_MS]!;
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
        form === NUMBER
          ? cells.doubles[hint * DOUBLES + INLINE_NUMBER]!
          : this.#readOrDistrust(hint, form & ~IS_ERROR);
      if (value === DAMAGED) break; // what is read next would be no better
      this.#ranCount++;
      this.#ranMs += runMs;
      this.#exchange.runTimes.add(runMs);
      plain.runMs = runMs;
      cells.freePlain(hint);
      if ((form & IS_ERROR) === 0) plain.completed(hint, value, record);
      else plain.failed(hint, decodeError(value as EncodedError), record);
    }
    plain?.endBatch();
    if (this.#ranCount > 0) this.#tellRan();
    if (count > 0) this.events.settledBatch();
    return count;
  }

  get #isBelieved(): boolean {
    return this.#fault === undefined && !this.isClosed;
  }

  #tellRan(): void {
    const [count, ms] = [this.#ranCount, this.#ranMs];
    this.#ranCount = 0;
    this.#ranMs = 0;
    this.events.ranPlain(count, ms);
  }

  /**
   * Gives back the blocks with the arguments of tasks that are completed, before it is told: K2 is behind them, and nobody looks at
   * those any more but to write them anew. Returns how many there were.
   */
  reclaim(): number {
    const { cells, sizes } = this.#exchange;
    let at = ((this.#reclaimed - this.#doneHead) | 0) > 0 ? this.#reclaimed : this.#doneHead;
    const tail = (at + this.#pending(at)) | 0;
    let count = 0;
    for (; at !== tail; at = (at + 1) | 0) {
      const cell = this.#own[donePlace(at, sizes)]! & ~PORT_FIRST;
      if (cells.isOut(cell) && cells.holder(cell) === this.#seat) count += cells.freeArguments(cell);
    }
    this.#reclaimed = tail;
    return count;
  }

  /** Hints of ended tasks from that place on: no more than there are tasks that have not ended, or the worker is not believed. */
  #pending(from: number): number {
    if (this.#fault !== undefined) return 0;
    const count = (Atomics.load(this.#own, DONE_TAIL) - from) | 0;
    if (count >= 0 && count <= this.#exchange.open) return count;
    this.#distrust(untrue('the number of ended tasks', count, `0 to ${this.#exchange.open}`));
    return 0;
  }

  /** A worker that writes what cannot be is not to be trusted with more: it goes down, and its tasks with it. */
  #distrust(fault: unknown): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault instanceof Error ? fault : new Error(String(fault));
    // Whoever has come upon it may be in the middle of handing tasks over.
    this.#exchange.platform.defer(() => this.events.broken(fault));
  }

  #drainOne(hint: number): void {
    const { cells } = this.#exchange;
    if ((hint & PORT_FIRST) !== 0) super.drain();
    const cell = hint & ~PORT_FIRST;
    if (!cells.isOut(cell) || cells.holder(cell) !== this.#seat) {
      return this.#distrust(untrue('an ended task', cell, 'the cell of one that it has begun'));
    }
    const form = cells.words[cell * WORDS + FORM]!;
    const value = this.#readOrDistrust(cell, form & ~IS_ERROR);
    if (value === DAMAGED) return;
    const runMs = cells.doubles[cell * DOUBLES + RUN_MS]!;
    if (!(runMs >= 0 && runMs < Number.POSITIVE_INFINITY)) {
      return this.#distrust(untrue('the running time of a task', runMs, 'milliseconds'));
    }
    const task = cells.taskIn(cell)!;
    this.#exchange.runTimes.add(runMs);
    if (this.#sent.size > 0) this.#sent.delete(task.id);
    cells.takeBack(cell);
    if (value === LOST)
      this.events.failed(task, unreadable((form & IS_ERROR) === 0 ? 'result' : 'thrown'), runMs);
    else if ((form & IS_ERROR) === 0) this.events.done(task, value, runMs);
    else this.events.failed(task, decodeError(value as EncodedError), runMs);
    if (cells.payload(cell) !== task.payload) cells.freeIfHeld(cell);
  }

  #readOrDistrust(cell: number, form: number): unknown {
    try {
      return this.#results.read(cell, form);
    } catch (error) {
      this.#distrust(error);
      return DAMAGED;
    }
  }

  protected override hear(message: ToMain): void {
    if (message[0] === RESULT) this.#results.post(message[1] as number, message[2]);
    else super.hear(message as MessageToMain);
  }

  protected override taskOf(id: number): Task | undefined {
    const sent = this.#sent.get(id);
    if (sent !== undefined) return sent;
    // Rare enough to be looked for: a task out of the ring that speaks.
    const { cells } = this.#exchange;
    for (let cell = 0; cell < cells.usedCount; cell++) {
      if (cells.isOut(cell) && cells.idIn(cell) === id && cells.holder(cell) === this.#seat) {
        return cells.taskIn(cell);
      }
    }
    return undefined;
  }
}

/** What goes over a port where shared memory cannot carry the arguments of a task. */
export function argumentsOf({ payload }: Task): readonly unknown[] {
  return payload.args.map((value) => LeaseStore.of(value)?.bytes ?? value);
}
