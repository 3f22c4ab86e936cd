/**
 * A pool on a simulated machine: cores are shared fairly, tasks compute and wait, threads take time to start.
 * It is sized by a policy through the same code that asks the policies of real pools. Time goes in steps.
 */
import type { LoadView, Measured, Scaling, TimerHandle } from '../../core/contracts.js';
import { Sizer, type SizingDecision } from '../../core/workers/sizer.js';

export interface SimulatedLoad {
  /** How long a task computes, and how long it then waits without a core. Milliseconds. */
  readonly cpuMs: number;
  readonly waitMs: number;
  /** How much tasks differ: each takes its time times 1 ± this. */
  readonly jitter?: number;
  /** Calls that are open all the time: each that ends is followed by another. */
  readonly outstanding: number;
  /** How many cores can compute at full speed, since all threads share something (bandwidth). Default: all. */
  readonly bandwidth?: number;
  /** How much slower computing gets with each runnable thread beyond the cores, as a share. */
  readonly crowding?: number;
}

export interface SimulatedMachine {
  readonly cores: number;
  readonly min?: number;
  readonly max: number;
  /** The largest share of the cores that other programs take; it varies from moment to moment. */
  readonly noise?: number;
  readonly seed?: number;
  /** Whether the platform tells CPU times. Default true. */
  readonly tellsCpu?: boolean;
  readonly memory?: () => Measured['memory'];
}

const STEP_MS = 0.5;
const START_MS = 45;

class Thread {
  readonly id: number;
  readonly readyAt: number;
  cpuLeft = 0;
  waitLeft = 0;
  begunAt = 0;
  usedMs = 0;
  waitedMs = 0;
  completed = 0;
  runMs = 0;
  isBusy = false;
  isLeaving = false;
  idleSince: number;

  constructor(id: number, readyAt: number) {
    this.id = id;
    this.readyAt = readyAt;
    this.idleSince = readyAt;
  }
}

export class Simulation {
  now = 0;
  completed = 0;
  readonly decisions: SizingDecision[] = [];
  load: SimulatedLoad;
  readonly #machine: SimulatedMachine;
  readonly #sizer: Sizer | undefined;
  readonly #timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>();
  #threads: Thread[] = [];
  #lastId = 0;
  #random: number;

  /** @param policy a policy, or a size that stays */
  constructor(machine: SimulatedMachine, load: SimulatedLoad, policy: Scaling | number) {
    this.#machine = machine;
    this.load = load;
    this.#random = machine.seed ?? 1;
    const fixed = typeof policy === 'number' ? policy : (machine.min ?? 1);
    for (let i = 0; i < fixed; i++) this.#start();
    if (typeof policy === 'number') return;
    this.#sizer = new Sizer({
      by: 'pool',
      scaling: policy,
      platform: { now: () => this.now, timer: (ms, callback) => this.#timer(ms, callback) },
      load: () => this.#view(),
      measure: () => this.#measure(),
      onDue: () => this.#adjust(),
      onDecision: (decision) => this.decisions.push(decision),
    });
  }

  get size(): number {
    return this.#serving.length;
  }

  /** Lets time pass; returns how many tasks ended, per second. */
  run(ms: number): number {
    const [begin, before] = [this.now, this.completed];
    while (this.now < begin + ms) this.#step();
    return ((this.completed - before) / (this.now - begin)) * 1000;
  }

  /** Ends all threads at once, and what they run with them. */
  killAll(): void {
    this.#threads = [];
  }

  get #serving(): Thread[] {
    return this.#threads.filter(({ isLeaving }) => !isLeaving);
  }

  #start(): void {
    this.#threads.push(new Thread(++this.#lastId, this.now === 0 ? 0 : this.now + START_MS));
  }

  #step(): void {
    this.now += STEP_MS;
    const running = this.#threads.filter(({ isBusy }) => isBusy);
    const runnable = running.filter(({ cpuLeft }) => cpuLeft > 0);
    const { cores, noise = 0 } = this.#machine;
    const { crowding = 0, bandwidth = cores } = this.load;
    const free = cores * (1 - noise * this.#next());
    const share = runnable.length === 0 ? 0 : Math.min(1, free / runnable.length);
    const excess = Math.max(0, runnable.length - cores);
    const active = Math.min(runnable.length, cores);
    const pace = Math.min(1, bandwidth / Math.max(1, active)) / (1 + crowding * excess);
    for (const thread of running) {
      if (thread.cpuLeft > 0) {
        thread.cpuLeft -= STEP_MS * share * pace;
        thread.usedMs += STEP_MS * share;
        thread.waitedMs += STEP_MS * (1 - share);
      } else thread.waitLeft -= STEP_MS;
      if (thread.cpuLeft <= 0 && thread.waitLeft <= 0) this.#end(thread);
    }
    for (const thread of this.#threads) this.#give(thread);
    this.#threads = this.#threads.filter(({ isLeaving, isBusy }) => !isLeaving || isBusy);
    for (const timer of [...this.#timers]) {
      if (timer.dueAt > this.now || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
    this.#adjust();
  }

  #end(thread: Thread): void {
    thread.isBusy = false;
    thread.completed++;
    thread.runMs += this.now - thread.begunAt;
    thread.idleSince = this.now;
    this.completed++;
  }

  #give(thread: Thread): void {
    if (thread.isBusy || thread.isLeaving || thread.readyAt > this.now) return;
    if (this.#running >= this.load.outstanding) return;
    const { cpuMs, waitMs, jitter = 0 } = this.load;
    const factor = 1 + jitter * (2 * this.#next() - 1);
    // The rest of the step in which the last task ended is used for this one.
    thread.cpuLeft = cpuMs * factor + Math.min(0, thread.cpuLeft);
    thread.waitLeft = waitMs * factor;
    Object.assign(thread, { isBusy: true, begunAt: this.now });
  }

  get #running(): number {
    return this.#threads.filter(({ isBusy }) => isBusy).length;
  }

  #adjust(): void {
    if (this.#sizer === undefined) return;
    const serving = this.#serving;
    const target = this.#sizer.target();
    for (let i = serving.length; i < target; i++) this.#start();
    const byIdleness = serving.toSorted((a, b) => Number(a.isBusy) - Number(b.isBusy) || b.id - a.id);
    for (const thread of byIdleness.slice(0, Math.max(0, serving.length - target))) thread.isLeaving = true;
  }

  #view(): Omit<LoadView, 'now' | 'measured'> {
    const serving = this.#serving;
    const starting = serving.filter(({ readyAt }) => readyAt > this.now);
    const idle = serving.filter(({ isBusy, readyAt }) => !isBusy && readyAt <= this.now);
    const { min = 1, max, cores } = this.#machine;
    return {
      min,
      max,
      cores,
      current: serving.length,
      starting: starting.length,
      idle: idle.length,
      queued: Math.max(0, this.load.outstanding - this.#running),
      tasksPerWorker: 1,
      longestIdleMs: Math.max(0, ...idle.map(({ idleSince }) => this.now - idleSince)),
      idleTimeoutMs: 30_000,
    };
  }

  #measure(): Measured {
    const { tellsCpu = true, memory } = this.#machine;
    const ready = this.#serving.filter(({ readyAt }) => readyAt <= this.now);
    const workers = ready.map(({ id, isBusy, completed, runMs, usedMs, waitedMs }) => {
      return { id, isBusy, completed, runMs, cpu: tellsCpu ? { usedMs, waitedMs } : undefined };
    });
    return { completed: this.completed, workers, memory: memory?.() };
  }

  #timer(ms: number, callback: () => void): TimerHandle {
    const timer = { dueAt: this.now + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** The next number of a simple generator of its own (Park and Miller), so that a run can be repeated. */
  #next(): number {
    this.#random = (this.#random * 48_271) % 0x7fff_ffff;
    return this.#random / 0x7fff_ffff;
  }
}
