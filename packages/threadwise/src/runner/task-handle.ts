/** The object `task`: it answers for the task whose code asks. */
import { isList } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { currentTask, currentWorkerId, isTransferred, noteAsked, type TaskContext } from './current.js';

export { transfer } from './current.js';

noteAsked();

/**
 * The types of the functions that the pool's owner offers in the option `host`, for you to declare:
 * `declare module 'threadwise/worker' { interface HostFunctions { lookUp(id: string): Promise<User> } }`. Every call is awaited.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- programs merge their declarations into it
export interface HostFunctions {}

/** The functions that are declared; if none are, functions of any name, with unknown arguments and results. */
type Host = keyof HostFunctions extends never
  ? Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
  : Readonly<HostFunctions>;

/** The argument of a task module's `setup`, which is called once, before the worker's first task. */
export interface SetupContext {
  readonly workerId: number;
  readonly poolName: string;
  /** The pool's option `worker.data`, cloned. */
  readonly data: unknown;
}

export interface TaskHandle {
  /**
   * Aborted when the caller's signal is, or at the timeout; never outside of a task. Code that never awaits sees an abort by reading `aborted`,
   * or by `throwIfAborted`: `while (!task.signal.aborted) step()`.
   */
  readonly signal: AbortSignal;
  /**
   * Gives a value to the caller's `onProgress` and the pool's event 'task:progress'; does nothing outside of a task, or in one that is
   * aborted. Throws ERR_NOT_CLONEABLE if the value cannot be cloned.
   */
  progress(value: unknown): void;
  /**
   * The functions that the pool's owner offers: `await task.host.log('…')`. Outside of a task, where there is no
   * owner, a call throws ERR_OUTSIDE_TASK.
   */
  readonly host: Host;
  /**
   * Runs a task of this pool for the calling task: on an idle worker, or else on this thread. So it never waits for the pool, however
   * many such calls are made within each other: divide the work, `await Promise.all`, put it together. Arguments and result are copied.
   * Rejects with what the task throws, ERR_TASK_NOT_FOUND, ERR_NOT_CLONEABLE, ERR_OPTION, or, if the called task has not begun, with ERR_TASK_ABORTED
   * when the calling one is aborted and ERR_OUTSIDE_TASK when it ends. Throws ERR_OUTSIDE_TASK outside of a task.
   */
  run<R = unknown>(name: string, args: readonly unknown[]): Promise<R>;
  /** What the pool's `onTaskStart` returned for this task, cloned, such as a trace context. Undefined outside of a task. */
  readonly context: unknown;
  /** The worker's number in its pool; a worker that replaces another has a new one. 0 outside of a worker. */
  readonly workerId: number;
}

/** The signal outside of a task, so that a function which looks at it can be called directly, too: in a test, or without a pool. */
let neverAborted: AbortSignal | undefined;

const host: Host = new Proxy(Object.freeze(Object.create(null)), {
  get: (_target, name) => {
    // `await` and JSON.stringify look for functions of these names: they would call the host.
    if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
    return (...args: unknown[]) => {
      const current = inTask(`task.host.${name}`);
      const moved = args.filter(isTransferred);
      const transfer = moved.length > 0 ? moved.flatMap(({ list }) => list) : undefined;
      return current.callHost(name, args.map(unmarked), transfer);
    };
  },
});

function unmarked(arg: unknown): unknown {
  return isTransferred(arg) ? arg.value : arg;
}

function inTask(what: string): TaskContext {
  const current = currentTask();
  if (current !== undefined) return current;
  throw new ThreadwiseError('ERR_OUTSIDE_TASK', `${what} exists only while a task runs`);
}

/** The task that the calling code belongs to. */
export const task: TaskHandle = Object.freeze({
  get signal(): AbortSignal {
    return (currentTask()?.signal ?? (neverAborted ??= new AbortController().signal)) as AbortSignal;
  },
  progress: (value: unknown) => currentTask()?.progress(value),
  host,
  // Arguments are copied, so that nothing moves; but a mark would cross as an object around the value.
  run: <R>(name: string, args: readonly unknown[]) =>
    inTask('task.run').run(name, isList(args) ? args.map(unmarked) : args) as Promise<R>,
  get context(): unknown {
    return currentTask()?.context;
  },
  get workerId(): number {
    return currentWorkerId();
  },
});
