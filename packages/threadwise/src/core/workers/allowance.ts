/**
 * How many tasks a worker may begin before it is replaced: one shared word. A thread that brings a task to the worker takes one first: main for
 * a task that it sends, the worker for a task that it takes by itself. So both together never exceed it, whatever they do at the same moment.
 */
export class Allowance {
  /** Undefined: there is no limit. */
  readonly memory: ArrayBufferLike | undefined;
  readonly #word: Int32Array | undefined;

  constructor(memory: ArrayBufferLike | undefined) {
    this.memory = memory;
    this.#word = memory === undefined ? undefined : new Int32Array(memory, 0, 1);
  }

  static of(tasks: number, sharedMemory: (byteLength: number) => ArrayBufferLike): Allowance {
    if (tasks >= 2 ** 31) return new Allowance(undefined); // more than a worker lives to run
    const allowance = new Allowance(sharedMemory(4));
    allowance.give(tasks);
    return allowance;
  }

  get left(): number {
    return this.#word === undefined ? Number.POSITIVE_INFINITY : Atomics.load(this.#word, 0);
  }

  get isLimited(): boolean {
    return this.#word !== undefined;
  }

  /** Takes up to `most` of what is left. Returns how many that were. */
  take(most = 1): number {
    if (this.#word === undefined) return most;
    for (;;) {
      const left = Atomics.load(this.#word, 0);
      const taken = Math.min(left, most);
      if (taken <= 0) return 0;
      if (Atomics.compareExchange(this.#word, 0, left, left - taken) === left) return taken;
    }
  }

  /** Inverse of `take`, for tasks that were not begun. */
  give(tasks = 1): void {
    if (this.#word !== undefined) Atomics.add(this.#word, 0, tasks);
  }
}
