/** The engine of a pool: makes its parts, which know each other through it. What concerns several of them is done here, in their order. */
import { Admission, PackingAdmission } from './calls/admission.js';
import { Canceller } from './calls/canceller.js';
import { CrossingMeter } from './calls/crossing-meter.js';
import { cloned } from './calls/payload.js';
import type { PlainCalls } from './calls/plain-calls.js';
import { RoomQueue } from './calls/room.js';
import { defaultRun, type ResolvedRun } from './calls/run-options.js';
import { Ledger } from './calls/ledger.js';
import type { Task } from './calls/task.js';
import type {
  Choice,
  Dispatch,
  DispatchContext,
  Exchange,
  Instances,
  ModuleHere,
  ModuleTraits,
  Placement,
  Platform,
  Recorder,
  Scaling,
  TaskQueue,
} from './contracts.js';
import { type EventSink, Hooks } from './events/hooks.js';
import { type Fork, FORK_HOST, Forks } from './calls/forks.js';
import { STREAM_HOST, Streams } from './calls/stream.js';
import { CallingThread } from './inline/calling-thread.js';
import { type LeaseMemory, SingleBuffers } from './lease.js';
import { Lifecycle } from './lifecycle.js';
import { sameAgain, type ThreadwiseError } from './options/errors.js';
import { checkChanges, type ResolvedOptions, type SizeBounds, threadBounds } from './options/options.js';
import { hostNotFound, isShortage, loadError, type Stage } from './workers/failures.js';
import { Recycler } from './workers/recycler.js';
import { Scaler } from './workers/scaler.js';
import type { WorkerSlot } from './workers/worker-slot.js';
import { Workers } from './workers/workers.js';

/** What a pool is made from, by `open-pool.ts`. */
export interface Parts {
  readonly name: string;
  readonly moduleUrl: string;
  readonly options: ResolvedOptions;
  readonly platform: Platform;
  readonly exchange: Exchange;
  readonly scaling: Scaling;
  readonly recorder: Recorder;
  readonly sink: EventSink;
  readonly newQueue: () => TaskQueue<Task>;
  readonly newDispatch: (context: DispatchContext) => Dispatch;
  readonly newPlacement: (name: ResolvedOptions['placement']) => Placement;
  readonly newModuleHere: () => ModuleHere;
  readonly newChoice: (choose: ResolvedOptions['choose'], report: (error: unknown) => void) => Choice;
  /** Undefined: no class is registered. */
  readonly instances?: Instances | undefined;
  /** The names that `choose` can have. */
  readonly choices: readonly string[];
}

export class Engine {
  readonly parts: Parts;
  readonly hooks: Hooks;
  /** The options of a call that gives none. */
  readonly defaults: ResolvedRun;
  readonly leases: LeaseMemory;
  readonly meter: CrossingMeter;
  readonly room = new RoomQueue(this);
  readonly streams = new Streams();
  readonly forks = new Forks(this);
  readonly ledger: Ledger;
  readonly canceller = new Canceller(this);
  readonly workers: Workers;
  readonly dispatch: Dispatch;
  readonly scaler: Scaler;
  readonly recycler = new Recycler(this);
  readonly lifecycle: Lifecycle;
  readonly admission: Admission;
  /** The table that calls of `run` go to at once; undefined while admission has to see each of them. */
  plain: PlainCalls | undefined;
  /** Made when a placement first asks for it. */
  here: CallingThread | undefined;
  placement: Placement;
  choice: Choice;
  /** What the caller wants; with the placement 'inline' no worker has to be there. */
  threads: SizeBounds;
  /** What the first worker that loaded the module said of its functions. */
  #traits: ModuleTraits | undefined;

  constructor(parts: Parts) {
    const { platform, options, exchange } = parts;
    // The data of the pool is cloned for each worker: say now, and not at the first start, if it cannot be.
    cloned(options.worker.data, 'worker.data', platform.clone);
    this.parts = parts;
    this.hooks = new Hooks(parts.sink, parts.name, options);
    this.defaults = defaultRun(options);
    this.placement = parts.newPlacement(options.placement);
    this.choice = parts.newChoice(options.choose, this.hooks.report);
    this.threads = options.threads;
    const { usesThreads } = this.placement;
    this.leases = (usesThreads && exchange.leaseMemory) || new SingleBuffers(platform.sharedMemory);
    this.meter = new CrossingMeter(platform.now);
    this.workers = new Workers(this);
    this.scaler = new Scaler(this, usesThreads ? options.threads : { ...options.threads, min: 0, max: 0 });
    this.dispatch = parts.newDispatch({
      platform,
      exchange,
      newQueue: parts.newQueue,
      tasksPerWorker: options.tasksPerWorker,
      choice: { choose: (task, candidates) => this.choice.choose(task, candidates) },
      slots: () => this.workers.slots,
      batchEnded: () => this.batchEnded(),
      canceller: this.canceller,
    });
    this.ledger = new Ledger(this);
    this.lifecycle = new Lifecycle(this);
    this.admission = parts.instances === undefined ? new Admission(this) : new PackingAdmission(this);
    this.#place(this.placement);
    this.scaler.adjust();
    this.tellIfReady();
  }

  /** Calls a host function for a task that runs on `by`. Rejects with what that throws, or with ERR_TASK_NOT_FOUND. */
  async callHost(by: object, name: string, given: readonly unknown[]): Promise<unknown> {
    const { instances, options } = this.parts;
    const args = instances?.unpackArguments(given) ?? given;
    const own = options.host.get(name);
    let result: unknown;
    if (name === STREAM_HOST) result = this.streams.take(...(args as [number, number, unknown[]]));
    else if (name === FORK_HOST) result = this.forks.ask(by, args as unknown as Fork);
    else if (own !== undefined) result = own(...args);
    else throw hostNotFound(name, [...options.host.keys()]);
    return instances === undefined ? result : instances.pack(await result);
  }

  /** Opens or closes the short way of plain calls: it is open unless something has to be done for each call. Called when that may change. */
  regate(): void {
    const { admission, lifecycle, placement, parts, ledger } = this;
    admission.plain = lifecycle.state === 'open' && placement.usesThreads ? ledger.plain : undefined;
    const asksBefore = admission.here !== undefined || parts.instances !== undefined;
    this.plain = asksBefore ? undefined : admission.plain;
  }

  resize(threads: unknown): void {
    threadBounds('threads', threads, this.parts.platform); // also if it is undefined, which `configure` accepts
    this.configure({ threads });
  }

  /** Makes all the changes, or none if one of them is wrong. Throws ERR_OPTION or ERR_POOL_CLOSED; of a broken pool, ERR_MODULE_LOAD. */
  configure(given: unknown): void {
    const { threads, choose, placement, queue } = checkChanges(given, this.parts.options, this.parts);
    this.lifecycle.checkOpen();
    if (queue.limit !== undefined) this.admission.limit = queue.limit;
    if (choose !== undefined) {
      this.choice = this.parts.newChoice(choose, this.hooks.report);
      this.parts.exchange.choose?.(choose);
    }
    if (placement !== undefined) this.#place(this.parts.newPlacement(placement));
    if (threads !== undefined) this.threads = threads;
    // Workers that get no more calls are idle, and are released like any idle worker.
    if (threads !== undefined || placement !== undefined)
      this.scaler.resize(this.placement.usesThreads ? this.threads : { ...this.threads, min: 0 });
    this.pump();
  }

  /** Sets where calls go from now on, and forgets what was learnt for another placement. */
  #place(placement: Placement): void {
    const { learner, usesThreads } = placement;
    this.placement = placement;
    this.meter.learner = learner;
    const isHere = learner !== undefined || !usesThreads;
    if (isHere) this.here ??= new CallingThread(this);
    this.admission.here = isHere ? this.here : undefined;
    this.here?.place(placement);
    if (this.#traits !== undefined) this.here?.learn(this.#traits);
    this.regate();
  }

  /** To be called after everything that changes which workers there are, or how many there are to be. */
  pump(): void {
    this.here?.tasks.pump();
    this.dispatch.pump();
    this.scaler.adjust();
    this.room.update();
    this.tellIfReady();
  }

  /** Settles `ready` if enough workers are ready. Called when more may be ready, or fewer may be expected. */
  tellIfReady(): void {
    const ready = this.workers.slots.filter((slot) => slot.state === 'ready');
    const isReady = this.placement.usesThreads ? ready.length >= this.scaler.expected : this.here?.isReady;
    if (isReady) this.lifecycle.becomeReady();
  }

  /** Called after each batch of results. */
  batchEnded(): void {
    this.meter.batchEnded();
    if (this.ledger.hasRecords || !this.dispatch.takesPlain) this.dispatch.pump();
    if (this.scaler.canGrow && this.dispatch.queued > 0) this.scaler.adjust();
    this.room.update();
  }

  workerReady(names: readonly string[], traits: ModuleTraits): void {
    this.parts.recorder.functions.names = names;
    if (this.#traits === undefined) {
      this.#traits = traits;
      this.here?.learn(traits);
    }
    this.recycler.next();
    this.pump();
  }

  /** A worker failed before it did anything. A module that never loaded will not load the next time, unless the system was short of something. */
  workerFailed(slot: WorkerSlot, error: unknown, phase: 'loading' | 'idle'): void {
    this.recycler.end(loadError(this.parts.moduleUrl, error, slot.stage));
    if (phase === 'loading' && this.#traits === undefined && !isShortage(error))
      this.moduleFailed(error, slot.stage);
    else this.scaler.failed(error, slot);
  }

  moduleFailed(error: unknown, stage: Stage): void {
    this.lifecycle.break(loadError(this.parts.moduleUrl, error, stage));
  }

  /** A worker, or the calling thread, which ends as a worker ends, is on its way out, or gone. */
  workerGone(): void {
    this.pump();
    this.recycler.next();
    this.lifecycle.workerGone();
  }

  // --- how the pool ends: the steps of `lifecycle.ts` ---

  rejectAll(error: ThreadwiseError): void {
    this.dispatch.clear();
    const outcome = error.code === 'ERR_POOL_CLOSED' ? 'rejected' : 'failed';
    this.ledger.rejectAll(outcome, (task) => {
      // A worker that has claimed the task, and not begun it, would put it back when the worker ends.
      if (task.state === 'queued') this.dispatch.remove(task);
      return sameAgain(error);
    });
  }

  /** Steps 3 and 4. */
  endWorkers(how: 'gently' | 'now'): void {
    this.scaler.close();
    this.recycler.end();
    this.here?.stop(how);
    for (const slot of [...this.workers.slots]) {
      if (how === 'now') this.workers.kill(slot, 'closed');
      else this.workers.retire(slot, 'closed');
    }
  }

  /** Step 5. What comes of a call that has closed the pool while it ran here is told before `pool:close`. */
  async dispose(): Promise<void> {
    this.canceller.clear();
    this.ledger.plain?.close();
    const closed = this.parts.exchange.close();
    this.leases.close?.();
    this.room.close();
    await closed;
    this.hooks.emit('pool:close', {});
    this.hooks.clear();
  }
}
