/** The machine under a pool: the only file that sees all contracts. Binds them, and refuses or enters each call. */
import { CallingThread } from './inline/calling-thread.js';
import type { Dispatch, ModuleTraits, Placement } from './contracts.js';
import { Workers } from './workers/workers.js';
import { CrossingMeter } from './calls/crossing-meter.js';
import { DecisionLog } from './workers/decision-log.js';
import { sameAgain, type ThreadwiseError } from './options/errors.js';
import { loadError } from './workers/failures.js';
import { Hooks } from './events/hooks.js';
import { callHost } from './events/host.js';
import { Admission } from './calls/admission.js';
import { Canceller } from './calls/canceller.js';
import { LeaseStore, SingleBuffers } from './lease.js';
import { Ledger } from './calls/ledger.js';
import { Lifecycle } from './control/lifecycle.js';
import { LiveChoice } from './live-choice.js';
import { type SizeBounds, threadBounds } from './options/options.js';
import type { Parts } from './parts.js';
import { checkCloneable } from './calls/payload.js';
import { Recycler } from './workers/recycler.js';
import { RoomQueue } from './calls/room.js';
import { defaultRun, type RunOptions } from './calls/run-options.js';
import { Scaler } from './workers/scaler.js';
import { type PoolStats, snapshot } from './stats.js';
import { type CheckedChanges, Control } from './control/control.js';
import { Tracing } from './events/tracing.js';

export class Engine {
  readonly name: string;
  readonly hooks: Hooks;
  readonly lifecycle: Lifecycle;
  readonly leases: LeaseStore;
  readonly room: RoomQueue;
  readonly #parts: Parts;
  readonly #ledger: Ledger;
  readonly admission: Admission;
  readonly #meter: CrossingMeter;
  readonly #workers: Workers;
  readonly #scaler: Scaler;
  readonly control: Control;
  readonly #dispatch: Dispatch;
  readonly #canceller: Canceller;
  readonly #recycler: Recycler;
  readonly #choice: LiveChoice;
  readonly #tracing: Tracing;
  /** Made when a placement first asks for it. */
  #here: CallingThread | undefined;
  readonly #newHere: () => CallingThread;
  #placement: Placement;
  #threads: SizeBounds;
  readonly #decisions = new DecisionLog();
  /** What the first worker that has loaded the module says of it. */
  #traits: ModuleTraits | undefined;

  constructor(parts: Parts) {
    const { platform, options } = parts;
    const placement = parts.newPlacement(options.placement);
    // The data of the pool is cloned for each of them: say now, and not at the first start, if it cannot be.
    checkCloneable(options.worker.data, 'worker.data', platform.clone);
    this.#parts = parts;
    this.#placement = placement;
    this.#threads = options.threads;
    this.name = parts.name;
    this.hooks = new Hooks(parts.sink);
    this.#meter = new CrossingMeter(platform.now);
    const report = (error: unknown) => this.#report(error);
    this.#tracing = new Tracing(options.tracing, report);
    this.#choice = new LiveChoice(parts.newChoice(options.choose, report));
    const leaseMemory = placement.usesThreads ? parts.exchange.leaseMemory : undefined;
    this.leases = new LeaseStore(leaseMemory ?? new SingleBuffers(platform.sharedMemory));
    const shared = {
      ...parts,
      poolName: this.name,
      hooks: this.hooks,
      tracing: this.#tracing,
      defaults: defaultRun(options),
      callHost: (name: string, args: readonly unknown[]) => callHost(options.host, name, args),
    };
    this.#canceller = new Canceller({
      platform,
      dispatch: () => this.#dispatch,
      kill: (slot, cause) => this.#workers.kill(slot, 'interrupted', cause),
      retire: (slot) => {
        this.#workers.retire(slot, 'interrupted');
        this.#pump();
      },
    });
    this.#workers = new Workers({
      ...shared,
      dispatch: () => this.#dispatch,
      canceller: () => this.#canceller,
      // 0: their number is not the pool's to decide.
      least: () => (this.bounds.min < this.bounds.max ? this.bounds.min : 0),
      onReady: (names, traits) => this.#workerReady(names, traits),
      onAwaits: (name) => this.#here?.awaits(name),
      onFailed: (_slot, error, phase) => this.#workerFailed(error, phase),
      onGone: () => this.#workerGone(),
      onBatch: () => this.#batchEnded(),
      onCompleted: (count) => {
        this.#scaler.succeeded();
        this.#meter.settled(count);
      },
      onRecycled: () => {
        if (this.#recycler.isWorking || this.#dispatch.queued > 0) this.#scaler.replace();
      },
    });
    this.#dispatch = parts.newDispatch({
      platform,
      exchange: parts.exchange,
      tasksPerWorker: options.tasksPerWorker,
      choice: this.#choice,
      newQueue: parts.newQueue,
      slots: () => this.#workers.slots,
      onHand: (task, slot) => this.#canceller.handed(task, slot),
      onOffer: (task) => this.#canceller.offered(task),
      onWithdraw: (task) => this.#canceller.unhanded(task),
    });
    this.#scaler = new Scaler(
      {
        platform,
        scaling: parts.scaling,
        workers: this.#workers,
        dispatch: () => this.#dispatch,
        tasksPerWorker: options.tasksPerWorker,
        cores: () => platform.availableThreads(),
        idleTimeoutMs: options.idleTimeoutMs,
        remote: parts.exchange.sizing,
        openCalls: () => this.#ledger.size,
        measure: () => this.#workers.measure(),
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
      () => this.admission.freePlaces(),
      (callback) => platform.timer(0, callback),
    );
    this.#ledger = new Ledger({
      ...shared,
      plain: parts.exchange.plain,
      onInflated: (task) => this.#canceller.takeOver(task),
      onRan: (name, runMs, now) => this.#placement.learner?.find(name)?.ranAcross(runMs, now),
      onSettled: () => {
        this.lifecycle.settled();
        this.control.settled();
        this.room.update();
      },
    });
    this.#recycler = new Recycler(this.#workers, () => this.lifecycle.updateKeepAlive());
    this.lifecycle = new Lifecycle({
      platform,
      openCalls: () => this.#ledger.size,
      workers: () => this.#workers.slots.length + (this.#here?.isServing ? 1 : 0),
      isWorking: () => this.#recycler.isWorking,
      rejectOpenCalls: (error) => this.#rejectAll(error),
      endWorkers: (how) => this.#endWorkers(how),
      dispose: () => this.#dispose(),
      changed: () => this.#regate(),
    });
    this.control = new Control({
      platform,
      choices: parts.choices,
      recycler: this.#recycler,
      checkOpen: () => {
        if (this.lifecycle.refusal !== undefined) throw this.lifecycle.refusal;
      },
      openCalls: () => this.#ledger.size,
      dispatch: () => this.#dispatch,
      pump: () => this.#pump(),
      apply: (changes) => this.#apply(changes),
      changed: () => this.#regate(),
    });
    this.admission = new Admission({
      ...shared,
      ledger: this.#ledger,
      canceller: this.#canceller,
      lifecycle: this.lifecycle,
      scaler: this.#scaler,
      room: this.room,
      meter: this.#meter,
      dispatch: () => this.#dispatch,
      refusal: () => this.refusal,
    });
    this.#newHere = () =>
      new CallingThread({
        ...shared,
        ledger: this.#ledger,
        isOpen: () => this.lifecycle.state === 'open' && this.control.state === undefined,
        isPaused: () => this.#dispatch.isPaused,
        report,
        onReady: (names) => {
          this.admission.taskNames = names;
          this.#tellIfReady();
        },
        onLoadFailed: (error) => this.lifecycle.break(loadError(parts.moduleUrl, error)),
        onRoom: () => this.room.update(),
        onAdopted: () => this.lifecycle.updateKeepAlive(),
        onGone: () => this.#workerGone(),
      });
    this.admission.limit = options.queueLimit;
    this.#place(placement);
    this.#scaler.adjust();
    this.#tellIfReady();
  }

  // --- calls ---

  /** The gate of plain calls is open unless something has to be done for each call: to be called when any of this changes. */
  #regate(): void {
    const isOpen = this.lifecycle.state === 'open' && this.control.state === undefined;
    this.admission.plain = isOpen && this.admission.here === undefined ? this.#ledger.plain : undefined;
  }

  /** A call for each worker that is there or starting, and for the calling thread where it serves as one. */
  enterForEach(name: unknown, args: unknown, given: RunOptions | undefined): Promise<unknown>[] {
    const here = this.#here?.isServing ? [this.#here] : [];
    const slots = this.#workers.slots.filter((slot) => slot.serves);
    return [...here, ...slots].map((to) => this.admission.enter(name, args, given, to));
  }

  /** The error that a call gets now; undefined while calls are accepted. */
  get refusal(): unknown {
    return this.lifecycle.refusal ?? this.control.refusal;
  }

  close(options?: { timeoutMs?: number }): Promise<void> {
    const closed = this.lifecycle.close(options);
    this.control.release();
    return closed;
  }

  /** The bounds between which workers are started and released. */
  get bounds(): { readonly min: number; readonly max: number } {
    return this.#scaler.bounds;
  }

  resize(threads: unknown): void {
    threadBounds('threads', threads, this.#parts.platform); // where it is undefined, too
    this.control.configure({ threads });
  }

  stats(): PoolStats {
    const { platform, recorder, scaling } = this.#parts;
    this.#here?.within.flush();
    return snapshot({
      name: this.name,
      state: this.lifecycle.state === 'open' ? (this.control.state ?? 'open') : this.lifecycle.state,
      placement: this.#placement.name,
      choose: this.#choice.name,
      bounds: this.#scaler.bounds,
      queueLimit: this.admission.limit,
      crossingMs: this.#placement.usesThreads ? this.#meter.costMs : undefined,
      functions: this.#placement.learner?.snapshot() ?? [],
      open: this.#ledger.size,
      now: platform.now(),
      process: platform.ownLoad(),
      dispatch: this.#dispatch,
      recorder,
      coordinator: this.#parts.exchange.coordinator,
      scaling: scaling.name,
      decisions: this.#decisions.snapshot(),
      slots: this.#workers.slots,
      here: this.#here,
    });
  }

  /** Where calls go from now on; what was learnt for another placement is forgotten. */
  #place(placement: Placement): void {
    const { learner, usesThreads } = placement;
    const isHere = learner !== undefined || !usesThreads;
    this.#placement = placement;
    this.#meter.onMeasured =
      learner === undefined ? undefined : (name, costMs) => learner.find(name)?.crossed(costMs);
    if (isHere) this.#here ??= this.#newHere();
    this.admission.here = isHere ? this.#here : undefined;
    this.#here?.place(placement);
    if (this.#traits !== undefined) this.#here?.learn(this.#traits);
    this.#regate();
  }

  #apply({ threads, choose, placement, queueLimit }: CheckedChanges): void {
    const { newChoice, newPlacement } = this.#parts;
    if (queueLimit !== undefined) this.admission.limit = queueLimit;
    if (choose !== undefined) {
      this.#choice.current = newChoice(choose, (error) => this.#report(error));
      this.#parts.exchange.choose?.(choose);
    }
    if (placement !== undefined) this.#place(newPlacement(placement));
    if (threads !== undefined) this.#threads = threads;
    // Workers that nobody calls any more are idle, and go as such.
    const { usesThreads } = this.#placement;
    if (threads !== undefined || placement !== undefined)
      this.#scaler.resize(usesThreads ? this.#threads : { ...this.#threads, min: 0 });
    this.#pump();
  }

  /** How many more tasks are accepted now. */
  freePlaces(): number {
    return this.admission.freePlaces();
  }

  // --- workers ---

  /** After everything that changes which workers there are, or how many there are to be. */
  #pump(): void {
    this.#here?.tasks.pump();
    this.#dispatch.pump();
    this.#scaler.adjust();
    this.room.update();
    this.#tellIfReady();
  }

  /** As many workers are ready as are to be there: their number may have risen, or the one asked for may have fallen. */
  #tellIfReady(): void {
    const ready = this.#workers.slots.filter((slot) => slot.state === 'ready').length;
    const isReady = this.#placement.usesThreads ? ready >= this.#scaler.bounds.min : this.#here?.isReady;
    if (isReady) this.lifecycle.becomeReady();
  }

  /** Often: so the size is looked at only where tasks wait that more workers could take. */
  #batchEnded(): void {
    this.#meter.batchEnded();
    this.#dispatch.pump();
    if (this.#scaler.canGrow && this.#dispatch.queued > 0) this.#scaler.adjust();
    this.room.update();
  }

  #workerReady(names: readonly string[], traits: ModuleTraits): void {
    this.admission.taskNames = names;
    if (this.#traits === undefined) {
      this.#traits = traits;
      this.#here?.learn(traits);
    }
    this.#recycler.next();
    this.#pump();
  }

  /** A module that never loaded will not load the next time; one that did may (its worker was unlucky). */
  #workerFailed(error: unknown, phase: 'loading' | 'idle'): void {
    if (phase === 'loading' && this.#traits === undefined) {
      this.lifecycle.break(loadError(this.#parts.moduleUrl, error));
    } else {
      this.#scaler.failed(error);
    }
  }

  #workerGone(): void {
    this.#pump();
    this.#recycler.next();
    this.lifecycle.workerGone();
  }

  #rejectAll(error: ThreadwiseError): void {
    this.#dispatch.clear();
    const outcome = error.code === 'ERR_POOL_CLOSED' ? 'rejected' : 'failed';
    this.#ledger.rejectAll(outcome, () => sameAgain(error));
  }

  #endWorkers(how: 'gently' | 'now'): void {
    this.#scaler.close();
    this.#recycler.end();
    this.#here?.stop(how);
    for (const slot of [...this.#workers.slots]) {
      if (how === 'now') this.#workers.kill(slot, 'closed');
      else this.#workers.retire(slot, 'closed');
    }
  }

  #report(error: unknown): void {
    this.hooks.emit('error', { pool: this.name, error });
  }

  #dispose(): Promise<void> | undefined {
    this.#canceller.clear();
    this.#ledger.close();
    this.#here?.stop('now');
    const closed = this.#parts.exchange.close();
    this.leases.close();
    this.room.close();
    this.hooks.emit('pool:close', { pool: this.name });
    this.hooks.clear();
    return closed;
  }
}
