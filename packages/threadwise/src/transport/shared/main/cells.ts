/** Main's side of the cells: gives them out, writes arguments into them, reads results, takes them back. */
import type { PlainCalls } from '../../../core/calls/plain-calls.js';
import type { Task } from '../../../core/calls/task.js';
import type { PlainSlots } from '../../../core/contracts.js';
import { float64sOf, int32sOf, type Memory, memoryOf, writeLatin1 } from '../../codec/value-memory.js';
import type { ValueWriter } from '../../codec/value-writer.js';
import type { Arena } from './arena.js';
import { CellPayload } from './cell-payload.js';
import * as L from '../layout.js';

/** The share of all cells that is kept for tasks that have no cell and are about to be sent, in front of those that wait with one. Chosen by hand. */
const KEPT_SHARE = 1 / 128;
/** Who has a cell: nobody; main, which has written arguments into it; the worker that it was posted for, or that has begun it; all workers. */
const UNUSED = 0;
const HELD = 1;
const OUT = 2;
const OFFERED = 3;

export class Cells implements PlainSlots {
  readonly count: number;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly memory: Memory;
  plain: PlainCalls | undefined;
  /** The records of the calls in cells that are out, where there are any. */
  readonly #tasks: (Task | undefined)[] = [];
  /** Cells that are out, and of those the ones that were posted for all. */
  outCount = 0;
  offeredCount = 0;
  /** That of the next posting. It only grows: state words and hints have its lowest bits. */
  nextStamp = 1;
  /** What stands for the arguments of each cell that was ever given out; undefined where none of its calls has needed that yet. */
  readonly #payloads: (CellPayload | undefined)[] = [];
  readonly #owners: Uint8Array;
  /** Cells that were freed: the last one is used first. Only if there is none is a cell used for the first time: so a short program touches few. */
  readonly #free: Int32Array;
  #freeCount = 0;
  readonly #kept: number;
  readonly values: ValueWriter;
  /** What a payload writes first where it does not know how long it will be. */
  scratch: Memory | undefined;
  readonly arena: Arena;

  constructor(buffer: ArrayBufferLike, values: ValueWriter, arena: Arena) {
    const count = buffer.byteLength / L.CELL_BYTES;
    this.count = count;
    this.words = int32sOf(buffer);
    this.doubles = float64sOf(buffer);
    this.memory = memoryOf(buffer);
    this.values = values;
    this.arena = arena;
    this.#owners = new Uint8Array(count);
    this.#free = new Int32Array(count);
    this.#kept = Math.max(1, count * KEPT_SHARE);
  }

  get hasFree(): boolean {
    return this.#freeCount > 0 || this.#payloads.length < this.count;
  }

  /** Whether a call may have a cell as soon as it is made. */
  get hasSpare(): boolean {
    return this.#freeCount + this.count - this.#payloads.length > this.#kept;
  }

  /**
   * `write`, `lend` and `post` of a plain call, for all workers, in one function: V8 compiles each function that is called often, and those that it
   * calls again with it, and for a short program that took longer than the calls. Returns the hint; -1 where the call needs more than this does.
   */
  enter(nameId: number, args: readonly unknown[], id: number): number {
    const { words, doubles } = this;
    const payloads = this.#payloads;
    const { length } = args;
    // This is read before a cell is taken: `args[0]` may be a getter, which throws, or which closes or pauses the pool.
    const first = args[0];
    if (this.#isShut) return -1;
    if (this.#freeCount + this.count - payloads.length <= this.#kept) return -1; // `hasSpare`
    const cell = this.#freeCount > 0 ? this.#free[--this.#freeCount]! : payloads.push(undefined) - 1; // `#take`
    const at = cell * L.WORDS;
    words[at + L.NAME] = nameId;
    if (length === 1 && typeof first === 'number') {
      words[at + L.FORM] = L.NUMBER;
      doubles[cell * L.DOUBLES + L.INLINE_NUMBER] = first;
    } else if (length !== 1 || typeof first !== 'string' || !this.#writeText(cell, first)) {
      this.#owners[cell] = HELD; // an argument may have a getter that makes a call
      if (!this.#writeOrFree(cell, args)) return -1;
      if (this.#isShut) {
        this.freeIfHeld(cell); // a getter has closed the pool, or paused it
        return -1;
      }
      payloads[cell]?.lend();
    }
    this.outCount++;
    this.offeredCount++;
    this.#owners[cell] = OFFERED;
    words[at + L.TASK_ID] = id;
    doubles[cell * L.DOUBLES + L.BEGAN] = 0;
    doubles[cell * L.DOUBLES + L.RUN_MS] = 0;
    const stamp = L.stampBits(this.nextStamp++);
    Atomics.store(words, at + L.STATE, stamp | L.POSTED_FOR_ALL);
    return stamp | cell;
  }

  /** Whether the pool takes no plain calls any more: it is closed or paused, for instance. */
  get #isShut(): boolean {
    return this.plain?.isOpen === false;
  }

  /** A cell with the arguments in it, of which buffers will perhaps be moved; -1: no cell is free, or they can only go by port. */
  write(nameId: number, args: readonly unknown[], areMoved = false): number {
    const cell = this.#take();
    if (cell < 0) return -1;
    this.words[cell * L.WORDS + L.NAME] = nameId;
    return this.#writeOrFree(cell, args, areMoved) ? cell : -1;
  }

  #writeOrFree(cell: number, args: readonly unknown[], areMoved = false): boolean {
    let isWritten = false;
    try {
      isWritten = this.#write(cell, args, areMoved);
    } finally {
      if (!isWritten) this.freeIfHeld(cell);
    }
    return isWritten;
  }

  /** False: they can only go by port. */
  #write(cell: number, args: readonly unknown[], areMoved: boolean): boolean {
    const { length } = args;
    const first = args[0];
    if (length === 0 || (length === 1 && typeof first === 'number')) {
      this.words[cell * L.WORDS + L.FORM] = length === 0 ? L.NOTHING : L.NUMBER;
      if (length === 1) this.doubles[cell * L.DOUBLES + L.INLINE_NUMBER] = first as number;
      return true;
    }
    if (length === 1 && typeof first === 'string' && this.#writeText(cell, first)) return true;
    return this.payload(cell).write(args, areMoved);
  }

  /** False, and nothing is written: the text is too long, or a character needs more than a byte. */
  #writeText(cell: number, text: string): boolean {
    const start = cell * L.CELL_BYTES + L.INLINE_START;
    if (writeLatin1(text, this.memory, start, start + L.INLINE_BYTES) < 0) return false;
    this.words[cell * L.WORDS + L.FORM] = L.LATIN1;
    this.words[cell * L.WORDS + L.LENGTH] = text.length;
    return true;
  }

  /** A cell for a task whose arguments go over the port; -1 where none is free. */
  reserve(): number {
    const cell = this.#take();
    if (cell >= 0) this.words[cell * L.WORDS + L.FORM] = L.BY_PORT;
    return cell;
  }

  /** Writes the arguments of a task anew if the death of its worker may have spoilt them. */
  rewrite(payload: CellPayload): void {
    if (!payload.isSpoilt) return;
    payload.isSpoilt = false;
    payload.freeBlock();
    if (!this.#write(payload.cell, payload.args, false))
      this.words[payload.cell * L.WORDS + L.FORM] = L.BY_PORT;
  }

  /** Frees the arguments of a task that has ended; if it is tried again, they are written anew. Returns the number of blocks freed. */
  freeArguments(cell: number): number {
    return this.#payloads[cell]?.freeBlock() ?? 0;
  }

  isByPort(cell: number): boolean {
    return this.words[cell * L.WORDS + L.FORM] === L.BY_PORT;
  }

  /** How many cells were ever given out. */
  get usedCount(): number {
    return this.#payloads.length;
  }

  /** The record of the call in a cell that is out; a plain call gets one. */
  taskIn(cell: number): Task | undefined {
    return this.#tasks[cell] ?? (this.plain?.has(cell) === true ? this.plain.inflate(cell) : undefined);
  }

  isOut(cell: number): boolean {
    return this.#owners[cell]! >= OUT;
  }

  idIn(cell: number): number {
    return this.#tasks[cell]?.id ?? this.plain!.idOf(cell);
  }

  keep(cell: number, task: Task): void {
    this.#tasks[cell] = task;
    task.cell = cell;
  }

  /** O2, O3. Returns the hint. For a call with a record, `keep` has to be called, too. @param seat for whom; -1: for all */
  post(cell: number, id: number, seat: number, priority = 0): number {
    this.outCount++;
    if (seat < 0) this.offeredCount++;
    this.#owners[cell] = seat < 0 ? OFFERED : OUT;
    this.words[cell * L.WORDS + L.TASK_ID] = id;
    this.doubles[cell * L.DOUBLES + L.BEGAN] = 0;
    this.doubles[cell * L.DOUBLES + L.RUN_MS] = priority; // for a coordinator
    const stamp = L.stampBits(this.nextStamp++);
    Atomics.store(this.words, cell * L.WORDS + L.STATE, stamp | L.state(L.POSTED, seat));
    return stamp | cell;
  }

  #state(cell: number): number {
    return Atomics.load(this.words, cell * L.WORDS + L.STATE);
  }

  /** Takes back a task that has not begun. Returns false if it has. */
  withdraw(cell: number): boolean {
    if (!this.isOut(cell)) return false;
    let word: number;
    // If the exchange fails, a worker has begun the task, or a coordinator has assigned it, which happens once.
    do {
      word = this.#state(cell);
      if (L.phaseOf(word) !== L.POSTED) return false;
    } while (Atomics.compareExchange(this.words, cell * L.WORDS + L.STATE, word, L.FREE) !== word);
    this.takeBack(cell);
    return true;
  }

  /** Main has the cell again. Its state stays, for later questions. */
  takeBack(cell: number): void {
    this.outCount--;
    if (this.#owners[cell] === OFFERED) this.offeredCount--;
    this.#owners[cell] = HELD;
    this.#tasks[cell] = undefined;
  }

  /** The seat of the worker that has begun the task in a cell, or -1. */
  holder(cell: number): number {
    const word = this.#state(cell);
    return L.phaseOf(word) >= L.RUNNING ? L.seatOf(word) : -1;
  }

  hasBegun(cell: number): boolean {
    return this.holder(cell) >= 0;
  }

  /** Whether any worker may begin what the hint is of. */
  isOffered(hint: number): boolean {
    const cell = L.cellOf(hint);
    return this.isOut(cell) && this.#state(cell) === L.postedBy(hint, L.POSTED_FOR_ALL);
  }

  /** Whether the cell was posted for all workers, and none has begun its task; a coordinator may have assigned it to one. */
  isUnbegun(cell: number): boolean {
    return this.#owners[cell] === OFFERED && L.phaseOf(this.#state(cell)) === L.POSTED;
  }

  /** The seat of the worker that a coordinator has assigned the cell to and that has not begun its task; -1: none. */
  assignedTo(cell: number): number {
    return this.isUnbegun(cell) ? L.seatOf(this.#state(cell)) : -1;
  }

  /** `takeBack` and `freeIfHeld` of a plain call that has ended. */
  freePlain(cell: number): void {
    this.outCount--;
    if (this.#owners[cell] === OFFERED) this.offeredCount--;
    const payload = this.#payloads[cell];
    if (payload?.holds) {
      this.#owners[cell] = HELD;
      payload.onSettled(false);
      return;
    }
    this.#owners[cell] = UNUSED;
    this.#free[this.#freeCount++] = cell;
  }

  abort(cell: number): void {
    const seat = this.holder(cell);
    const at = cell * L.WORDS + L.STATE;
    if (seat >= 0)
      Atomics.compareExchange(this.words, at, L.state(L.RUNNING, seat), L.state(L.ABORTING, seat));
  }

  /** The cell counts as posted for the worker that has begun its task. */
  adopt(cell: number): void {
    if (this.#owners[cell] !== OFFERED) return;
    this.offeredCount--;
    this.#owners[cell] = OUT;
  }

  payload(cell: number): CellPayload {
    return (this.#payloads[cell] ??= new CellPayload(cell, this));
  }

  /** Inverse of `write` and `reserve`; a cell that is out stays so until it comes back. */
  freeIfHeld(cell: number): void {
    if (this.#owners[cell] !== HELD) return;
    this.#payloads[cell]?.clear();
    this.#owners[cell] = UNUSED;
    this.#free[this.#freeCount++] = cell;
  }

  /** A free cell; -1: none. To be called before anything is written, as an argument may have a getter that makes a call. */
  #take(): number {
    if (!this.hasFree) return -1;
    const cell = this.#freeCount > 0 ? this.#free[--this.#freeCount]! : this.#payloads.push(undefined) - 1;
    this.#owners[cell] = HELD;
    return cell;
  }
}
