/** How a pool is typed by the module of its tasks. Types only. */
import type { Lease } from './lease.js';

type AnyFunction = (...args: never[]) => unknown;

/** A task module of which nothing is known. */
export type UntypedTasks = Record<string, (...args: unknown[]) => unknown>;

/** The names of a module's tasks: its exported functions, without `setup` and `teardown`. */
export type TaskName<M> = Exclude<
  { [K in keyof M]: M[K] extends AnyFunction ? K : never }[keyof M] & string,
  'setup' | 'teardown'
>;

/** A task's arguments; where it takes bytes, a lease will do. */
export type TaskArguments<F> = F extends (...args: infer A) => unknown
  ? { [I in keyof A]: Uint8Array extends A[I] ? A[I] | Lease : A[I] }
  : never;

/** What a call of the task resolves to. */
export type TaskResult<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

/** What a task yields. */
export type StreamItem<F> = F extends (...args: never[]) => infer R
  ? unknown extends R
    ? unknown
    : Awaited<R> extends AsyncIterable<infer V> | Iterable<infer V>
      ? Awaited<V>
      : never
  : never;

/** The proxy of a module's tasks: `pool.tasks.hash(bytes)`. */
export type Tasks<M> = {
  readonly [K in TaskName<M>]: (...args: TaskArguments<M[K]>) => Promise<TaskResult<M[K]>>;
};

/** What `pool.map` takes for a task: its first argument. */
export type TaskItem<F> =
  TaskArguments<F> extends readonly [infer First, ...unknown[]]
    ? First
    : TaskArguments<F>[number & keyof TaskArguments<F>];
