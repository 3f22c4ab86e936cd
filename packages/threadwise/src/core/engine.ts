/** The machine under a pool: the only file that sees all contracts. Binds them, and refuses or enters each call. */
import { rejectWithCaller } from './caller-stack.js';
import { list, text } from './checks.js';
import type {
  Choice,
  Dispatch,
  DispatchContext,
  Exchange,
  Placement,
  Platform,
  Recorder,
  Scaling,
  TaskQueue,
} from './contracts.js';
import { Crew } from './crew.js';
import { DecisionLog } from './decision-log.js';
import { sameAgain, show, ThreadwiseError } from './errors.js';
import { loadError } from './failures.js';
import { type EventSink, Hooks } from './hooks.js';
import { abortError, Interrupter } from './interrupter.js';
import { LeaseStore } from './lease.js';
import { Ledger } from './ledger.js';
import { Lifecycle } from './lifecycle.js';
import {
  defaultRun,
  type ResolvedOptions,
  type ResolvedRun,
  type RunOptions,
  resolveRun,
  threadBounds,
} from './options.js';
import { notCloneable } from './payload.js';
import { RoomQueue } from './room.js';
import { Staffing } from './staffing.js';
import { type PoolStats, snapshot } from './stats.js';
import type { Task } from './task.js';
import type { WorkerSlot } from './worker-slot.js';

/** Everything a pool is bound to; chosen in `create-pool.ts`. */
export interface Parts {
  readonly name: string;
  readonly moduleUrl: string;
  readonly options: ResolvedOptions;
  readonly platform: Platform;
  readonly inlinePlatform: Platform;
  /** The lines to workers on threads, and to the one on the calling thread. */
  readonly exchange: Exchange;
  readonly inlineExchange: Exchange;
  readonly placement: Placement;
  readonly scaling: Scaling;
  readonly recorder: Recorder;
  readonly sink: EventSink;
  readonly newQueue: () => TaskQueue<Task>;
  readonly newDispatch: (context: DispatchContext) => Dispatch;
  readonly newChoice: (report: (error: unknown) => void) => Choice;
}

/** Made without a closure for each call: the executor runs at once, so one place is enough for all. */
let grabbed: (value: unknown) => void = () => undefined;
const grabResolve = (resolve: (value: unknown) => void) => {
  grabbed = resolve;
};

export class Engine {
  readonly name: string;
  readonly hooks: Hooks;
  readonly lifecycle: Lifecycle;
  readonly leases: LeaseStore;
  readonly room: RoomQueue;
  readonly #parts: Parts;
  readonly #exchange: Exchange;
  readonly #defaults: ResolvedRun;
  readonly #ledger: Ledger;
  readonly #crew: Crew;
  readonly #staffing: Staffing;
  readonly #dispatch: Dispatch;
  readonly #interrupter: Interrupter;
  readonly #choice: Choice;
  readonly #decisions = new DecisionLog();
  /** Some worker has loaded the module, so it can be loaded. */
  #hasLoaded = false;

  constructor(parts: Parts) {
    const { platform, options, recorder, placement } = parts;
    checkData(parts);
    this.#parts = parts;
    this.#exchange = placement.usesThreads ? parts.exchange : parts.inlineExchange;
    this.name = parts.name;
    this.#defaults = defaultRun(options);
    this.hooks = new Hooks(parts.sink);
    const report = (error: unknown) => this.hooks.emit('error', { pool: this.name, error });
    this.#choice = parts.newChoice(report);
    this.leases = new LeaseStore(platform.sharedMemory, this.#exchange.leaseMemory);
    this.#interrupter = new Interrupter({
      platform,
      dispatch: () => this.#dispatch,
      kill: (slot, cause) => this.#crew.kill(slot, 'interrupted', cause),
      retire: (slot) => {
        this.#crew.retire(slot, 'interrupted');
        this.#pump();
      },
    });
    this.#crew = new Crew({
      ...parts,
      poolName: this.name,
      hooks: this.hooks,
      dispatch: () => this.#dispatch,
      interrupter: () => this.#interrupter,
      callHost: (name, args) => this.#callHost(name, args),
      onReady: () => this.#workerReady(),
      onFailed: (_slot, error, phase) => this.#workerFailed(error, phase),
      onGone: () => this.#workerGone(),
      onBatch: () => this.#batchEnded(),
      onCompleted: () => this.#staffing.succeeded(),
    });
    this.#dispatch = parts.newDispatch({
      platform,
      exchange: parts.exchange,
      tasksPerWorker: options.tasksPerWorker,
      choice: this.#choice,
      newQueue: parts.newQueue,
      slots: () => this.#crew.slots,
      onHand: (task, slot) => this.#interrupter.handed(task, slot),
      onOffer: (task) => this.#interrupter.offered(task),
      onWithdraw: (task) => this.#interrupter.unhanded(task),
    });
    const { tasksPerWorker, idleTimeoutMs } = options;
    this.#staffing = new Staffing(
      {
        platform,
        scaling: parts.scaling,
        crew: this.#crew,
        dispatch: () => this.#dispatch,
        tasksPerWorker,
        cores: () => platform.availableThreads(),
        idleTimeoutMs,
        remote: parts.exchange.sizing,
        measure: () => this.#crew.measure(),
        onDecision: (decision) => {
          this.#decisions.add(decision);
          this.hooks.emit('pool:size', { pool: this.name, ...decision });
        },
        onGivenUp: (error) => this.lifecycle.break(loadError(parts.moduleUrl, error)),
        onError: report,
      },
      placement.usesThreads ? options.threads : { min: 0, max: 0 },
    );
    this.room = new RoomQueue(
      () => this.freePlaces(),
      (callback) => platform.timer(0, callback),
    );
    this.#ledger = new Ledger({
      poolName: this.name,
      platform,
      recorder,
      hooks: this.hooks,
      onSettled: () => {
        this.lifecycle.settled();
        this.room.update();
      },
    });
    this.lifecycle = new Lifecycle({
      platform,
      openCalls: () => this.#ledger.size,
      workers: () => this.#crew.slots.length,
      rejectOpenCalls: (error) => this.#rejectAll(error),
      endWorkers: (how) => this.#endWorkers(how),
      dispose: () => this.#dispose(),
    });
    if (!placement.usesThreads) this.#crew.inlineSlot();
    this.#staffing.adjust();
    if (this.#crew.slots.length === 0) this.lifecycle.becomeReady();
  }

  // --- calls ---

  /**
   * Validates a call, captures its arguments, and gives it to the dispatch. Never throws.
   * @param slot the worker that it is for; otherwise the dispatch decides
   */
  enter(name: unknown, args: unknown, given?: RunOptions, slot?: WorkerSlot): Promise<unknown> {
    const promise = new Promise(grabResolve);
    const resolve = grabbed;
    try {
      this.#accept(resolve, name, args, given, slot);
    } catch (error) {
      rejectWithCaller(resolve, error);
    }
    return promise;
  }

  #accept(
    resolve: (value: unknown) => void,
    name: unknown,
    args: unknown,
    given: RunOptions | undefined,
    slot: WorkerSlot | undefined,
  ): void {
    const { refusal } = this.lifecycle;
    if (refusal !== undefined) throw refusal;
    const taskName = text('name', name);
    const run = this.#bound(resolveRun(given, this.#defaults));
    if (run.signal?.aborted) throw abortError({ name: taskName, id: 0, run });
    if (this.freePlaces() <= 0) throw this.#queueFull(taskName);
    const payload = this.#exchange.capture(taskName, list('args', args), run);
    const task = this.#ledger.enter(taskName, payload, run, resolve);
    this.lifecycle.updateKeepAlive();
    this.room.taken();
    this.#interrupter.watchSignal(task);
    if (slot === undefined) this.#place(task);
    else this.#dispatch.submitTo(slot, task);
    if (this.#staffing.canGrow && this.#dispatch.queued > 0) this.#staffing.adjust();
  }

  /** A call for each worker that is there or starting. */
  enterForEach(name: unknown, args: unknown, given: RunOptions | undefined): Promise<unknown>[] {
    const slots = this.#crew.slots.filter((slot) => slot.serves);
    return slots.map((slot) => this.enter(name, args, given, slot));
  }

  /** The bounds between which workers are started and released. */
  get bounds(): { readonly min: number; readonly max: number } {
    return this.#staffing.bounds;
  }

  resize(threads: unknown): void {
    const bounds = threadBounds('threads', threads, this.#parts.platform);
    if (this.lifecycle.refusal !== undefined) throw this.lifecycle.refusal;
    if (!this.#parts.placement.usesThreads) return;
    this.#staffing.resize(bounds);
    this.#pump();
  }

  stats(): PoolStats {
    const { platform, options, placement, recorder, scaling } = this.#parts;
    return snapshot({
      name: this.name,
      state: this.lifecycle.state,
      placement: placement.name,
      choose: this.#choice.name,
      bounds: this.#staffing.bounds,
      queueLimit: options.queueLimit,
      open: this.#ledger.size,
      now: platform.now(),
      dispatch: this.#dispatch,
      recorder,
      coordinator: this.#exchange.coordinator,
      scaling: scaling.name,
      decisions: this.#decisions.snapshot(),
      slots: this.#crew.slots,
    });
  }

  #place(task: Task): void {
    if (this.#parts.placement.place(task) === 'inline')
      this.#dispatch.submitTo(this.#crew.inlineSlot(), task);
    else this.#dispatch.submit(task);
  }

  #bound(run: ResolvedRun): ResolvedRun {
    if (run.onProgress === undefined) return run;
    return { ...run, onProgress: this.#parts.platform.bind(run.onProgress) };
  }

  #queueFull(name: string): ThreadwiseError {
    const limit = this.#parts.options.queueLimit;
    const message = `Task '${name}' was refused: ${limit} tasks wait already (option queue.limit). See pool.room()`;
    return new ThreadwiseError('ERR_QUEUE_FULL', message, { taskName: name });
  }

  /** How many more tasks are accepted now. */
  freePlaces(): number {
    const limit = this.#parts.options.queueLimit;
    if (limit === Number.POSITIVE_INFINITY) return limit;
    return limit - this.#dispatch.waiting + (this.#dispatch.hasRoom ? 1 : 0);
  }

  async #callHost(name: string, args: readonly unknown[]): Promise<unknown> {
    const { host } = this.#parts.options;
    const fn = host.get(name);
    if (fn !== undefined) return fn(...args);
    const message = `The pool's owner offers no host function ${show(name)}. Offered: ${[...host.keys()].join(', ') || 'none'}`;
    throw new ThreadwiseError('ERR_TASK_NOT_FOUND', message);
  }

  // --- workers ---

  #pump(): void {
    this.#dispatch.pump();
    this.#staffing.adjust();
    this.room.update();
  }

  /** Often: so the size is looked at only where tasks wait that more workers could take. */
  #batchEnded(): void {
    this.#dispatch.pump();
    if (this.#staffing.canGrow && this.#dispatch.queued > 0) this.#staffing.adjust();
    this.room.update();
  }

  #workerReady(): void {
    const mustExist = this.#parts.placement.usesThreads ? this.#staffing.bounds.min : 1;
    const ready = this.#crew.slots.filter((slot) => slot.state === 'ready').length;
    this.#hasLoaded = true;
    if (ready >= mustExist) this.lifecycle.becomeReady();
    this.#pump();
  }

  /** A module that never loaded will not load the next time; one that did may (its worker was unlucky). */
  #workerFailed(error: unknown, phase: 'loading' | 'idle'): void {
    if (phase === 'loading' && !this.#hasLoaded) {
      this.lifecycle.break(loadError(this.#parts.moduleUrl, error));
    } else {
      this.#staffing.failed(error);
    }
  }

  #workerGone(): void {
    this.#pump();
    this.lifecycle.workerGone();
  }

  #rejectAll(error: ThreadwiseError): void {
    this.#dispatch.clear();
    const outcome = error.code === 'ERR_POOL_CLOSED' ? 'rejected' : 'failed';
    this.#ledger.rejectAll(outcome, () => sameAgain(error));
  }

  #endWorkers(how: 'gently' | 'now'): void {
    this.#staffing.close();
    for (const slot of [...this.#crew.slots]) {
      if (how === 'now') this.#crew.kill(slot, 'closed');
      else this.#crew.retire(slot, 'closed');
    }
  }

  #dispose(): Promise<void> | undefined {
    this.#interrupter.clear();
    const closed = this.#parts.exchange.close();
    this.leases.close();
    this.room.close();
    this.hooks.emit('pool:close', { pool: this.name });
    this.hooks.clear();
    return closed;
  }
}

/** The data of the workers is cloned for each of them: say now, and not at the first start, if it cannot be. */
function checkData({ options, platform }: Parts): void {
  const { data } = options.worker;
  try {
    platform.clone(data);
  } catch (cause) {
    throw notCloneable(cause, data, 'worker.data', [], platform.clone);
  }
}
