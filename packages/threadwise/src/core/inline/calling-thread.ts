/**
 * The calling thread as a place for calls: for all of them with placement 'inline', for those that cost less here with
 * 'auto'. A call whose function returns its result itself runs within `pool.run` (`calls-here.ts`); every other one is a task
 * (`tasks-here.ts`). Calls begin for at most `loopBudgetMs` in each turn of the event loop. What comes after that waits for the
 * next turn ('inline'), or crosses, unless it comes alone ('auto').
 */
import { capture, type Payload } from '../calls/payload.js';
import type { ResolvedRun } from '../calls/run-options.js';
import { streamedName } from '../calls/stream.js';
import type { LoadedModule, ModuleTraits, Placement, TimerHandle, WorkerRecord } from '../contracts.js';
import type { Engine } from '../engine.js';
import type { WorkerStats } from '../stats.js';
import { textOf } from '../options/errors.js';
import { transition } from '../workers/worker-slot.js';
import { loadsTooLong, reasonOf, type Stage } from '../workers/failures.js';
import { TEARDOWN_MS } from '../workers/workers.js';
import { CallsHere, NO_WORKER } from './calls-here.js';
import { type Entry, newEntry } from './entry.js';
import { TasksHere } from './tasks-here.js';

/**
 * unloaded: nobody has asked for the module. loading: it is loaded and set up. ready: calls run. stopping: what has begun
 * ends. tearing-down: `teardown` runs. failed: the module does not load here. stopped: nothing runs here any more.
 */
type State = 'unloaded' | 'loading' | 'ready' | 'stopping' | 'tearing-down' | 'failed' | 'stopped';

const TRANSITIONS: Readonly<Record<State, readonly State[]>> = {
  unloaded: ['loading', 'stopped'],
  loading: ['ready', 'failed', 'stopped'],
  ready: ['loading', 'stopping', 'stopped'],
  stopping: ['tearing-down', 'stopped'],
  'tearing-down': ['stopped'],
  failed: ['stopped'],
  stopped: [],
};

/** How many timers, one after another, make up `startTimeoutMs`. Chosen by hand. */
const LOOKS = 10;

export class CallingThread {
  readonly module;
  readonly calls: CallsHere;
  readonly tasks: TasksHere;
  /** The record of this thread, made with the first placement 'inline': from then on it is set up, and shown, like a worker. */
  record: WorkerRecord | undefined;
  readonly #engine: Engine;
  #state: State = 'unloaded';
  #loaded: LoadedModule | undefined;
  #error: unknown;
  #exitReason: 'closed' | 'load-failed' = 'closed';
  #stage: Stage = 'load';
  /** The functions that 'auto' may run here. */
  #allowed: readonly string[] = [];
  #since = 0;
  #deadline: TimerHandle | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.module = engine.parts.newModuleHere();
    this.calls = new CallsHere(engine, this);
    this.tasks = new TasksHere(engine, this);
  }

  // --- what runs here ---

  /** Sets where calls go from now on. Tasks that have been accepted here end here. */
  place(placement: Placement): void {
    const { hooks, parts } = this.#engine;
    this.calls.place(placement);
    if (placement.usesThreads) return;
    if (this.#state === 'failed') return this.#engine.moduleFailed(this.#error, this.#stage);
    if (this.record === undefined) {
      this.record = parts.recorder.worker();
      this.#since = parts.platform.now();
      hooks.emit('worker:start', { workerId: NO_WORKER });
      if (this.isReady && this.#loaded!.setup === undefined) this.#tellReady();
      else if (this.isReady) void this.#load(); // 'auto' has loaded the module, and not called its `setup`
    }
    if (this.#state === 'unloaded') void this.#load();
  }

  /** Learns from a worker that has loaded the module which of its functions may run here. */
  learn({ functions, others }: ModuleTraits): void {
    const { learner } = this.#engine.placement;
    if (learner === undefined) return;
    for (const [name, why] of others) learner.of(name).forbid(why);
    for (const name of functions) learner.of(name); // measured on threads, while the module loads here
    this.#allowed = functions;
    if (this.#state === 'unloaded' && functions.length > 0) void this.#load();
    else this.#allow();
  }

  /** A function has returned a promise. With 'auto' it stays on threads from now on: it needs more than a part of a turn of this thread. */
  awaits(name: string): void {
    this.#engine.placement.learner?.of(name).forbid('it returns a promise');
    const entry = this.calls.entries.get(name);
    if (entry === undefined || entry.unseen === Number.POSITIVE_INFINITY) return;
    entry.unseen = Number.POSITIVE_INFINITY;
    this.calls.turn++; // the credits that were granted are void
  }

  /** The function of a task, by its name as it crosses. Throws ERR_TASK_NOT_FOUND. */
  entry(wireName: string): Entry {
    const run = this.#loaded!.find(wireName);
    const name = streamedName(wireName);
    if (name !== undefined) return newEntry(name, run, false, this.module.isAsked());
    return this.calls.entries.get(wireName)!;
  }

  /** Whether a task that is submitted now would begin at once, or in the next turn. */
  get hasRoom(): boolean {
    return this.isReady && !this.#engine.dispatch.isPaused && this.tasks.hasRoom;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Whether this thread serves as a worker does: closing the pool waits for it. */
  get isServing(): boolean {
    return this.record !== undefined && this.#state !== 'failed' && this.#state !== 'stopped';
  }

  /** What `stats().workers` says of this thread; undefined where it serves as no worker. */
  stats(now: number): WorkerStats | undefined {
    if (!this.isServing) return undefined;
    const times = this.record!.snapshot();
    return {
      id: NO_WORKER,
      state: this.#state === 'loading' ? 'starting' : this.isReady ? 'ready' : 'stopping',
      inline: true,
      load: this.tasks.running + this.tasks.waiting,
      completed: times.runMs.count,
      utilization: 0,
      heapUsedBytes: 0,
      ageMs: now - this.#since,
      cpu: null,
      ...times,
    };
  }

  /** Captures the arguments of a task. Throws ERR_NOT_CLONEABLE. */
  capture(_name: string, args: readonly unknown[], run: ResolvedRun): Payload {
    const copy = (value: unknown, transfer: readonly unknown[] = []) =>
      this.module.copy(value, transfer.length > 0 ? transfer : undefined) as never;
    return capture(args, run.transfer, copy);
  }

  // --- the module ---

  async #load(): Promise<void> {
    const { platform, options, name: poolName } = this.#engine.parts;
    const { data } = options.worker;
    this.#transition('loading');
    this.calls.clear();
    this.#limitStart(LOOKS);
    let loaded: LoadedModule;
    try {
      loaded = await this.module.load();
      if (this.#state !== 'loading') return;
      // 'auto' prepares nothing here: it leaves a module with a setup alone, unless that declares 'auto' for a function.
      const own = { workerId: NO_WORKER, poolName, data: platform.clone(data) };
      if (this.record !== undefined && loaded.setup !== undefined) {
        this.#stage = 'setup';
        await loaded.setup(own);
      }
    } catch (error) {
      return this.#failed(error);
    }
    if (this.#state === 'loading') this.#ready(loaded);
    // The pool was stopped meanwhile, and this thread goes on: what `setup` has opened has to be closed.
    else if (this.record !== undefined) await this.#tearDown(loaded);
  }

  /** Looks are counted, and no time is taken: while this thread is blocked, or has no core, the module cannot load. */
  #limitStart(looks: number): void {
    const { platform, options } = this.#engine.parts;
    const { startTimeoutMs: ms } = options.worker;
    if (looks === 0) return this.#failed(loadsTooLong(ms, this.#stage));
    this.#deadline = platform.timer(ms / LOOKS, () => this.#limitStart(looks - 1));
  }

  #ready(loaded: LoadedModule): void {
    const isAsked = this.module.isAsked();
    this.#loaded = loaded;
    this.#transition('ready');
    for (const [name, run] of loaded.tasks)
      this.calls.entries.set(name, newEntry(name, run, loaded.pure.includes(name), isAsked));
    this.calls.place(this.#engine.placement);
    this.module.serve(() => this.calls.current());
    this.#allow();
    if (this.record !== undefined) this.#tellReady();
  }

  #tellReady(): void {
    const { hooks, parts } = this.#engine;
    const startMs = parts.platform.now() - this.#since;
    hooks.emit('worker:ready', { workerId: NO_WORKER, startMs });
    parts.recorder.functions.names = this.#loaded!.names;
    this.#engine.pump();
  }

  /** The module cannot be loaded here: the pool ends, and stops this thread. With 'auto' it goes on without this thread: workers have loaded the module. */
  #failed(error: unknown): void {
    if (this.#state !== 'loading') return;
    this.#error = error;
    this.#exitReason = 'load-failed';
    if (this.calls.takesAll) return this.#engine.moduleFailed(error, this.#stage);
    this.#transition('failed');
    this.#allow();
    this.#engine.hooks.report(error);
    if (this.record !== undefined) this.#tellExit();
  }

  #allow(): void {
    const { learner } = this.#engine.placement;
    const why = `the module cannot be loaded on the calling thread: ${textOf(this.#error)}`;
    for (const name of this.#allowed) {
      if (this.isReady) learner?.of(name).allow();
      if (this.#state === 'failed') learner?.of(name).forbid(why);
    }
  }

  /** 'gently': lets what has begun end, then runs `teardown`. 'now': does neither. */
  stop(how: 'gently' | 'now'): void {
    if (how === 'now' || !this.isServing || this.#state === 'loading') return this.#stopped();
    if (this.isReady) this.#transition('stopping');
    this.stopIfDone();
  }

  stopIfDone(): void {
    if (this.#state !== 'stopping' || this.tasks.running > 0) return;
    this.#transition('tearing-down');
    const { parts, hooks } = this.#engine;
    this.#deadline = parts.platform.timer(TEARDOWN_MS, () => {
      hooks.report(reasonOf(`'teardown' did not end within ${TEARDOWN_MS} ms: the pool closes without it`));
      this.#stopped();
    });
    void this.#tearDown(this.#loaded!).then(() => this.#stopped());
  }

  async #tearDown({ teardown }: LoadedModule): Promise<void> {
    try {
      await teardown?.();
    } catch (error) {
      this.#engine.hooks.report(error);
    }
  }

  #stopped(): void {
    if (this.#state === 'stopped') return;
    const wasServing = this.isServing;
    this.#transition('stopped');
    this.tasks.clear();
    this.module.leave();
    if (!wasServing) return;
    this.#tellExit();
    this.#engine.workerGone();
  }

  #tellExit(): void {
    const told = { workerId: NO_WORKER, reason: this.#exitReason, exitCode: 0, error: this.#error };
    this.#engine.hooks.emit('worker:exit', told);
  }

  #transition(to: State): void {
    this.#state = transition('the calling thread', TRANSITIONS, this.#state, to);
    this.#deadline?.cancel();
    this.#deadline = undefined;
  }
}
