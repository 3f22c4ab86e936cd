/** The base of the two sources of a worker's tasks: reads its mailbox, begins tasks, counts its allowance, and spins. */
import { Allowance } from '../../../core/workers/allowance.js';
import { becomeReady } from '../../stage.js';
import { type Board, Spinning } from '../board.js';
import * as L from '../layout.js';

export interface Seat {
  readonly seat: number;
  readonly sizes: L.Sizes;
  readonly board: Board;
  readonly own: Int32Array;
  readonly cells: Int32Array;
  readonly cellDoubles: Float64Array;
  now(): number;
}

export abstract class TaskSource {
  /** How many tasks it may begin. It takes one for each task that others could run; main takes one for each mailed task. */
  protected allowance = new Allowance(undefined);
  readonly spinning: Spinning;
  protected readonly seat: number;
  protected readonly board: Board;
  protected readonly own: Int32Array;
  protected readonly sizes: L.Sizes;
  protected readonly cells: Int32Array;
  readonly #cellDoubles: Float64Array;
  /** The phase of what is posted for this worker alone. */
  protected readonly postedHere: number;
  readonly #runningHere: number;
  #isForestalled = false;

  constructor({ seat, sizes, board, own, cells, cellDoubles }: Seat) {
    this.spinning = new Spinning(board, seat);
    this.seat = seat;
    this.board = board;
    this.own = own;
    this.sizes = sizes;
    this.cells = cells;
    this.#cellDoubles = cellDoubles;
    this.postedHere = L.state(L.POSTED, seat);
    this.#runningHere = L.state(L.RUNNING, seat);
  }

  /** The worker is ready, and main can hear so by now. */
  abstract open(): void;
  /** Begins a task: the cell, or -1 where there is none. */
  abstract begin(now: number): number;
  /** A task has ended that ran that long, in milliseconds. */
  abstract ended(cell: number, ms: number): void;
  /** Takes nothing more that others could run. Returns whether nothing is left that it has to. */
  abstract retire(): boolean;
  /** Whether `begin` is likely to find something. */
  abstract hasWork(): boolean;
  /** Whether others may spare themselves a wake-up because this worker, which sleeps, will look by itself soon. */
  abstract isReliedOn(): boolean;
  /** It has nothing to do, and looks for something, or sleeps until there is. */
  abstract search(): void;
  /** Whether it takes anything that others could run. */
  abstract readonly takesMore: boolean;

  /** The same, but only of what can come at any moment. */
  hasNew(): boolean {
    return this.hasWork();
  }

  /** The worker takes one from `allowance` for each task that others could run, from now on. */
  limit(allowance: Allowance): void {
    this.allowance = allowance;
  }

  /** To be called once it is. False: main was first, so it takes nothing. */
  protected becomeReady(): boolean {
    this.#isForestalled = !becomeReady(this.own);
    return !this.#isForestalled;
  }

  /** The hint of the next mailed task; -1: none. */
  protected mail(): number {
    if (this.#isForestalled) return -1; // main takes it back
    const head = Atomics.load(this.own, L.MAIL_HEAD);
    if (Atomics.load(this.own, L.MAIL_TAIL) === head) return -1;
    return this.own[L.mailPlace(head, this.sizes)]!;
  }

  /** Begins the next mailed task, of which that is the hint, unless it was withdrawn. */
  protected takeMail(hint: number, now: number): boolean {
    Atomics.add(this.own, L.MAIL_HEAD, 1);
    return this.take(hint, this.postedHere, now);
  }

  /** Whether what a hint is of was called before what another one is of. */
  protected isOlder(hint: number, other: number): boolean {
    const { cells } = this;
    return (
      ((cells[L.cellOf(hint) * L.WORDS + L.TASK_ID]! - cells[L.cellOf(other) * L.WORDS + L.TASK_ID]!) | 0) < 0
    );
  }

  /** B1, B2. @param phase posted for all, or for this worker */
  protected take(hint: number, phase: number, now: number): boolean {
    const cell = L.cellOf(hint);
    const posted = L.postedBy(hint, phase);
    if (Atomics.compareExchange(this.cells, cell * L.WORDS + L.STATE, posted, this.#runningHere) !== posted) {
      return false;
    }
    this.#cellDoubles[cell * L.DOUBLES + L.BEGAN] = now;
    return true;
  }
}
