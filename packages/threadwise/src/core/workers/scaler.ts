/** Keeps the number of workers: asks the policy or the coordinator how many to have, starts and releases them, backs off when they fail. */
import type { TimerHandle } from '../contracts.js';
import type { Engine } from '../engine.js';
import { ThreadwiseError } from '../options/errors.js';
import type { SizeBounds } from '../options/options.js';
import { Sizer, type SizingDecision } from './sizer.js';
import type { WorkerSlot } from './worker-slot.js';

/** The pause after a worker that failed before it did anything; doubles with each further one. Milliseconds. */
const BACKOFF_MS = 50;
/** The longest pause, and the longest time before the pool notices that the module loads again. Milliseconds; chosen by hand. */
const MAX_BACKOFF_MS = 60_000;
/** Failures in a row after which a pool without workers is broken, and one with some is ready without the others. */
const MAX_FAILURES = 6;
/** How many workers another thread can start while this one is busy. Chosen by hand. */
const RESERVE = 4;
/** How often, while calls are open, the scaler looks whether tasks are stranded. Milliseconds; chosen by hand. */
const WATCH_MS = 1000;
/** How many decisions are kept. Chosen by hand: a screen or two. */
const KEPT_DECISIONS = 64;

export class Scaler {
  /** The last decisions, the oldest first: they say why the pool is as large as it is. */
  readonly decisions: SizingDecision[] = [];
  readonly #engine: Engine;
  readonly #sizer: Sizer;
  /** The thread that sizes the pool instead of the policy, as soon as it has said something. */
  readonly #remote;
  #bounds: SizeBounds;
  /**
   * Whether a worker is there only because tasks were open when none was wanted. A coordinator says that once, perhaps before main has heard of the
   * last result: so `adjust` is to be called again when tasks have settled.
   */
  keepsOne = false;
  #isOpen = true;
  #isFull = false;
  /** Failures in a row, and the time of the last one. */
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #pause: TimerHandle | undefined;
  #watchdog: TimerHandle | undefined;

  constructor(engine: Engine, bounds: SizeBounds) {
    const { platform, scaling, exchange } = engine.parts;
    this.#engine = engine;
    this.#remote = exchange.sizing;
    this.#bounds = bounds;
    this.#sizer = new Sizer({
      by: 'pool',
      scaling,
      platform,
      load: () => this.#load(),
      measure: () => engine.workers.measure(),
      onDue: () => this.adjust(),
      onDecision: this.#decided,
    });
    if (this.#remote === undefined) return;
    this.#remote.bound(bounds);
    this.#remote.onWanted = (decision) => {
      if (decision !== undefined) this.#decided(decision);
      this.adjust();
    };
  }

  /** The bounds as `stats()` shows them: those that the caller wants, with every placement. */
  get bounds(): { readonly min: number; readonly max: number } {
    const { min, max, usualMax } = this.#engine.threads;
    return { min, max: usualMax === undefined ? max : Math.max(usualMax, this.#current) };
  }

  resize(bounds: SizeBounds): void {
    this.#bounds = bounds;
    this.#remote?.bound(bounds);
    this.adjust();
  }

  /** Brings the number of workers to what is wanted, within the bounds. */
  adjust(): void {
    if (!this.#isOpen) return;
    // The next worker is started now, not after a long pause: if it fails, too, the pool is broken.
    if (this.#isAtTheEnd) this.#endPause();
    const bounds = this.#bounds;
    const { min, max } = bounds;
    const { workers, dispatch } = this.#engine;
    // A listener that was told of a worker or of a decision may have closed the pool, or resized it: then all is done.
    const isOver = () => !this.#isOpen || this.#bounds !== bounds;
    const before = this.#current;
    // Workers up to the minimum are started without asking the policy: that takes a while, in which threads can start.
    if (before < min) {
      this.#sizer.least();
      if (!isOver()) this.#grow(min - before);
      if (isOver()) return;
    }
    const current = this.#current;
    this.#isFull = current >= max;
    if (current === min && current === max) return; // whatever was wanted, nothing could change
    const remote = this.#remote?.wanted;
    const wanted = Math.max(min, Math.min(max, remote ?? this.#sizer.target()));
    if (isOver()) return;
    const target = wanted === 0 && this.#isNeeded ? 1 : wanted;
    this.keepsOne = target > wanted && remote !== undefined;
    // A target of 0 is an answer to what waits now: the next task is a reason to ask again.
    this.#isFull = target >= max || (target > 0 && (remote !== undefined || this.#sizer.isSated));
    this.#grow(target - current);
    if (target < current) {
      // Idle workers first, the youngest first; the others end what they run.
      const byIdleness = workers.serving.toSorted((a, b) => a.load - b.load || b.id - a.id);
      for (const slot of byIdleness.slice(0, current - target)) workers.retire(slot, 'released');
      dispatch.pump(); // what they had not begun may go to the others at once
    }
    // Workers are prepared only once one is ready: if that one cannot load, the others could not either.
    const mayReserve = this.#pause === undefined && workers.serving.some(({ state }) => state === 'ready');
    if (this.#remote?.isDown === false && mayReserve && !isOver())
      workers.reserve(this.#remote, Math.min(RESERVE, max - this.#current));
  }

  /** Whether a worker can be started in the place of one that serves. */
  get mayReplace(): boolean {
    return this.#isOpen && this.#pause === undefined && this.#current <= this.#bounds.max;
  }

  /** Starts a worker in the place of one that is being replaced, without asking the policy. */
  replace(): void {
    this.#grow(1);
  }

  /** Tries again at once, after failures, whether a worker can be started. */
  retry(): void {
    if (this.#failures === 0) return;
    this.#endPause();
    this.replace();
  }

  /** Whether workers fail to start: what is missing waits for the end of the pause, or is tried again just now. */
  get isFailing(): boolean {
    if (this.#failures === 0) return false;
    return this.#pause !== undefined || this.#engine.workers.slots.some(({ state }) => state === 'starting');
  }

  /** How many workers must be ready before the pool is: where they fail again and again, no more than are left. */
  get expected(): number {
    const { min } = this.#bounds;
    return this.#failures < MAX_FAILURES ? min : Math.min(min, this.#current);
  }

  /** Whether there was anything left to grow by when the size was last looked at. Asked at every call. */
  get canGrow(): boolean {
    return this.#pause === undefined && !this.#isFull;
  }

  /**
   * To be called at every call. A safety net: if the invariant that `#isNeeded` keeps does not hold for a reason that nobody has
   * thought of, one worker is started, and an error says that there is a defect.
   */
  watch(): void {
    this.#watchdog ??= this.#engine.parts.platform.timer(WATCH_MS, () => {
      this.#watchdog = undefined;
      if (this.#engine.ledger.size === 0) return;
      this.watch();
      const { queued } = this.#engine.dispatch;
      if (queued === 0 || this.#bounds.max === 0 || this.#pause !== undefined || this.#current > 0) return;
      const message = `${queued} tasks waited, and no worker was there or starting: a defect of threadwise; one is started now`;
      this.#engine.hooks.report(new ThreadwiseError('ERR_NO_WORKER', message));
      this.#grow(1);
    });
  }

  /** A worker that was started at `startedAt` has ended its first task: failures before its start do not count any more. */
  succeeded(startedAt: number): void {
    if (startedAt > this.#failedAt) this.#failures = 0;
  }

  /**
   * A worker ended without having done anything. The next one is started after a pause; after MAX_FAILURES, if no worker is left, the pool is
   * broken. Workers that were started before the last failure that counts fail together with that, as the threads of a process do: they do not
   * count. The others do, also where workers that overlap take turns to fail.
   */
  failed(error: unknown, { startedAt, stage }: WorkerSlot): void {
    const { platform } = this.#engine.parts;
    if (this.#failures === 0 || startedAt > this.#failedAt) {
      this.#failures++;
      this.#failedAt = platform.now();
    }
    if (this.#isAtTheEnd) this.#engine.moduleFailed(error, stage);
    else if (this.#isOpen) {
      this.#endPause();
      const ms = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (this.#failures - 1));
      this.#pause = platform.timer(ms, () => {
        this.#endPause();
        this.adjust();
      });
    }
    this.#engine.hooks.report(error);
  }

  /** No more growth, no more release. */
  close(): void {
    this.#isOpen = false;
    this.#endPause();
    this.#watchdog?.cancel();
    this.#sizer.stop();
    this.#engine.workers.dropReserved();
  }

  get #current(): number {
    return this.#engine.workers.serving.length;
  }

  /** Whether workers failed again and again, and none is left. */
  get #isAtTheEnd(): boolean {
    return this.#failures >= MAX_FAILURES && this.#current === 0;
  }

  /**
   * The invariant: where tasks wait, or are with a worker, and there may be workers, one is there or starting. It is kept
   * here, against the policy and against a coordinator, which does not see what waits for main's workers.
   */
  get #isNeeded(): boolean {
    if (this.#bounds.max === 0) return false;
    const { dispatch, workers } = this.#engine;
    return dispatch.queued + dispatch.offered > 0 || workers.serving.some(({ load }) => load > 0);
  }

  readonly #decided = (decision: SizingDecision): void => {
    this.decisions.push(decision);
    if (this.decisions.length > KEPT_DECISIONS) this.decisions.shift();
    this.#engine.hooks.emit('pool:size', decision);
  };

  #endPause(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
  }

  #grow(count: number): void {
    // A listener that is told of a worker may close the pool, resize it, or have workers started itself; one that cannot start begins a pause.
    const mayGrow = () => this.#isOpen && this.#pause === undefined && this.#current < this.#bounds.max;
    for (let i = 0; i < count && mayGrow(); i++) this.#engine.workers.start();
  }

  #load() {
    const { workers, dispatch, parts } = this.#engine;
    const { tasksPerWorker, idleTimeoutMs = Number.POSITIVE_INFINITY } = parts.options;
    const { serving, slots } = workers;
    // Each task on offer is about to be taken by one of the idle workers, which is idle no more.
    const idle = slots.filter(({ state, load }) => state === 'ready' && load === 0).slice(dispatch.offered);
    const now = parts.platform.now();
    return {
      ...this.#bounds,
      current: serving.length,
      starting: serving.filter(({ state }) => state === 'starting').length,
      idle: idle.length,
      queued: dispatch.queued,
      tasksPerWorker,
      longestIdleMs: Math.max(0, ...idle.map(({ idleSince }) => now - idleSince)),
      idleTimeoutMs,
    };
  }
}
