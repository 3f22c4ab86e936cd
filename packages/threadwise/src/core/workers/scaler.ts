/** How many workers there are: asks who sizes the pool, starts and releases, and backs off when workers fail. */
import type { Dispatch, Measured, Platform, RemoteSizing, Scaling, TimerHandle } from '../contracts.js';
import type { Workers } from './workers.js';
import { ThreadwiseError } from '../options/errors.js';
import type { SizeBounds } from '../options/options.js';
import { Sizer, type SizingDecision } from './sizer.js';
import type { WorkerSlot } from './worker-slot.js';

/** First pause after a worker that failed before it did anything; doubles with each further one. Milliseconds. */
const BACKOFF_MS = 50;
/** Failures in a row after which no more workers are started. */
const MAX_FAILURES = 6;

/** How many workers another thread can start while this one is busy. Chosen by hand. */
const RESERVE = 4;

/** How long after a call it is looked whether tasks are stranded, as long as calls are open. Milliseconds; chosen by hand. */
const WATCH_MS = 1000;

export interface ScalerContext {
  readonly platform: Platform;
  readonly scaling: Scaling;
  readonly workers: Workers;
  readonly dispatch: () => Dispatch;
  readonly tasksPerWorker: number;
  /** How many threads make sense for tasks that compute. */
  readonly cores: () => number;
  readonly idleTimeoutMs: number | undefined;
  /** The thread that sizes the pool instead of the policy, as soon as it has said something. */
  readonly remote: RemoteSizing | undefined;
  openCalls(): number;
  measure(): Measured;
  onDecision(decision: SizingDecision): void;
  /** No worker could be started MAX_FAILURES times in a row, and none is left. */
  onGivenUp(error: unknown): void;
  onError(error: unknown): void;
}

export class Scaler {
  readonly #context: ScalerContext;
  readonly #sizer: Sizer;
  #bounds: SizeBounds;
  #isOpen = true;
  #isFull = false;
  #failures = 0;
  #coreCount: number | undefined;
  #pause: TimerHandle | undefined;
  #watchdog: TimerHandle | undefined;

  constructor(context: ScalerContext, bounds: SizeBounds) {
    this.#context = context;
    this.#bounds = bounds;
    const { platform, scaling, measure, onDecision, remote } = context;
    this.#sizer = new Sizer({
      by: 'pool',
      scaling,
      platform,
      load: () => this.#load(),
      measure,
      onDue: () => this.adjust(),
      onDecision,
    });
    remote?.bound(bounds);
    remote?.onWanted((decision) => {
      if (decision !== undefined) onDecision(decision);
      this.adjust();
    });
  }

  /** For who looks at the pool: what the bounds come to now. */
  get bounds(): { readonly min: number; readonly max: number } {
    const { min, max, usualMax } = this.#bounds;
    return {
      min,
      max: usualMax === undefined ? max : Math.max(usualMax, this.#context.workers.servingCount),
    };
  }

  resize(bounds: SizeBounds): void {
    this.#bound(bounds);
    this.adjust();
  }

  /** Brings the number of workers to what is wanted, within the bounds. */
  adjust(): void {
    if (!this.#isOpen) return;
    const { min, max } = this.#bounds;
    this.#growToLeast(min);
    const current = this.#context.workers.servingCount;
    this.#isFull = current >= max;
    if (current === min && current === max) return; // whatever was wanted, nothing could change
    const target = this.#target();
    // Who wants no worker at all says so of what waits now: the next task is a reason to ask again.
    this.#isFull = target >= max || (target > 0 && this.#isSated);
    if (target > current) this.#grow(target - current);
    else if (target < current) this.#shrink(current - target);
    this.#prepare();
  }

  /** One in the place of a worker that is being replaced: whether there should be so many is not the question now. */
  replace(): void {
    if (this.#isOpen && this.#context.workers.servingCount < this.#bounds.max) this.#grow(1);
  }

  /** Whether there was anything left to grow by when the size was last looked at. Asked at every call. */
  get canGrow(): boolean {
    return this.#pause === undefined && !this.#isFull;
  }

  /**
   * To be called at every call. Sees to it that somebody would notice if ever the invariant that `#isNeeded` keeps did not
   * hold, for a reason that nobody has thought of: then one worker is started, and an error says that there is a defect.
   */
  watch(): void {
    this.#watchdog ??= this.#context.platform.timer(WATCH_MS, () => this.#lookForStranded());
  }

  /** A worker ended a task: the failures before it do not count any more. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** A worker ended without having done anything. The next one is started after a pause, or never. */
  failed(error: unknown): void {
    this.#failures++;
    if (this.#failures < MAX_FAILURES) {
      this.#pauseFor(BACKOFF_MS * 2 ** (this.#failures - 1));
    } else if (this.#context.workers.serving.length === 0) {
      this.#context.onGivenUp(error);
    } else {
      this.#bound({ min: 0, max: this.#context.workers.serving.length });
    }
    this.#context.onError(error);
  }

  /** No more growth, no more release. */
  close(): void {
    this.#isOpen = false;
    this.#pause?.cancel();
    this.#watchdog?.cancel();
    this.#sizer.stop();
    this.#context.workers.spawner.dropReserved();
  }

  /** Not before one is ready: the first one has precedence, and if it cannot load, the others could not either. */
  #prepare(): void {
    const { remote, workers } = this.#context;
    if (remote === undefined || !workers.serving.some(({ state }) => state === 'ready')) return;
    workers.spawner.reserve(Math.min(RESERVE, this.#bounds.max - workers.servingCount));
  }

  #target(): number {
    const { min, max } = this.#bounds;
    const wanted = this.#context.remote?.wanted ?? this.#sizer.target();
    const target = Math.max(min, Math.min(max, wanted));
    return target === 0 && this.#isNeeded ? 1 : target;
  }

  /**
   * The invariant: where tasks wait, or are with a worker, and there may be workers, one is there or starting. It is kept
   * here, whatever the policy wants, and whatever a coordinator wants, which does not see what waits for main's workers.
   */
  get #isNeeded(): boolean {
    if (this.#bounds.max === 0) return false;
    const { queued, offered } = this.#context.dispatch();
    return queued + offered > 0 || this.#context.workers.serving.some(({ load }) => load > 0);
  }

  #lookForStranded(): void {
    this.#watchdog = undefined;
    if (this.#context.openCalls() === 0) return;
    this.watch();
    const { queued } = this.#context.dispatch();
    const mayStart = this.#bounds.max > 0 && this.#pause === undefined;
    if (queued === 0 || !mayStart || this.#context.workers.servingCount > 0) return;
    const message = `${queued} tasks waited, and no worker was there or starting: a defect of threadwise; one is started now`;
    this.#context.onError(new ThreadwiseError('ERR_NO_WORKER', message));
    this.#grow(1);
  }

  get #isSated(): boolean {
    return this.#context.remote?.wanted !== undefined || this.#sizer.isSated;
  }

  #bound(bounds: SizeBounds): void {
    this.#bounds = bounds;
    this.#context.remote?.bound(bounds);
  }

  #pauseFor(ms: number): void {
    this.#pause?.cancel();
    this.#pause = this.#context.platform.timer(ms, () => {
      this.#pause = undefined;
      this.adjust();
    });
  }

  #grow(count: number): void {
    if (this.#pause !== undefined) return;
    for (let i = 0; i < count; i++) this.#context.workers.spawner.start();
  }

  /** Whatever the policy says, which takes a while to ask when threads could start already. */
  #growToLeast(min: number): void {
    const { workers, dispatch } = this.#context;
    const from = workers.servingCount;
    if (from >= min) return;
    this.#grow(min - from);
    this.#sizer.least({ from, queued: dispatch().queued, idle: this.#idle().length }, min);
  }

  /** Idle workers first, the youngest first; the others end what they run. */
  #shrink(count: number): void {
    const byIdleness = this.#context.workers.serving.toSorted((a, b) => a.load - b.load || b.id - a.id);
    for (const slot of byIdleness.slice(0, count)) this.#context.workers.retire(slot, 'released');
    this.#context.dispatch().pump(); // what they had not begun may go to the others at once
  }

  #load() {
    const serving = this.#context.workers.serving;
    const dispatch = this.#context.dispatch();
    const workless = this.#idle();
    // The others have a task, and do not know it yet.
    const idle = workless.length === 0 ? workless : workless.slice(dispatch.offered);
    const now = this.#context.platform.now();
    return {
      min: this.#bounds.min,
      max: this.#bounds.max,
      cores: this.#cores(),
      current: serving.length,
      starting: serving.filter((slot) => slot.state === 'starting').length,
      idle: idle.length,
      queued: dispatch.queued,
      tasksPerWorker: this.#context.tasksPerWorker,
      longestIdleMs: Math.max(0, ...idle.map((slot) => now - slot.idleSince)),
      idleTimeoutMs: this.#context.idleTimeoutMs ?? Number.POSITIVE_INFINITY,
    };
  }

  /** Asked for once, and not before it is needed: the system has to be asked. */
  #cores(): number {
    this.#coreCount ??= this.#context.cores();
    return this.#coreCount;
  }

  #idle(): WorkerSlot[] {
    return this.#context.workers.serving.filter((slot) => slot.state === 'ready' && slot.load === 0);
  }
}
