/**
 * The claim board of one worker: a few shared words by which main and worker agree, without a message, whether a task
 * that was posted has begun. README.md beside this file has the protocol.
 */
import type { MainBoard, WorkerBoard } from '../../core/contracts.js';

// States of a cell.
const FREE = 0;
const POSTED = 1;
const RUNNING = 2;
const WITHDRAWN = 3;
const ABORTING = 4;
const ENDED = 5; // the worker is about to send its last message about the task, or has sent it

/** A cell is one Float64 (when the task began, ms on the shared clock) and one Int32 (the state). */
const BYTES_PER_CELL = 12;

export const boardByteLength = (cells: number) => cells * BYTES_PER_CELL;

/** The board in shared memory, for both ends. Its tickets are the numbers of cells. */
export class ClaimBoard implements MainBoard, WorkerBoard {
  readonly #began: Float64Array;
  readonly #states: Int32Array;
  /** Used by main's end only: cells that can be given out. Collected anew when the list is empty. */
  #free: number[] = [];

  constructor(memory: ArrayBufferLike) {
    const cells = memory.byteLength / BYTES_PER_CELL;
    this.#began = new Float64Array(memory, 0, cells);
    this.#states = new Int32Array(memory, cells * 8, cells);
  }

  // --- main posts and withdraws ---

  get room(): number {
    if (this.#free.length === 0) this.#free = [...this.#states.keys()].filter((cell) => this.#is(cell, FREE));
    return this.#free.length;
  }

  post(): number {
    if (this.room === 0) throw new Error('threadwise: no free cell');
    const cell = this.#free.pop()!;
    Atomics.store(this.#states, cell, POSTED);
    return cell;
  }

  withdraw(cell: number): boolean {
    return this.#exchange(cell, POSTED, WITHDRAWN);
  }

  beganAt(cell: number): number | undefined {
    const state = Atomics.load(this.#states, cell);
    return state === RUNNING || state === ABORTING || state === ENDED ? this.#began[cell] : undefined;
  }

  hasEnded(cell: number): boolean {
    return this.#is(cell, ENDED);
  }

  abort(cell: number): void {
    this.#exchange(cell, RUNNING, ABORTING);
  }

  release(cell: number): void {
    Atomics.store(this.#states, cell, FREE);
    this.#free.push(cell);
  }

  pass(cell: number): void {
    this.#exchange(cell, WITHDRAWN, FREE);
  }

  // --- the worker claims ---

  claim(cell: number, now: number): boolean {
    this.#began[cell] = now; // before the exchange, so that main, when it sees RUNNING, sees the time
    if (this.#exchange(cell, POSTED, RUNNING)) return true;
    Atomics.store(this.#states, cell, FREE);
    return false;
  }

  isAborting(cell: number): boolean {
    return this.#is(cell, ABORTING);
  }

  end(cell: number): void {
    Atomics.store(this.#states, cell, ENDED);
  }

  #is(cell: number, state: number): boolean {
    return Atomics.load(this.#states, cell) === state;
  }

  #exchange(cell: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.#states, cell, from, to) === from;
  }
}
