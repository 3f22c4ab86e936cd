/** Runs tasks inside a worker: takes them from its endpoint, runs them, and answers. Imports no platform. */

import type { Allowance } from '../core/workers/allowance.js';
import { unpack } from '../core/events/carrier.js';
import type { CallHost, LoadedModule, TaskFunction, ThreadSpec } from '../core/contracts.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { type Clone, notCloneable, unreadable } from '../core/calls/payload.js';
import { FORK_HOST } from '../core/calls/forks.js';
import { STREAM_HOST, streamedName } from '../core/calls/stream.js';
import { isThenable } from '../core/promised.js';
import { decodeError, type EncodedError, encodeError } from '../transport/codec/error-codec.js';
import type { Begun, Endpoint, EndpointEvents } from '../transport/endpoint.js';
import type { About } from '../transport/line.js';
import { TO_MAIN, type MessageToMain } from '../transport/messages.js';
import { type CallStore, isTransferred, type RunnerSeat, seats } from './current.js';
import { packingClone, packingHost } from './instances.js';
import { RunningTask } from './running-task.js';
import { readTaskModule } from './task-module.js';

/** What a runner needs of its thread. */
export interface RunnerPlatform {
  now(): number;
  /** Calls back after pending I/O has had its turn. */
  nextTurn(callback: () => void): void;
  clone: Clone;
  load(): Promise<Readonly<Record<string, unknown>>>;
  /** A stack without the frames of the runner, which come below those of the task and tell its author nothing. */
  trimStack(stack: string): string;
  memory(): { usedBytes: number; limitBytes: number };
  /** Calls back when the thread ends by itself. */
  atExit(callback: () => void): unknown;
  /** Resolves when what was printed has left the thread. */
  flush(): Promise<unknown>;
  /** Knows which task code belongs to, also after an await. Undefined where tasks run one by one: code belongs to the one that began last. */
  readonly store: CallStore | undefined;
}

interface RunnerOptions extends Pick<ThreadSpec, 'workerId' | 'poolName' | 'tasksPerWorker'> {
  readonly classes?: ThreadSpec['classes'];
  readonly data: unknown;
  readonly endpoint: Endpoint;
  /** How many tasks the worker may begin; undefined: any number. */
  readonly allowance?: Allowance;
}

/** How long synchronous tasks run back to back before the thread's own timers and sockets get a turn. Milliseconds. */
const SLICE_MS = 5;
/** A pause between tasks that is longer than this counts as a turn of the event loop: two messages are closer together. Milliseconds. */
const IDLE_MS = 0.2;
/** How long a worker waits after one report of its heap use before it sends another. Milliseconds. */
const MEMORY_REPORT_MS = 250;

/** What errors call the arguments of the library's own host functions, which pool.stream and task.run use. */
const GIVEN: Readonly<Record<string, string>> = { [STREAM_HOST]: 'value', [FORK_HOST]: 'args' };

/** What a name stands for as it crosses. Throws ERR_TASK_NOT_FOUND. */
function findIn(module: LoadedModule, wireName: string) {
  const { name } = unpack(wireName, []);
  const ofStream = streamedName(name);
  return {
    wireName,
    run: module.find(name),
    /** The name that users know. */
    name: ofStream ?? name,
    isStream: ofStream !== undefined,
    /** Whether a context comes with the call. */
    isPacked: name !== wireName,
  };
}

export class Runner implements CallHost, EndpointEvents {
  readonly workerId: number;
  readonly #options: RunnerOptions;
  readonly #platform: RunnerPlatform;
  readonly #endpoint: Endpoint;
  /** Tasks that have returned a promise and not ended, by task id. */
  readonly #awaited = new Map<number, RunningTask>();
  /** The names of the functions that have returned a promise: main has been told of these. */
  readonly #awaiting = new Set<string>();
  /** The task that has begun last: unless it is over, it runs, or is among those that are awaited. */
  #last: RunningTask | undefined;
  /** The context of the last task, which the next one may reuse. */
  #free: RunningTask | undefined;
  /** The function of the last task: most tasks call the same one as the task before. */
  #found: ReturnType<typeof findIn> | undefined;
  /** The `resolve` of each call of a host function that was not answered yet, by the number of the call. */
  readonly #hostCalls = new Map<number, (answer: unknown) => void>();
  #module: LoadedModule | undefined;
  /** This runner or, if classes are registered, its wrapper, which packs their instances. */
  #callHost: CallHost = this;
  #lastMemoryAt = 0;
  #hostCallCount = 0;
  /** Whether tasks run, or have used up their slice and wait for the next turn, or the thread ends: no other task is to begin. */
  #isPumping = false;
  /** Whether the worker was asked to retire and has not said `retired` yet, because tasks are left. */
  #isRetiring = false;
  #lastEndAt = 0;
  #sliceEnd = 0;
  readonly #seat: RunnerSeat;

  constructor(options: RunnerOptions, platform: RunnerPlatform) {
    this.workerId = options.workerId;
    this.#options = options;
    this.#platform = platform;
    this.#endpoint = options.endpoint;
    if (options.allowance !== undefined) this.#endpoint.limit(options.allowance);
    const { store } = platform;
    const current = () => (store === undefined ? this.#last : (store.getStore() as RunningTask | undefined));
    this.#seat = { workerId: options.workerId, current };
    seats.add(this.#seat);
    // After an error that nobody caught, Node still runs promises for a moment, though no message can be read or sent any more.
    platform.atExit(() => {
      this.#isPumping = true;
    });
  }

  /** Loads the module, runs its `setup`, says `ready`; or says why not. */
  async start(): Promise<void> {
    this.#endpoint.listen(this);
    try {
      const module = readTaskModule(await this.#platform.load(), this.#options.classes);
      if (module.instances !== undefined) this.#callHost = packingHost(this, module.instances);
      const { workerId, poolName, data } = this.#options;
      if (module.setup !== undefined) this.#endpoint.say([TO_MAIN.setsUp]);
      await module.setup?.({ workerId, poolName, data });
      this.#module = module;
      this.#endpoint.say([TO_MAIN.ready, module.names, module.traits]);
    } catch (error) {
      return this.#endpoint.say([TO_MAIN.loadFailed, this.#encode(error)]);
    }
    this.tasks(); // from now on it takes tasks
  }

  // --- running ---

  /**
   * Begins tasks while there is room. Synchronous ones run right here, one after the other. Callers call this function itself, without a
   * wrapper: when a task throws, each frame below it is recorded in the stack of the error, which takes half a microsecond.
   */
  readonly tasks = (): void => {
    // A message that is handled while a task looks for an abort must not begin another task inside it.
    if (this.#isPumping || this.#module === undefined) return;
    this.#isPumping = true;
    let now = this.#platform.now();
    if (now - this.#lastEndAt > IDLE_MS) this.#sliceEnd = now + SLICE_MS;
    while (this.#awaited.size < this.#options.tasksPerWorker) {
      if (now > this.#sliceEnd) {
        // The worker does not spin before it sleeps: the thread that was woken for the last result may wait for this core.
        if (this.#endpoint.rest(this.#awaited.size === 0, false)) return this.#yield();
        break;
      }
      const begun = this.#endpoint.take(now);
      if (begun !== undefined) now = this.#begin(begun, now);
      else if (this.#endpoint.rest(this.#awaited.size === 0)) now = this.#platform.now();
      else break;
    }
    this.#isPumping = false;
    if (!this.#isRetiring || this.#awaited.size > 0 || !this.#endpoint.retire()) return;
    this.#isRetiring = false;
    this.#endpoint.say([TO_MAIN.retired]);
  };

  /** Lets the thread's timers and sockets have their turn. A port alone would not: Node handles up to a thousand messages in one turn. */
  #yield(): void {
    this.#platform.nextTurn(() => {
      this.#sliceEnd = this.#platform.now() + SLICE_MS;
      this.#isPumping = false;
      this.tasks();
    });
  }

  /** Runs a task up to its first await. Returns the time afterwards. */
  #begin(begun: Begun, startedAt: number): number {
    const context = this.#contextOf(begun);
    let result: unknown;
    let isAwaited: boolean;
    try {
      if (begun.fault !== undefined) throw begun.fault;
      if (begun.name !== this.#found?.wireName) this.#found = findIn(this.#module!, begun.name);
      const { run, isPacked } = this.#found; // a variable, so that the function gets no `this`
      const { store } = this.#platform;
      let { args } = begun;
      if (isPacked) ({ args, context: context.context } = unpack(begun.name, args));
      this.#last = context;
      result = store === undefined ? run(...args) : store.run(context, run, ...args);
      isAwaited = isThenable(result); // may throw: the result may be a proxy, or have a getter
    } catch (error) {
      return this.#failed(context, error, startedAt, this.#platform.now());
    }
    if (!isAwaited) return this.#done(context, result, startedAt, this.#platform.now());
    this.#free = undefined;
    void this.#await(context, result as PromiseLike<unknown>, startedAt).then(this.tasks);
    return this.#platform.now();
  }

  /** The context of the former task if no code can still hold that, else a new one. */
  #contextOf({ id, cell }: Begun): RunningTask {
    const free = this.#free;
    if (free?.reuse(id, cell)) return free;
    const context = new RunningTask(id, cell, this.#callHost);
    this.#free = this.#platform.store === undefined ? context : undefined;
    return context;
  }

  /** Uses `await`, since an object may have a `then` of its own, which throws, or calls back twice. */
  async #await(context: RunningTask, result: PromiseLike<unknown>, startedAt: number): Promise<void> {
    const { name, isStream } = this.#found!;
    this.#awaited.set(context.id, context);
    if (!isStream && !this.#awaiting.has(name)) {
      this.#awaiting.add(name);
      this.#endpoint.say([TO_MAIN.awaits, name]);
    }
    let value: unknown;
    try {
      value = await result;
      if (context.fault !== undefined) throw context.fault;
    } catch (error) {
      return void this.#failed(context, error, startedAt, this.#platform.now());
    } finally {
      this.#awaited.delete(context.id);
    }
    this.#done(context, value, startedAt, this.#platform.now());
  }

  #done(context: RunningTask, result: unknown, startedAt: number, now: number): number {
    context.end();
    let value = result;
    let list: readonly unknown[] | undefined;
    try {
      if (isTransferred(result)) ({ value, list } = result);
      this.#endpoint.done(context.cell, context.id, value, list, now - startedAt);
    } catch (cause) {
      const error = notCloneable(cause, value, 'result', list, this.#platform.clone);
      this.#endpoint.failed(context.cell, context.id, this.#encode(error), now - startedAt);
    }
    return this.#ended(now);
  }

  #failed(context: RunningTask, error: unknown, startedAt: number, now: number): number {
    context.end();
    const encoded = this.#encode(error);
    if (encoded.type === 'error') encoded.stack = this.#platform.trimStack(encoded.stack);
    this.#endpoint.failed(context.cell, context.id, encoded, now - startedAt);
    return this.#ended(now);
  }

  /** Called after the result was sent, for which a caller waits. Returns the time afterwards. */
  #ended(now: number): number {
    this.#lastEndAt = now;
    if (now - this.#lastMemoryAt <= MEMORY_REPORT_MS) return now;
    this.#lastMemoryAt = now;
    const { usedBytes, limitBytes } = this.#platform.memory();
    this.#endpoint.say([TO_MAIN.memory, usedBytes, limitBytes]);
    return this.#platform.now();
  }

  // --- aborting ---

  pollAbort(task: RunningTask): void {
    if (!task.isAborted && this.#endpoint.isAborting(task.cell)) this.#endpoint.drain();
  }

  abort(id: number, reason: EncodedError): void {
    const context = this.#last?.id === id ? this.#last : this.#awaited.get(id);
    if (context?.isOver !== false) return;
    this.#endpoint.say([TO_MAIN.abortSeen, id]);
    const tell = () => context.abort(decodeError(reason));
    const { store } = this.#platform;
    return store === undefined ? tell() : store.run(context, tell); // its listeners are code of the task
  }

  // --- speaking to the owner ---

  progress(id: number, said: unknown): void {
    const { value, list } = isTransferred(said) ? said : { value: said };
    this.#postCloneable([TO_MAIN.progress, id, value], value, 'progress', list);
  }

  callHost(name: string, args: unknown[], transfer?: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve) => {
      const call = ++this.#hostCallCount;
      this.#postCloneable([TO_MAIN.hostCall, call, name, args], args, 'args', transfer);
      this.#hostCalls.set(call, resolve);
    });
  }

  now(): number {
    return this.#platform.now();
  }

  find(name: string): TaskFunction {
    return this.#module!.find(name);
  }

  copy(value: unknown, name: string): unknown {
    const { clone } = this.#platform;
    const { value: own, list = [] } = isTransferred(value) ? value : { value };
    try {
      return clone(own, list);
    } catch (cause) {
      throw notCloneable(cause, own, name, list, clone);
    }
  }

  hostReply(call: number, error: EncodedError | null, value: unknown): void {
    this.#hostCalls.get(call)?.(error === null ? value : Promise.reject(decodeError(error)));
    this.#hostCalls.delete(call);
  }

  /** Main could not read a message: settles it as if posting it had thrown. */
  unread([type, number, name]: About, reason: string): void {
    const error = (what: string) => this.#encode(unreadable(what, reason));
    switch (type) {
      case TO_MAIN.hostCall: {
        const what = GIVEN[name as string] ?? `the arguments of task.host.${name}`;
        return this.hostReply(number as number, error(what), undefined);
      }
      case TO_MAIN.progress: {
        const context = this.#awaited.get(number as number);
        if (context === undefined) return this.#endpoint.say([TO_MAIN.error, error('progress')]);
        context.fault = unreadable('progress', reason);
        return;
      }
      case TO_MAIN.loadFailed:
        return this.#endpoint.say([TO_MAIN.loadFailed, error("the error of the task module or its 'setup'")]);
    }
  }

  retire(): void {
    this.#isRetiring = true;
    this.#endpoint.retire();
    this.tasks();
  }

  async stop(): Promise<void> {
    try {
      await this.#module?.teardown?.();
    } catch (error) {
      this.#endpoint.say([TO_MAIN.error, this.#encode(error)]);
    }
    seats.delete(this.#seat);
    await this.#platform.flush();
    this.#endpoint.say([TO_MAIN.stopped]);
  }

  #encode(error: unknown): EncodedError {
    return encodeError(error, packingClone(this.#platform.clone, this.#module?.instances));
  }

  /** Posts, or throws ERR_NOT_CLONEABLE, which says which part of `value` cannot be cloned. */
  #postCloneable(message: MessageToMain, value: unknown, name: string, transfer?: readonly unknown[]): void {
    try {
      this.#endpoint.say(message, transfer);
    } catch (cause) {
      if (cause instanceof ThreadwiseError) throw cause;
      throw notCloneable(cause, value, name, transfer, this.#platform.clone);
    }
  }
}
