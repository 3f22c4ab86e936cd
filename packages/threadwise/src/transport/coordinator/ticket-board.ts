/**
 * The claim board of a pool with a coordinator: shared words by which main, the coordinator and all workers agree,
 * without a message, whether a task has begun, and who runs it. README.md beside this file has the protocol.
 */
import type { Task } from '../../core/task.js';

/** A cell's phase, in its lowest bits; above them the stamp of what is posted, or the seat of who runs it. */
const FREE = 0;
const POSTED = 1;
const RUNNING = 2;
const ABORTING = 3;
/** Its worker was about to say its last word on it, or has said it. */
const ENDED = 4;
const PHASE_BITS = 3;
const PHASE_MASK = (1 << PHASE_BITS) - 1;
/** Stamps, and seats, are below it. */
const NUMBERS = 2 ** 28;

/** Per cell: one Float64 (when the task began, milliseconds on the shared clock), one Int32 (the state). */
const BYTES_PER_CELL = 12;
/** Above any cell: a ticket is `stamp * CELL_LIMIT + cell`. */
const CELL_LIMIT = 2 ** 16;

/** Tasks that may be with coordinator and workers at a time; more wait at main. Chosen by hand. */
export const CELLS = 4096;

/** Words that a seat has for itself. How many tasks from the coordinator it has begun and not ended; its worker's. */
export const RUNNING_HERE = 0;
/** Whether the worker may take tasks: see `../stage.ts`. */
export const STAGE = 1;
/** What the system calls the worker's thread; 0 where that is not known. The worker's. */
export const THREAD_ID = 2;
/** Event loop utilisation between the ends of its last two tasks, in thousandths. The worker's, where it is measured. */
export const UTILIZATION = 3;
export const SEAT_BYTES = 16;

export function boardByteLength(cells: number): number {
  return cells * BYTES_PER_CELL;
}

const stateOf = (phase: number, number: number) => (number << PHASE_BITS) | phase;
const cellOf = (ticket: number) => ticket % CELL_LIMIT;
const postedState = (ticket: number) => stateOf(POSTED, Math.floor(ticket / CELL_LIMIT));
const isPosted = (state: number) => (state & PHASE_MASK) === POSTED;
/** Begun, and main has not heard of its end. */
const isRunning = (state: number) => (state & PHASE_MASK) >= RUNNING;

class Words {
  readonly began: Float64Array;
  readonly states: Int32Array;

  constructor(buffer: ArrayBufferLike) {
    const cells = buffer.byteLength / BYTES_PER_CELL;
    this.began = new Float64Array(buffer, 0, cells);
    this.states = new Int32Array(buffer, cells * 8, cells);
  }
}

/** The main side: posts, takes back, and is told of the end. */
export class TicketOwner {
  readonly #words: Words;
  readonly #tasks: (Task | undefined)[];
  readonly #byId = new Map<number, Task>();
  readonly #stamps: Int32Array;
  readonly #free: number[];

  constructor(buffer: ArrayBufferLike) {
    this.#words = new Words(buffer);
    const { length } = this.#words.states;
    this.#tasks = new Array<Task | undefined>(length).fill(undefined);
    this.#stamps = new Int32Array(length);
    this.#free = Array.from(this.#tasks.keys()).reverse();
  }

  get hasFree(): boolean {
    return this.#free.length > 0;
  }

  /** Tasks that are out, begun or not. */
  get size(): number {
    return this.#byId.size;
  }

  has(task: Task): boolean {
    return task.cell >= 0 && this.#byId.get(task.id) === task;
  }

  find(id: number): Task | undefined {
    return this.#byId.get(id);
  }

  /** Gives a task a cell: its ticket. Only when `hasFree`. */
  post(task: Task): number {
    const cell = this.#free.pop();
    if (cell === undefined) throw new Error('threadwise: no free cell on the board of tickets');
    task.cell = cell;
    this.#tasks[cell] = task;
    this.#byId.set(task.id, task);
    this.#words.began[cell] = 0;
    Atomics.store(this.#words.states, cell, stateOf(POSTED, this.#stamps[cell]!));
    return this.#ticketOf(cell);
  }

  /** Takes a task back: the ticket that is worth nothing from now on. Undefined: it has begun. */
  withdraw(task: Task): number | undefined {
    if (!this.has(task)) return undefined;
    const ticket = this.#ticketOf(task.cell);
    if (
      Atomics.compareExchange(this.#words.states, task.cell, postedState(ticket), FREE) !==
      postedState(ticket)
    )
      return undefined;
    this.#leave(task);
    return ticket;
  }

  /** The task of a ticket that is still good. */
  taskOf(ticket: number): Task | undefined {
    const cell = cellOf(ticket);
    return this.#ticketOf(cell) === ticket ? this.#tasks[cell] : undefined;
  }

  /** The seat of the worker that has begun the task; -1: nobody has. */
  holder(task: Task): number {
    if (!this.has(task)) return -1;
    const state = this.#state(task.cell);
    return isRunning(state) ? state >>> PHASE_BITS : -1;
  }

  /** When the task began; 0 in the moment before the worker has written it. */
  began(task: Task): number {
    return this.#words.began[task.cell]!;
  }

  hasEnded(task: Task): boolean {
    return this.has(task) && (this.#state(task.cell) & PHASE_MASK) === ENDED;
  }

  /** Lets code that never leaves its turn see the abort: the worker's `task.signal` looks here. */
  abort(task: Task): void {
    const state = this.#state(task.cell);
    if ((state & PHASE_MASK) !== RUNNING) return;
    Atomics.compareExchange(this.#words.states, task.cell, state, stateOf(ABORTING, state >>> PHASE_BITS));
  }

  /** The worker has said its last word on the task, or is gone. Inverse of `post`. */
  release(task: Task): void {
    Atomics.store(this.#words.states, task.cell, FREE);
    this.#leave(task);
  }

  get postedCount(): number {
    let count = 0;
    for (const { cell } of this.#byId.values()) if (isPosted(this.#state(cell))) count++;
    return count;
  }

  /** Tasks that nobody has begun, the oldest first. */
  posted(): Task[] {
    const posted = [...this.#byId.values()].filter(({ cell }) => isPosted(this.#state(cell)));
    return posted.sort((a, b) => a.id - b.id);
  }

  /** Tasks that the worker on that seat has begun. */
  heldBy(seat: number): Task[] {
    return [...this.#byId.values()].filter(({ cell }) => {
      const state = this.#state(cell);
      return isRunning(state) && state >>> PHASE_BITS === seat;
    });
  }

  #state(cell: number): number {
    return Atomics.load(this.#words.states, cell);
  }

  #ticketOf(cell: number): number {
    return this.#stamps[cell]! * CELL_LIMIT + cell;
  }

  /** With a new stamp, whatever still names the old one is worth nothing: the cell can be used again at once. */
  #leave(task: Task): void {
    const { cell } = task;
    this.#stamps[cell] = (this.#stamps[cell]! + 1) % NUMBERS;
    this.#tasks[cell] = undefined;
    this.#byId.delete(task.id);
    this.#free.push(cell);
    task.cell = -1;
  }
}

/** The side of coordinator and workers. */
export class TicketReader {
  readonly #words: Words;

  constructor(buffer: ArrayBufferLike) {
    this.#words = new Words(buffer);
  }

  /** Whether the task was neither begun nor taken back. */
  isPosted(ticket: number): boolean {
    return Atomics.load(this.#words.states, cellOf(ticket)) === postedState(ticket);
  }

  /** Begins a task: its cell. -1: it was taken back, or another worker has begun it. */
  begin(ticket: number, seat: number, now: number): number {
    const cell = cellOf(ticket);
    const posted = postedState(ticket);
    if (Atomics.compareExchange(this.#words.states, cell, posted, stateOf(RUNNING, seat)) !== posted)
      return -1;
    this.#words.began[cell] = now; // only now: of several that hold the ticket, one may write
    return cell;
  }

  isAborting(cell: number): boolean {
    return (Atomics.load(this.#words.states, cell) & PHASE_MASK) === ABORTING;
  }

  /** The task has ended; not after that was said, when main may have given the cell away. */
  end(cell: number): void {
    const seat = Atomics.load(this.#words.states, cell) >>> PHASE_BITS;
    Atomics.store(this.#words.states, cell, stateOf(ENDED, seat));
  }
}
