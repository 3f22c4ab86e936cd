/** How many workers a pool should have, as its coordinator sees it: from its own queue and seats, whatever main does. */
import type { CpuTime, Measured, TimerHandle } from '../core/contracts.js';
import { Sizer, type SizingDecision } from '../core/workers/sizer.js';
import { measured } from '../scheduling/scaling/measured.js';
import type { CoordinatorOptions } from '../transport/coordinator/exchange.js';

export interface SizingPlatform {
  /** Milliseconds on a clock that all threads of the process share. */
  now(): number;
  timer(ms: number, callback: () => void): TimerHandle;
  /** Of a thread, by what the system calls it. */
  cpu(threadId: number): CpuTime | undefined;
  memory(): Measured['memory'];
}

/** What is seen of a worker. */
export interface SizedSeat {
  readonly id: number;
  readonly isReady: boolean;
  readonly isLeaving: boolean;
  /** Has a task, or is stuck in one. */
  readonly isBusy: boolean;
  /** Since when it has had nothing to do. */
  readonly idleSince: number;
  readonly ended: number;
  readonly runMs: number;
  /** What the system calls its thread; 0: unknown. */
  readonly threadId: number;
}

export interface SizingContext {
  readonly platform: SizingPlatform;
  seats(): Iterable<SizedSeat>;
  /** Tasks that no worker has been given. */
  queued(): number;
  /** The time has come to look at the seats, and to have `look` called. */
  onDue(): void;
  onWanted(wanted: number, decision: SizingDecision | undefined): void;
  /** Main was told, and has not started as many in time. */
  onMissing(count: number): void;
}

/** How long main may take to start a worker before it is taken to be busy. Milliseconds; chosen by hand. */
const PATIENCE_MS = 20;

export class SeatSizing {
  readonly #data: CoordinatorOptions;
  readonly #context: SizingContext;
  readonly #sizer: Sizer;
  #bounds: { readonly min: number; readonly max: number } | undefined;
  #wanted: number | undefined;
  #decision: SizingDecision | undefined;
  #patience: TimerHandle | undefined;

  constructor(data: CoordinatorOptions, context: SizingContext) {
    this.#data = data;
    this.#context = context;
    const { platform } = context;
    this.#sizer = new Sizer({
      by: 'coordinator',
      scaling: measured,
      platform,
      load: () => this.#load(),
      measure: () => this.#measure(),
      onDue: () => context.onDue(),
      onDecision: (decision) => {
        this.#decision = decision;
      },
    });
  }

  bound(min: number, max: number): void {
    this.#bounds = { min, max };
    this.look();
  }

  /** To be called when anything changed that sizing depends on. Tells what is wanted when that changed. */
  look(): void {
    if (this.#bounds === undefined) return;
    const wanted = this.#bounds.min === this.#bounds.max ? this.#bounds.min : this.#sizer.target();
    const decision = this.#decision;
    this.#decision = undefined;
    if (wanted > this.#serving().length) this.#waitForMain();
    if (wanted === this.#wanted && decision === undefined) return;
    this.#wanted = wanted;
    this.#context.onWanted(wanted, decision);
  }

  /** Whether there may be more workers than there are. */
  get mayGrow(): boolean {
    return this.#bounds !== undefined && this.#serving().length < this.#bounds.max;
  }

  /** Once for each time that any is missing: a main thread that is not busy has started it before. */
  #waitForMain(): void {
    this.#patience ??= this.#context.platform.timer(PATIENCE_MS, () => {
      this.#patience = undefined;
      const missing = (this.#wanted ?? 0) - this.#serving().length;
      if (missing > 0) this.#context.onMissing(missing);
    });
  }

  #serving(): SizedSeat[] {
    return [...this.#context.seats()].filter((seat) => !seat.isLeaving);
  }

  #load() {
    const { tasksPerWorker, idleTimeoutMs } = this.#data;
    const now = this.#context.platform.now();
    const serving = this.#serving();
    const idle = serving.filter(isIdle);
    return {
      ...this.#bounds!,
      cores: this.#data.cores,
      current: serving.length,
      starting: serving.filter((seat) => !seat.isReady).length,
      idle: idle.length,
      queued: this.#context.queued(),
      tasksPerWorker,
      longestIdleMs: Math.max(0, ...idle.map((seat) => now - seat.idleSince)),
      idleTimeoutMs,
    };
  }

  #measure(): Measured {
    const { platform } = this.#context;
    const ready = this.#serving().filter((seat) => seat.isReady);
    const workers = ready.map(({ id, isBusy, ended, runMs, threadId }) => {
      return { id, isBusy, completed: ended, runMs, cpu: platform.cpu(threadId) };
    });
    const completed = workers.reduce((sum, worker) => sum + worker.completed, 0);
    return { completed, workers, memory: platform.memory() };
  }
}

function isIdle({ isReady, isBusy }: SizedSeat): boolean {
  return isReady && !isBusy;
}
