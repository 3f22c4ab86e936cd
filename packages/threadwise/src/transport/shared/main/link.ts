/** The main side of one worker's line through shared memory: its mailbox, what it completed, and its port. */
import type { Link, LinkEvents } from '../../../core/contracts.js';
import { unreadable } from '../../../core/calls/payload.js';
import type { Task } from '../../../core/calls/task.js';
import { decodeError, type EncodedError } from '../../codec/error-codec.js';
import { ShapeReader } from '../../codec/shape-book.js';
import { int32sOf, type Memory, memoryOf, readLatin1 } from '../../codec/value-memory.js';
import { ValueReader } from '../../codec/value-reader.js';
import { PortLink } from '../../port-link.js';
import { beganWithin, countWithin, untrue } from '../../trust.js';
import { CellPayload } from './cell-payload.js';
import type { SharedExchange } from './exchange.js';
import * as L from '../layout.js';
import { RESULT, type ToMain } from '../messages.js';
import { SPIN } from '../waiting.js';

/** How many results ahead of the one that is read the next cell is fetched. Chosen by hand. */
const AHEAD = 4;
/** Read in the place of a value if the bytes are none: then the worker is not trusted any more. */
const DAMAGED = Symbol('damaged');
/** Read in the place of a result that was sent over the port and could not be read. */
const LOST = Symbol('lost');

export class SharedLink extends PortLink implements Link {
  readonly seat: number;
  protected readonly own: Int32Array;
  protected readonly exchange: SharedExchange;
  /** Tasks that were sent to this worker and have not ended, by id. */
  readonly #sent = new Map<number, Task>();
  /** Cells of a dead worker that no call holds: kept until `close`, as it is yet to be asked whether their tasks had begun. */
  readonly #borrowed: number[] = [];
  readonly #stream: Memory;
  readonly #reader: ValueReader;
  /** Results that came over the port, by cell. */
  readonly #posted = new Map<number, unknown>();
  /** How many hints of completed tasks main has read. */
  #doneHead = 0;
  /** Up to where `reclaim` has looked; it may lie behind `#doneHead`. */
  #reclaimed = 0;
  /** The state of a cell whose task this worker has begun, with the lowest bit set: that makes RUNNING and ABORTING the same. */
  readonly #endedState: number;
  /** Results that callers were told of and the pool was not; how many of these are of plain calls, and for how many milliseconds those ran. */
  #untold = 0;
  #ranCount = 0;
  #ranMs = 0;
  /** Whether main trusts the worker. If not, it is about to be ended. */
  #isTrusted = true;

  constructor(exchange: SharedExchange, memory: L.SharedMemory, events: LinkEvents) {
    super(exchange.platform, events, { transport: exchange.name, memory });
    this.seat = memory.seat;
    this.own = int32sOf(memory.own);
    this.exchange = exchange;
    this.#stream = memoryOf(memory.stream);
    this.#reader = new ValueReader(new ShapeReader(memory.ownShapes));
    this.#endedState = L.state(L.RUNNING, this.seat) | 1;
  }

  get room(): number {
    return this.exchange.cells.hasFree ? this.#places : 0;
  }

  hasRoomFor({ payload }: Task): boolean {
    return (payload instanceof CellPayload ? this.#places : this.room) > 0;
  }

  get #places(): number {
    const { sizes, linkCapacity } = this.exchange;
    const mailed = (Atomics.load(this.own, L.MAIL_TAIL) - Atomics.load(this.own, L.MAIL_HEAD)) | 0;
    if (mailed >= 0 && mailed <= sizes.mail)
      return Math.min(linkCapacity - this.#sent.size, sizes.mail - mailed);
    this.#distrust(untrue('the number of unread mailed tasks', mailed, `0 to ${sizes.mail}`));
    return 0;
  }

  send(task: Task): void {
    const { cells, sizes, drain } = this.exchange;
    const cell = this.exchange.cellFor(task);
    if (cell < 0) throw new Error('threadwise: no free cell for a task that is sent');
    if (cells.isByPort(cell))
      this.exchange.postArguments(task, cell, (posted) => this.tell(posted, posted[5]));
    this.#sent.set(task.id, task);
    cells.keep(cell, task);
    const tail = Atomics.load(this.own, L.MAIL_TAIL);
    this.own[L.mailPlace(tail, sizes)] = cells.post(cell, task.id, this.seat);
    Atomics.store(this.own, L.MAIL_TAIL, (tail + 1) | 0);
    drain.mailed(this.seat);
  }

  withdraw(task: Task): boolean {
    const isWithdrawn = this.exchange.pull.withdraw(task);
    if (isWithdrawn) this.#sent.delete(task.id);
    return isWithdrawn;
  }

  get pulled(): number {
    const { board, cells } = this.exchange;
    return countWithin(Atomics.load(board.words, L.pulledOf(this.seat)), cells.outCount);
  }

  startedAt({ cell }: Task): number | undefined {
    const { cells, platform } = this.exchange;
    if (cell < 0 || cells.holder(cell) !== this.seat) return undefined;
    return beganWithin(cells.doubles[cell * L.DOUBLES + L.BEGAN]!, platform.now());
  }

  override abort(task: Task, reason: unknown): void {
    super.abort(task, reason);
    this.exchange.cells.abort(task.cell); // after the message, so that a worker that sees the word finds the reason
  }

  adopt(): readonly Task[] {
    const { cells } = this.exchange;
    const begun: Task[] = [];
    for (const cell of this.#begunCells()) {
      const task = cells.taskIn(cell);
      if (task === undefined || this.#sent.has(task.id)) continue;
      cells.adopt(cell);
      this.#sent.set(task.id, task);
      begun.push(task);
    }
    return begun;
  }

  *#begunCells(): Generator<number> {
    for (let cell = 0; cell < this.exchange.cells.usedCount; cell++) if (this.#hasBegun(cell)) yield cell;
  }

  #hasBegun(cell: number): boolean {
    const { cells } = this.exchange;
    return cells.isOut(cell) && cells.holder(cell) === this.seat;
  }

  protected override hear(message: ToMain): void {
    if (message[0] === RESULT) this.#posted.set(message[1], message[2]);
    else super.hear(message);
  }

  protected override taskOf(id: number): Task | undefined {
    const sent = this.#sent.get(id);
    if (sent !== undefined) return sent;
    const { cells } = this.exchange;
    for (const cell of this.#begunCells()) if (L.idWord(cells.idIn(cell)) === id) return cells.taskIn(cell);
    return undefined;
  }

  forestall(): boolean {
    return Atomics.compareExchange(this.own, L.STAGE, L.NOT_READY, L.FORESTALLED) !== L.READY;
  }

  wake(): void {
    this.exchange.board.wake(this.seat);
  }

  dismiss(): void {
    this.exchange.board.dismiss(this.seat);
  }

  /** X2, X3. */
  bury(): void {
    const { cells, pull } = this.exchange;
    for (const task of this.#sent.values()) {
      const { cell } = task;
      if (pull.withdraw(task)) continue;
      cells.takeBack(cell);
      cells.payload(cell).isSpoilt = true;
      if (cells.payload(cell) !== task.payload) this.#borrowed.push(cell);
    }
    this.#sent.clear();
  }

  override close(): void {
    for (const cell of this.#borrowed) this.exchange.cells.freeIfHeld(cell);
    super.close();
    this.exchange.leave(this.seat);
  }

  get hasDone(): boolean {
    return Atomics.load(this.own, L.DONE_TAIL) !== this.#doneHead && this.#isTrusted;
  }

  override drain(): void {
    super.drain();
    this.drainDone(Number.POSITIVE_INFINITY);
    this.settleUp();
  }

  settleUp(): void {
    if (this.#untold === 0) return;
    const ranCount = this.#ranCount;
    const ranMs = this.#ranMs;
    this.#untold = this.#ranCount = this.#ranMs = 0;
    this.exchange.cells.plain?.endBatch();
    if (ranCount > 0) this.events.ranPlain(ranCount, ranMs);
    this.events.settledBatch();
  }

  /** Handles at most `most` completed tasks; returns how many. The pool is told by `settleUp`. */
  drainDone(most: number): number {
    const { cells, sizes, runTimes, drain } = this.exchange;
    const { plain, words, doubles } = cells;
    const { own, events } = this;
    const { record } = events;
    // The tail is read once for the batch: the worker writes it with each completion, and fetching it anew costs as much as a result.
    const ready = this.#pending();
    if (ready === 0) return 0;
    const end = (this.#doneHead + Math.min(most, ready)) | 0;
    plain?.beginBatch();
    let count = 0;
    let ranCount = 0;
    let ranMs = 0;
    // A continuation may drain, too, or close the pool: so each hint leaves the ring before its caller is told.
    for (; ((end - this.#doneHead) | 0) > 0 && this.#isTrusted && !this.isClosed; count++) {
      const at = this.#doneHead;
      let cell = own[L.donePlace(at, sizes)]!;
      this.#doneHead = (at + 1) | 0;
      if ((cell & L.PORT_FIRST) !== 0) {
        super.drain();
        cell &= ~L.PORT_FIRST;
      }
      // The cells ahead were written by the worker's core: to write to them has the processor fetch them meanwhile. TASK_ID is
      // the only word of a cell that is written anew also when its task is tried again, so this write destroys nothing.
      if (((end - at) | 0) > AHEAD) words[own[L.donePlace(at + AHEAD, sizes)]! * L.WORDS + L.TASK_ID] = 0;
      if ((words[cell * L.WORDS + L.STATE]! | 1) !== this.#endedState) {
        this.#distrustEnd(cell);
        break;
      }
      const runMs = doubles[cell * L.DOUBLES + L.RUN_MS]!;
      if (!(runMs >= 0 && runMs < Number.POSITIVE_INFINITY)) {
        this.#distrust(untrue('the running time of a task', runMs, 'milliseconds'));
        break;
      }
      const form = words[cell * L.WORDS + L.FORM]!;
      const value = form === L.NUMBER ? L.numberIn(doubles, cell) : this.#read(cell, form & ~L.IS_ERROR);
      if (value === DAMAGED) break; // what is read next would be no better
      runTimes.add(runMs);
      const isResult = (form & L.IS_ERROR) === 0 && value !== LOST;
      if (plain?.has(cell) === true) {
        ranCount++;
        ranMs += runMs;
        plain.runMs = runMs;
        cells.freePlain(cell);
        if (isResult) plain.completed(cell, value, record);
        else plain.failed(cell, errorOf(value, form), record);
        continue;
      }
      const task = this.#hasBegun(cell) ? cells.taskIn(cell) : undefined;
      if (task === undefined) {
        this.#distrustEnd(cell);
        break;
      }
      if (this.#sent.delete(task.id) && (task.moves || runMs > SPIN.mostMs)) drain.isAwaited = true;
      cells.takeBack(cell);
      if (isResult) events.done(task, value, runMs);
      else events.failed(task, errorOf(value, form), runMs);
      if (cells.payload(cell) !== task.payload) cells.freeIfHeld(cell);
    }
    this.#untold += count;
    this.#ranCount += ranCount;
    this.#ranMs += ranMs;
    return count;
  }

  /** Gives back the blocks with the arguments of tasks that are completed and whose callers were not told yet. Returns how many there were. */
  reclaim(): number {
    const { cells, sizes } = this.exchange;
    const pending = this.#pending();
    const tail = (this.#doneHead + pending) | 0;
    let at = L.isAmongLast(pending, tail, this.#reclaimed) ? this.#reclaimed : this.#doneHead;
    let count = 0;
    for (; at !== tail; at = (at + 1) | 0) {
      const cell = this.own[L.donePlace(at, sizes)]! & ~L.PORT_FIRST;
      if (this.#hasBegun(cell)) count += cells.freeArguments(cell);
    }
    this.#reclaimed = tail;
    return count;
  }

  /** The worker has written what cannot be true: ends it. Later, as main may have found this in the middle of handing tasks over. */
  #distrust(fault: unknown): void {
    if (this.#isTrusted) this.platform.defer(() => this.events.broken(fault));
    this.#isTrusted = false;
  }

  #distrustEnd(cell: number): void {
    this.#distrust(untrue('an ended task', cell, 'the cell of one that it has begun'));
  }

  /** How many hints of ended tasks main has not read. */
  #pending(): number {
    if (!this.#isTrusted) return 0;
    const { outCount } = this.exchange.cells;
    const count = (Atomics.load(this.own, L.DONE_TAIL) - this.#doneHead) | 0;
    if (count >= 0 && count <= outCount) return count;
    this.#distrust(untrue('the number of ended tasks', count, `0 to ${outCount}`));
    return 0;
  }

  /** Reads a result. @param form of layout.ts, without its flags */
  #read(cell: number, form: number): unknown {
    try {
      const { words, doubles, memory } = this.exchange.cells;
      const length = words[cell * L.WORDS + L.LENGTH]!;
      const start = cell * L.CELL_BYTES + L.INLINE_START;
      switch (form) {
        case L.NOTHING:
          return undefined;
        case L.NUMBER:
          return L.numberIn(doubles, cell);
        case L.LATIN1:
          checkLength(length, L.INLINE_BYTES);
          return readLatin1(memory, start, length);
        case L.IN_CELL:
          checkLength(length, L.INLINE_BYTES);
          return this.#reader.read(memory, start, start + length);
        case L.OUTSIDE: {
          const position = words[cell * L.WORDS + L.PLACE]!;
          const size = this.#stream.u8.byteLength;
          const from = position & (size - 1);
          checkLength(length, size - from);
          const value = this.#reader.read(this.#stream, from, from + length);
          Atomics.store(this.own, L.STREAM_READ, (position + length) | 0);
          return value;
        }
        case L.BY_PORT: {
          const value = this.#posted.has(cell) ? this.#posted.get(cell) : LOST;
          this.#posted.delete(cell);
          return value;
        }
        default:
          throw new Error(`threadwise: a result in an unknown form, ${form}`);
      }
    } catch (error) {
      this.#distrust(error);
      return DAMAGED;
    }
  }
}

function checkLength(length: number, most: number): void {
  if (!(length >= 0 && length <= most)) throw untrue('the length of a result', length, `0 to ${most}`);
}

function errorOf(value: unknown, form: number): unknown {
  if (value === LOST) return unreadable((form & L.IS_ERROR) === 0 ? 'result' : 'thrown');
  return decodeError(value as EncodedError);
}
