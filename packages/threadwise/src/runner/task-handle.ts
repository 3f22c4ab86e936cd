/** The object `task`: whatever it is asked is about the task whose code asks. */
import { ThreadwiseError } from '../core/options/errors.js';
import { currentTask, currentWorkerId, noteAsked } from './current.js';

export { transfer } from './current.js';

noteAsked();

/**
 * The types of the functions that the pool's owner offers in the option `host`, for you to declare:
 * `declare module 'threadwise/worker' { interface HostFunctions { lookUp(id: string): Promise<User> } }`. Every call is awaited.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it is there to be merged with
export interface HostFunctions {}

/** What is declared; where nothing is, any name, with arguments and results that nobody knows. */
type Host = keyof HostFunctions extends never
  ? Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
  : Readonly<HostFunctions>;

/** What a task module's `setup` is called with, once, before the worker's first task. */
export interface SetupContext {
  readonly workerId: number;
  readonly poolName: string;
  /** The pool's option `worker.data`, cloned. */
  readonly data: unknown;
}

export interface TaskHandle {
  /**
   * Aborted when the caller's signal is, or at the timeout; outside of a task, never. Reading it anew also sees an abort in code that never
   * awaits: `while (!task.signal.aborted) step()`.
   */
  readonly signal: AbortSignal;
  /**
   * Tells the caller's `onProgress` and the pool's event 'task:progress'; outside of a task, nobody. The value must be
   * cloneable.
   */
  progress(value: unknown): void;
  /**
   * The functions that the pool's owner offers: `await task.host.log('…')`. Outside of a task, where there is no
   * owner, a call throws ERR_OUTSIDE_TASK.
   */
  readonly host: Host;
  /**
   * Runs a task of this pool for the task that asks: on a worker that is idle, or else, on this thread. So it never waits for the pool, however
   * many such calls are made within each other: divide the work, `await Promise.all`, put it together. Arguments and result are
   * copied. Rejects with what the task throws, ERR_TASK_NOT_FOUND, ERR_NOT_CLONEABLE, or ERR_OUTSIDE_TASK where the task that asks ends before it
   * begins; throws ERR_OUTSIDE_TASK outside of a task.
   */
  run<R = unknown>(name: string, args: readonly unknown[]): Promise<R>;
  /** What the pool's `onTaskStart` returned for this task, cloned: a trace context. Outside of a task undefined. */
  readonly context: unknown;
  /** The worker's number in its pool; of a worker that replaces another, a new one. 0 outside of a worker. */
  readonly workerId: number;
}

/** So that a function which looks at its signal can be called directly, too: in a test, or without a pool. */
let neverAborted: AbortSignal | undefined;

const host: Host = new Proxy(Object.freeze(Object.create(null)), {
  get: (_target, name) => {
    if (typeof name === 'symbol' || name === 'then') return undefined; // so that nobody takes it for a promise
    return (...args: unknown[]) => {
      const current = currentTask();
      if (current !== undefined) return current.callHost(name, args);
      throw new ThreadwiseError('ERR_OUTSIDE_TASK', `task.host.${name} exists only while a task runs`);
    };
  },
});

/** The task that runs. */
export const task: TaskHandle = Object.freeze({
  get signal(): AbortSignal {
    const current = currentTask();
    if (current !== undefined) return current.signal as AbortSignal;
    neverAborted ??= new AbortController().signal;
    return neverAborted;
  },
  progress: (value: unknown) => currentTask()?.progress(value),
  host,
  run<R>(name: string, args: readonly unknown[]): Promise<R> {
    const current = currentTask();
    if (current !== undefined) return current.run(name, args) as Promise<R>;
    throw new ThreadwiseError('ERR_OUTSIDE_TASK', 'task.run exists only while a task runs');
  },
  get context(): unknown {
    return currentTask()?.context;
  },
  get workerId(): number {
    return currentWorkerId();
  },
});
