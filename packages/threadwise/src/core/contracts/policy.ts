/** The seams to the policies: values over read-only views, one file each in `scheduling/`. */

export interface TaskQueue<T> {
  readonly size: number;
  push(item: T, priority: number): void;
  /** Puts an item back before all others of its priority. Inverse of `shift`. */
  pushFront(item: T, priority: number): void;
  /** What `shift` would take. */
  peek(): T | undefined;
  shift(): T | undefined;
  remove(item: T): boolean;
  /** Empties the queue; returns what it held, in no promised order. */
  clear(): T[];
  [Symbol.iterator](): IterableIterator<T>;
}

export interface WorkerView {
  readonly id: number;
  /** Tasks handed over and not settled. */
  readonly load: number;
  readonly completed: number;
  /** Event loop utilisation, 0 to 1, measured on access. */
  readonly utilization: number;
}

export interface TaskView {
  readonly id: number;
  readonly name: string;
  readonly priority: number;
  readonly key: unknown;
}

/** Picks one of `candidates` (never empty); each has room for the task. */
export interface Choice {
  readonly name: string;
  choose(task: TaskView, candidates: readonly WorkerView[]): WorkerView;
}

export interface LoadView {
  readonly min: number;
  readonly max: number;
  /** Workers that run or will run tasks: starting and ready. */
  readonly current: number;
  readonly starting: number;
  readonly idle: number;
  readonly queued: number;
  readonly tasksPerWorker: number;
  /** How long the longest idle worker has been idle; 0 when none is. */
  readonly longestIdleMs: number;
  readonly idleTimeoutMs: number;
}

/** How many workers there should be; the caller keeps the answer within min and max. */
export interface Scaling {
  readonly name: string;
  target(load: LoadView): number;
}

export interface Placement {
  readonly name: string;
  place(task: TaskView): 'thread' | 'inline';
  /** Whether any task may be placed on threads: if not, none is started. */
  readonly usesThreads: boolean;
}
