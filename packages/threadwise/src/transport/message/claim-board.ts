/**
 * The claim board of one worker: a few shared words by which main and worker agree, without a message, whether a task
 * that was posted has begun. README.md beside this file has the protocol.
 */

/** States of a cell. */
const FREE = 0;
const POSTED = 1;
const RUNNING = 2;
const WITHDRAWN = 3;
const ABORTING = 4;
/** Its worker was about to say its last word on it, or has said it. */
const ENDED = 5;

/** Per cell: one Float64 (when the task began, ms on the shared clock), one Int32 (the state). */
const BYTES_PER_CELL = 12;

export function boardByteLength(cells: number): number {
  return cells * BYTES_PER_CELL;
}

function views(buffer: ArrayBufferLike): { began: Float64Array; states: Int32Array } {
  const cells = buffer.byteLength / BYTES_PER_CELL;
  return { began: new Float64Array(buffer, 0, cells), states: new Int32Array(buffer, cells * 8, cells) };
}

/** The main side: posts and withdraws. */
export class BoardOwner {
  readonly #states: Int32Array;
  readonly #began: Float64Array;
  readonly #free: number[];
  /** Withdrawn cells whose message the worker has not passed yet. */
  #limbo: number[] = [];

  constructor(buffer: ArrayBufferLike) {
    ({ began: this.#began, states: this.#states } = views(buffer));
    this.#free = Array.from(this.#states.keys()).reverse();
  }

  /** How many cells `post` can give out. */
  get room(): number {
    if (this.#free.length === 0 && this.#limbo.length > 0) this.#reclaim();
    return this.#free.length;
  }

  /** Marks a free cell as posted. Only when `room` is above 0. */
  post(): number {
    const cell = this.#free.pop();
    if (cell === undefined) throw new Error('threadwise: no free cell on the claim board');
    Atomics.store(this.#states, cell, POSTED);
    return cell;
  }

  /** Takes a posted task back. True: it has not begun and never will. */
  withdraw(cell: number): boolean {
    if (Atomics.compareExchange(this.#states, cell, POSTED, WITHDRAWN) !== POSTED) return false;
    this.#limbo.push(cell);
    return true;
  }

  /** When the task began; undefined if it has not. */
  beganAt(cell: number): number | undefined {
    const state = Atomics.load(this.#states, cell);
    return state === RUNNING || state === ABORTING || state === ENDED ? this.#began[cell] : undefined;
  }

  /** Whether the worker was about to say its last word on the task, or has said it. */
  hasEnded(cell: number): boolean {
    return Atomics.load(this.#states, cell) === ENDED;
  }

  /** Lets code that never leaves its turn see the abort: the worker's `task.signal` looks here. */
  abort(cell: number): void {
    Atomics.compareExchange(this.#states, cell, RUNNING, ABORTING);
  }

  /** The worker's last word on the task has arrived. Inverse of `post`. */
  release(cell: number): void {
    Atomics.store(this.#states, cell, FREE);
    this.#free.push(cell);
  }

  /** The message of a withdrawn task will never come to the worker: it could not be read. */
  pass(cell: number): void {
    Atomics.compareExchange(this.#states, cell, WITHDRAWN, FREE);
  }

  #reclaim(): void {
    const isPassed = (cell: number) => Atomics.load(this.#states, cell) === FREE;
    this.#free.push(...this.#limbo.filter(isPassed));
    this.#limbo = this.#limbo.filter((cell) => !isPassed(cell));
  }
}

/** The worker's side: claims. */
export class BoardReader {
  readonly #states: Int32Array;
  readonly #began: Float64Array;

  constructor(buffer: ArrayBufferLike) {
    ({ began: this.#began, states: this.#states } = views(buffer));
  }

  /** Begins a task. False: it was withdrawn and must not run; the cell is free again. */
  claim(cell: number, now: number): boolean {
    this.#began[cell] = now; // before the exchange, so that whoever sees RUNNING sees the time
    if (Atomics.compareExchange(this.#states, cell, POSTED, RUNNING) === POSTED) return true;
    Atomics.store(this.#states, cell, FREE);
    return false;
  }

  isAborting(cell: number): boolean {
    return Atomics.load(this.#states, cell) === ABORTING;
  }

  /** The task has ended; not after that was said, when main may have given the cell away. */
  end(cell: number): void {
    Atomics.store(this.#states, cell, ENDED);
  }
}
