/** A pool of workers: the public face. What it does is done by the engine. */
import { withCallerStack } from './calls/caller-stack.js';
import { Engine, type Parts } from './engine.js';
import type { Listener, PoolEventName } from './events/hooks.js';
import { isList, reject, text } from './options/checks.js';
import { fromCallerOf } from './options/errors.js';
import { type Lease, newLease } from './lease.js';
import { type Inputs, mapped, type MapOptions } from './calls/map.js';
import type { PoolChanges, ThreadBounds } from './options/options.js';
import type { RunOptions } from './calls/run-options.js';
import { streamed, type StreamOptions } from './calls/stream.js';
import { type PoolStats, snapshot } from './stats.js';
import { queueFullError } from './workers/failures.js';
import type {
  StreamItem,
  TaskArguments,
  TaskItem,
  TaskName,
  TaskResult,
  Tasks,
  UntypedTasks,
} from './types.js';

/** A module's tasks as functions that `run` runs. */
export function tasksBy<M>(run: (name: string, args: unknown[]) => Promise<unknown>): Tasks<M> {
  return new Proxy(Object.freeze(Object.create(null)), {
    get: (_target, task) => {
      // `await` and JSON.stringify look for functions of these names: they would call a task.
      if (typeof task === 'symbol' || task === 'then' || task === 'toJSON') return undefined;
      return (...args: unknown[]) => run(task, args);
    },
  });
}

export class Pool<M = UntypedTasks> {
  /** The pool's name, for stats and events. */
  readonly name: string;
  /** The module's tasks as functions: `pool.tasks.hash(bytes)` is `pool.run('hash', [bytes])`. */
  readonly tasks: Tasks<M>;
  readonly #engine: Engine;

  constructor(parts: Parts) {
    this.#engine = new Engine(parts);
    this.name = parts.name;
    this.tasks = tasksBy((task, args) => this.run(task as TaskName<M>, args as never));
  }

  /** Resolves when every worker that must exist has loaded the module. Rejects with ERR_MODULE_LOAD, or, if the pool is closed, ERR_POOL_CLOSED. */
  get ready(): Promise<void> {
    return this.#engine.lifecycle.ready;
  }

  /**
   * Runs a task. Rejects with what the task throws, or with a ThreadwiseError; never throws.
   * @param name an exported function of the module, or 'default'
   * @param args what it is called with: cloned now, so later changes do not matter; a Lease arrives as a Uint8Array
   */
  run<K extends TaskName<M>>(name: K, args: Readonly<TaskArguments<M[K]>>, options?: RunOptions) {
    const { plain, admission } = this.#engine;
    const result =
      plain === undefined
        ? admission.enter(name, args, options)
        : (plain.enter(name, args, options) ?? admission.enterTask(name, args, options));
    return result as Promise<TaskResult<M[K]>>;
  }

  /**
   * Runs a task on every item, which is its one argument. Reads the items no further than results are taken.
   * Leaving the loop cancels what is open. The first error ends the results. Throws ERR_OPTION.
   */
  map<K extends TaskName<M>>(name: K, items: Inputs<TaskItem<M[K]>>, options?: MapOptions) {
    return mapped(this.#engine, name, items, options) as AsyncGenerator<TaskResult<M[K]>, void, void>;
  }

  /**
   * What a task yields, as it comes: a generator function, or any that returns an iterable. The task begins with the first `next`, and waits on its
   * worker when it is `highWaterMark` values ahead. What it throws comes after the values before it. Leaving the loop aborts the task; `timeoutMs`
   * is of the whole stream. Throws ERR_OPTION.
   */
  stream<K extends TaskName<M>>(name: K, args: Readonly<TaskArguments<M[K]>>, options?: StreamOptions) {
    return streamed(this.#engine, name, args, options) as AsyncGenerator<StreamItem<M[K]>, void, void>;
  }

  /**
   * Runs a task once on every worker. Resolves to their results when all have it; rejects with the first error.
   * Only one of them could have what is in `transfer`: with several workers that is ERR_OPTION.
   */
  async broadcast<K extends TaskName<M>>(
    name: K,
    args?: Readonly<TaskArguments<M[K]>>,
    options?: RunOptions,
  ) {
    const { admission, here, lifecycle, workers } = this.#engine;
    const receivers = [...(here?.isServing ? [here] : []), ...workers.serving];
    if (receivers.length === 0) lifecycle.checkAccepting();
    const transfer: unknown = options?.transfer;
    if (receivers.length > 1 && isList(transfer) && transfer.length > 0)
      reject('transfer', `nothing in a broadcast to ${receivers.length} workers`, transfer);
    // All of its calls are accepted, or none: they count as one for the limit of the queue.
    if (admission.freePlaces() <= 0) throw queueFullError(text('name', name), admission.limit);
    const all = new Set<unknown>(receivers);
    const calls = receivers.map((to) => admission.enter(name, args ?? [], options, { to, receivers: all }));
    await Promise.allSettled(calls);
    try {
      return (await Promise.all(calls)) as TaskResult<M[K]>[];
    } catch (error) {
      throw withCallerStack(error);
    }
  }

  /**
   * Memory shared with the workers, to be filled in place: no copy crosses. Not zeroed when it is used again; release a
   * lease that no task gets. Throws ERR_OPTION, ERR_LEASE_MEMORY or ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD.
   * @param byteLength at most 2 GiB
   */
  lease(byteLength: number): Lease {
    this.#engine.lifecycle.checkAccepting();
    return newLease(this.#engine.leases, byteLength);
  }

  /** Resolves when the queue has room for a task, first come, first served; at once where the pool refuses calls. Keeps the process alive meanwhile. */
  room(): Promise<void> {
    return this.#engine.room.wait();
  }

  /** Changes how many workers there are, while running. Throws ERR_OPTION or ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD. */
  resize(threads: number | ThreadBounds | 'auto'): void {
    fromCallerOf(this.resize, () => this.#engine.resize(threads));
  }

  /** Changes options while running: all that is named, or nothing. Throws ERR_OPTION or ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD. */
  configure(changes: PoolChanges): void {
    fromCallerOf(this.configure, () => this.#engine.configure(changes));
  }

  /** Calls are accepted and wait; what has begun goes on, as do broadcasts. Throws ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD. */
  pause(): void {
    this.#engine.lifecycle.pause();
  }

  /** Undoes `pause` and `drain`. Throws ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD. */
  resume(): void {
    this.#engine.lifecycle.resume();
  }

  /**
   * Refuses new calls (ERR_POOL_CLOSED) until `resume`. Resolves when every accepted one has settled. The pool stays: what an orchestrator wants
   * before it takes traffic elsewhere. Throws ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD.
   */
  drain(): Promise<void> {
    return this.#engine.lifecycle.drain();
  }

  /**
   * Replaces every worker, one after another; each ends what it runs. Resolves when the last one is replaced, or the pool closes. Rejects with
   * ERR_MODULE_LOAD when a replacement fails: the workers that are left go on. Throws ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD.
   */
  recycle(): Promise<void> {
    return this.#engine.recycler.begin();
  }

  /** What the pool is like now: plain JSON. */
  stats(): PoolStats {
    return snapshot(this.#engine);
  }

  /** Calls `listener` with each such event from now on. Throws ERR_OPTION where there is no event of that name. */
  on<E extends PoolEventName>(event: E, listener: Listener<E>): this {
    this.#engine.hooks.on(event, listener);
    return this;
  }

  /** Inverse of `on`. */
  off<E extends PoolEventName>(event: E, listener: Listener<E>): this {
    this.#engine.hooks.off(event, listener);
    return this;
  }

  /**
   * Refuses new calls, finishes the accepted ones, then ends every thread.
   * @param options timeoutMs: when no task has settled for that long, what is left is rejected. Default 30,000
   */
  close(options?: { timeoutMs?: number | undefined }): Promise<void> {
    return this.#engine.lifecycle.close(options);
  }

  /** Rejects what is open with ERR_POOL_CLOSED and ends every thread now. */
  destroy(): Promise<void> {
    return this.#engine.lifecycle.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
