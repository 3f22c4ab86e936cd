/** What runs inside a worker: takes tasks from the port, runs them, answers. Knows no platform. */
import type { Port } from '../core/contracts.js';
import { ThreadwiseError } from '../core/errors.js';
import { type Clone, notCloneable } from '../core/payload.js';
import { decodeError, type EncodedError, encodeError } from '../transport/codec/error-codec.js';
import { BoardReader } from '../transport/message/claim-board.js';
import {
  type PostedTask,
  TO_MAIN,
  TO_WORKER,
  type ToMain,
  type ToWorker,
} from '../transport/message/protocol.js';
import { isTransferred, leaveSeat, type RunnerSeat, takeSeat } from './current.js';
import { type ContextHost, RunningTask } from './running-task.js';
import { readTaskModule, type TaskModule } from './task-module.js';

/** What a runner needs of its thread. */
export interface RunnerPlatform {
  now(): number;
  /** Whether the thread is this runner's alone, and not the caller's. */
  readonly ownsThread: boolean;
  /** Calls back after pending I/O has had its turn. */
  nextTurn(callback: () => void): void;
  clone: Clone;
  load(): Promise<Readonly<Record<string, unknown>>>;
  /** A stack without the frames of the runner, which are below those of the task and tell its author nothing. */
  trimStack(stack: string): string;
  memory(): { usedBytes: number; limitBytes: number };
  /** Makes `current()` find `context` in whatever `run` starts, also later. */
  enter<T>(context: RunningTask, run: () => T): T;
  current(): RunningTask | undefined;
}

export interface RunnerOptions {
  readonly workerId: number;
  readonly poolName: string;
  readonly tasksPerWorker: number;
  readonly data: unknown;
  readonly port: Port;
  readonly board: ArrayBufferLike;
}

/** Synchronous tasks run back to back for that long, then the thread's own timers and sockets get a turn. */
const SLICE_MS = 5;
/** A pause between tasks in which the thread has had its turn: longer than from one message to the next. */
const IDLE_MS = 0.2;
/** Heap use is reported at most that often. */
const MEMORY_REPORT_MS = 250;

export class Runner implements ContextHost {
  readonly workerId: number;
  readonly #options: RunnerOptions;
  readonly #platform: RunnerPlatform;
  readonly #board: BoardReader;
  readonly #running = new Map<number, RunningTask>();
  readonly #hostCalls = new Map<number, { resolve: (v: unknown) => void; reject: (e: unknown) => void }>();
  /** Posted to this worker and not begun, first in first out; `#next` is the first of them. */
  #backlog: PostedTask[] = [];
  #next = 0;
  #module: TaskModule | undefined;
  #lastMemoryAt = 0;
  #hostCallCount = 0;
  /** True while tasks run, and until the next turn when they have used up their slice. */
  #isPumping = false;
  #lastEndAt = 0;
  #sliceEnd = 0;
  readonly #seat: RunnerSeat;

  constructor(options: RunnerOptions, platform: RunnerPlatform) {
    this.workerId = options.workerId;
    this.#options = options;
    this.#platform = platform;
    this.#board = new BoardReader(options.board);
    this.#seat = { workerId: platform.ownsThread ? options.workerId : 0, current: () => platform.current() };
    takeSeat(this.#seat);
  }

  /** Loads the module, runs its `setup`, says `ready`; or says why not. */
  async start(): Promise<void> {
    this.#options.port.listen((message) => this.#receive(message as ToWorker));
    try {
      const module = readTaskModule(await this.#platform.load());
      const { workerId, poolName, data } = this.#options;
      await module.setup?.({ workerId, poolName, data });
      this.#module = module;
      this.#post([TO_MAIN.ready, module.names]);
    } catch (error) {
      this.#post([TO_MAIN.loadFailed, this.#encode(error)]);
    }
  }

  #receive(message: ToWorker): void {
    switch (message[0]) {
      case TO_WORKER.tasks:
        this.#backlog.push(...message[1]);
        return this.#pump();
      case TO_WORKER.abort:
        return this.#abort(message[1], message[2]);
      case TO_WORKER.hostReply:
        return this.#settleHostCall(message[1], message[2], message[3]);
      case TO_WORKER.stop:
        return void this.#stop();
    }
  }

  // --- running ---

  /** Begins tasks while there is room. Synchronous ones run right here, one after the other. */
  #pump(): void {
    if (this.#isPumping) return; // a message that arrives while a task polls must not begin another inside it
    this.#isPumping = true;
    let now = this.#platform.now();
    if (now - this.#lastEndAt > IDLE_MS) this.#sliceEnd = now + SLICE_MS;
    while (this.#next < this.#backlog.length && this.#running.size < this.#options.tasksPerWorker) {
      if (now > this.#sliceEnd) return this.#yield();
      const posted = this.#backlog[this.#next++]!;
      if (this.#board.claim(posted[0], now)) now = this.#begin(posted, now);
    }
    if (this.#next === this.#backlog.length) [this.#backlog, this.#next] = [[], 0];
    this.#isPumping = false;
  }

  /**
   * Lets the thread's timers and sockets have their turn. A port alone would not: as long as messages arrive, Node
   * handles up to a thousand of them in one turn.
   */
  #yield(): void {
    this.#platform.nextTurn(() => {
      this.#sliceEnd = this.#platform.now() + SLICE_MS;
      this.#isPumping = false;
      this.#pump();
    });
  }

  /** Runs a claimed task up to its first await. Returns the time afterwards. */
  #begin([cell, id, name, args]: PostedTask, startedAt: number): number {
    const context = new RunningTask(id, cell, this);
    this.#running.set(id, context);
    try {
      const run = this.#module!.find(name);
      const result = this.#platform.enter(context, () => run(...args));
      if (isThenable(result)) {
        this.#await(context, result, startedAt);
        return this.#platform.now();
      }
      return this.#done(context, result, startedAt);
    } catch (error) {
      return this.#failed(context, error, startedAt);
    }
  }

  #await(context: RunningTask, result: PromiseLike<unknown>, startedAt: number): void {
    Promise.resolve(result)
      .then(
        (value) => this.#done(context, value, startedAt),
        (error) => this.#failed(context, error, startedAt),
      )
      .then(() => this.#pump());
  }

  #done(context: RunningTask, result: unknown, startedAt: number): number {
    const now = this.#end(context);
    let value = result;
    let list: readonly unknown[] | undefined;
    try {
      if (isTransferred(result)) ({ value, list } = result);
      this.#post([TO_MAIN.done, context.id, value, now - startedAt], list);
    } catch (cause) {
      const error = notCloneable(cause, value, 'result', list ?? [], this.#platform.clone);
      this.#post([TO_MAIN.failed, context.id, this.#encode(error), now - startedAt]);
    }
    return now;
  }

  #failed(context: RunningTask, error: unknown, startedAt: number): number {
    const now = this.#end(context);
    const encoded = this.#encode(error);
    const trimmed =
      encoded.type === 'error' ? { ...encoded, stack: this.#platform.trimStack(encoded.stack) } : encoded;
    this.#post([TO_MAIN.failed, context.id, trimmed, now - startedAt]);
    return now;
  }

  #end(context: RunningTask): number {
    context.end();
    this.#running.delete(context.id);
    const now = this.#platform.now();
    this.#lastEndAt = now;
    if (now - this.#lastMemoryAt > MEMORY_REPORT_MS) this.#reportMemory(now);
    return now;
  }

  #reportMemory(now: number): void {
    this.#lastMemoryAt = now;
    const { usedBytes, limitBytes } = this.#platform.memory();
    this.#post([TO_MAIN.memory, usedBytes, limitBytes]);
  }

  // --- aborting ---

  pollAbort(task: RunningTask): void {
    if (!task.isAborted && this.#board.isAborting(task.cell)) this.#options.port.drain();
  }

  #abort(id: number, reason: EncodedError): void {
    const context = this.#running.get(id);
    if (context === undefined) return;
    this.#post([TO_MAIN.abortSeen, id]);
    context.abort(decodeError(reason));
  }

  // --- speaking to the owner ---

  progress(id: number, value: unknown): void {
    this.#postCloneable([TO_MAIN.progress, id, value], value, 'progress');
  }

  callHost(name: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = ++this.#hostCallCount;
      this.#postCloneable([TO_MAIN.hostCall, call, name, args], args, 'args');
      this.#hostCalls.set(call, { resolve, reject });
    });
  }

  #settleHostCall(call: number, error: EncodedError | null, value: unknown): void {
    const waiting = this.#hostCalls.get(call);
    this.#hostCalls.delete(call);
    if (error === null) waiting?.resolve(value);
    else waiting?.reject(decodeError(error));
  }

  async #stop(): Promise<void> {
    try {
      await this.#module?.teardown?.();
    } finally {
      this.leave();
      this.#post([TO_MAIN.stopped]);
    }
  }

  /** This thread is no worker of this runner's any more. */
  leave(): void {
    leaveSeat(this.#seat);
  }

  #encode(error: unknown): EncodedError {
    return encodeError(error, this.#platform.clone);
  }

  #post(message: ToMain, transfer?: readonly unknown[]): void {
    this.#options.port.post(message, transfer);
  }

  /** Posts, or throws ERR_NOT_CLONEABLE that says which part of `value` is to blame. */
  #postCloneable(message: ToMain, value: unknown, name: string): void {
    try {
      this.#post(message);
    } catch (cause) {
      if (cause instanceof ThreadwiseError) throw cause;
      throw notCloneable(cause, value, name, [], this.#platform.clone);
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
