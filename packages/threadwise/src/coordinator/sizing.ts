/** How many workers a pool should have, as its coordinator sees it. The coordinator starts those that main is too busy to start. */
import type { Measured, Thread, ThreadExit, TimerHandle } from '../core/contracts.js';
import { Sizer, type SizingDecision } from '../core/workers/sizer.js';
import { measured } from '../scheduling/scaling/measured.js';
import { encodeError } from '../transport/codec/error-codec.js';
import type { MessageToCoordinator, Settings } from '../transport/coordinator/messages.js';
import * as L from '../transport/shared/layout.js';
import type { Coordinator } from './coordinator.js';
import type { Seat } from './seat.js';

export type Hire = Extract<MessageToCoordinator, readonly ['hire', ...unknown[]]>;

/** How many milliseconds main may take to start a worker before the coordinator takes main for busy. Chosen by hand. */
const PATIENCE_MS = 20;

export class SeatSizing {
  bounds: Settings['bounds'];
  readonly #coordinator: Coordinator;
  readonly #sizer: Sizer;
  #wanted: number | undefined;
  /** Whether the policy has measured since `#target` last looked. */
  #isMeasured = false;
  /** How many workers there were when `#target` last looked, if the policy had measured before that; otherwise undefined. */
  #measuredAt: number | undefined;
  #decision: SizingDecision | undefined;
  #patience: TimerHandle | undefined;
  /** Workers that main has prepared, by seat, in the order in which they are started. */
  readonly reserved = new Map<number, Hire>();
  /** The threads of prepared workers that were started, by seat. */
  readonly threads = new Map<number, Thread>();
  /** How many tasks were ended by workers that are gone. */
  completedBefore = 0;

  constructor(coordinator: Coordinator) {
    const { platform } = coordinator;
    this.#coordinator = coordinator;
    this.#sizer = new Sizer({
      by: 'coordinator',
      scaling: measured,
      platform,
      load: () => this.#load(),
      measure: () => this.#measure(),
      onDue: () => coordinator.turn(),
      onDecision: (decision) => void (this.#decision = decision),
    });
  }

  /** Main has forgotten how many workers were wanted for the former bounds, so it has to be told again. */
  bound(bounds: Settings['bounds']): void {
    this.bounds = bounds;
    this.#wanted = undefined;
    this.#measuredAt = undefined;
  }

  /** Tells main how many workers are wanted, when that has changed. Called in each turn, after all that sizing depends on. */
  look(): void {
    if (this.bounds === undefined) return;
    const wanted = this.bounds.min === this.bounds.max ? this.bounds.min : this.#target();
    const decision = this.#decision;
    this.#decision = undefined;
    if (wanted > this.#working().length) this.#waitForMain();
    if (wanted === this.#wanted && decision === undefined) return;
    this.#wanted = wanted;
    this.#coordinator.tell(['wanted', wanted, decision]);
  }

  /** The number that was wanted after a measurement stays until the next measurement, as long as the number of workers stays the same. */
  #target(): number {
    const target = this.#sizer.target();
    const current = this.#serving().length;
    if (target === current && current === this.#measuredAt && !this.#isMeasured) return this.#wanted!;
    this.#measuredAt = this.#isMeasured ? current : undefined;
    this.#isMeasured = false;
    return target;
  }

  get mayGrow(): boolean {
    return this.bounds !== undefined && this.#serving().length < this.bounds.max;
  }

  /** Ends a prepared worker: its thread or, if that was not started, only by telling main that it has exited. */
  end(seat: number): void {
    const prepared = this.reserved.get(seat);
    if (prepared === undefined) return this.threads.get(seat)?.terminate();
    this.reserved.delete(seat);
    for (const port of prepared[3]) this.#coordinator.platform.port(port).close(); // drops the messages that lie there unread
    this.#exited(seat, { exitCode: 0, outOfMemory: false });
  }

  /** Starts missing workers after PATIENCE_MS: a main thread that is not busy has started them before. */
  #waitForMain(): void {
    this.#patience ??= this.#coordinator.platform.timer(PATIENCE_MS, () => {
      this.#patience = undefined;
      const working = this.#working();
      const missing = (this.#wanted ?? 0) - working.length;
      const done = this.#serving().filter((seat) => !working.includes(seat));
      for (const message of [...this.reserved.values()].slice(0, Math.max(0, missing))) {
        this.#start(message);
        const left = done.pop();
        if (left !== undefined) left.isReplaced = true;
      }
    });
  }

  #start(message: Hire): void {
    const [, seat, , , recipe] = message;
    this.reserved.delete(seat);
    this.#coordinator.tell(['started', seat]);
    this.#coordinator.hire(message);
    try {
      const thread = this.#coordinator.platform.spawn(recipe, (exit) => this.#exited(seat, exit));
      this.threads.set(seat, thread);
    } catch (error) {
      this.#exited(seat, { exitCode: 1, outOfMemory: false, error });
    }
  }

  #exited(seat: number, { exitCode, outOfMemory, error }: ThreadExit): void {
    this.threads.delete(seat);
    const encoded = error === undefined ? undefined : encodeError(error, (value) => structuredClone(value));
    this.#coordinator.tell(['exited', seat, { exitCode, outOfMemory }, encoded]);
  }

  /** The workers, as main counts them: until they are replaced. */
  #serving(): Seat[] {
    return [...this.#coordinator.seats.values()].filter((seat) => !seat.isReplaced);
  }

  /** The workers that run a task, or may be given one. */
  #working(): Seat[] {
    return this.#serving().filter(({ isLeaving, isBusy }) => !isLeaving || isBusy);
  }

  #load() {
    const { tasksPerWorker, idleTimeoutMs } = this.#coordinator.data;
    const now = this.#coordinator.platform.now();
    const serving = this.#serving();
    const idle = serving.filter(({ isLeaving, isReady, load }) => isReady && !isLeaving && load === 0);
    return {
      ...this.bounds!,
      current: serving.length,
      starting: serving.filter((seat) => !seat.isReady).length,
      idle: idle.length,
      queued: this.#coordinator.queued(this.bounds!.max * tasksPerWorker),
      tasksPerWorker,
      longestIdleMs: Math.max(0, ...idle.map((seat) => now - seat.doubles[L.IDLE_SINCE]!)),
      idleTimeoutMs,
    };
  }

  #measure(): Measured {
    this.#isMeasured = true;
    const { platform } = this.#coordinator;
    const ready = this.#serving().filter((seat) => seat.isReady);
    const workers = ready.map(({ load, completed, words, doubles }) => {
      // A worker is known by its thread: at the next measurement another worker may have its seat. Where the thread is unknown, so is its CPU time.
      const id = words[L.THREAD_ID]!;
      return { id, isBusy: load > 0, completed, runMs: doubles[L.RAN_MS]!, cpu: platform.cpuOf(id) };
    });
    let completed = this.completedBefore;
    for (const seat of this.#coordinator.seats.values()) completed += seat.completed;
    return { completed, workers, memory: platform.memory() };
  }
}
