/**
 * Measures this process while calls run in it: how late its timers are, how long it collects garbage, its CPU time, and that of all other
 * programs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { tried } from '../system-error.js';

/** The interval of the timer that is watched, in milliseconds: the shortest that Node.js has. */
const RESOLUTION_MS = 1;
/** How many milliseconds to wait for the first tick of that timer, from which the others are measured. */
const UNTIL_FIRST_TICK_MS = 3;
const NS_PER_MS = 1e6;
const US_PER_MS = 1000;

/** Measures how late a timer is that is due every millisecond: the 99th percentile, in milliseconds. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #idleMs: number;

  /** @param idleMs the delay where nothing else runs: it is subtracted */
  constructor(idleMs = 0) {
    this.#idleMs = idleMs;
  }

  async begin(): Promise<void> {
    this.#histogram.enable();
    // The wait comes after the reset, which also forgets the last tick.
    this.#histogram.reset();
    await sleep(UNTIL_FIRST_TICK_MS);
  }

  /** Inverse of `begin`. */
  async end(): Promise<number> {
    // If a call has blocked the event loop until now, the histogram records that in the next turn.
    await sleep(RESOLUTION_MS);
    this.#histogram.disable();
    const ms = this.#histogram.count === 0 ? 0 : this.#histogram.percentile(99) / NS_PER_MS;
    return Math.max(0, ms - this.#idleMs);
  }
}

export async function idleDelayMs(ms: number): Promise<number> {
  const delay = new LoopDelay();
  await delay.begin();
  await sleep(ms);
  return delay.end();
}

/** Begins to measure how long this thread collects garbage. Returns a function that ends the measurement and resolves to the milliseconds. */
export function watchGarbage(): () => Promise<number> {
  let ms = 0;
  const add = (entries: readonly { readonly duration: number }[]): void => {
    for (const { duration } of entries) ms += duration;
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return async () => {
    // The observer gets the entries of a turn in a later one.
    await turn();
    add(observer.takeRecords());
    observer.disconnect();
    return ms;
  };
}

/**
 * How many cores other programs used; NaN where the system does not tell. The time is that of the system's own clock: on a busy machine this
 * process may have to wait between two readings, and by its clock the others would use more cores than there are.
 */
export function coresOfOthers(shared: Reading['shared']): number {
  return shared === undefined ? Number.NaN : (shared.count * shared.othersMs) / shared.coresMs;
}

/** CPU time of all threads of this process, milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

/** Memory of this process that is in RAM; NaN where the system does not tell: without /proc the call of Node.js throws. */
export function residentBytes(): number {
  return tried(() => process.memoryUsage.rss()) ?? Number.NaN;
}

export type Reading = Awaited<ReturnType<Gauges['end']>>;

/** Takes all readings of this process between `begin` and `end`. */
export class Gauges {
  readonly #delay: LoopDelay | undefined;
  #before = newReading();

  /** @param idleDelayMs how late a timer is where nothing else runs; undefined: the delay of timers is not measured */
  constructor(idleDelayMs?: number) {
    this.#delay = idleDelayMs === undefined ? undefined : new LoopDelay(idleDelayMs);
  }

  async begin(): Promise<void> {
    await this.#delay?.begin();
    this.#before = newReading();
  }

  /** Inverse of `begin`. All but the delay is read at once. */
  async end() {
    const { time, cpu, loop, cores, waitedMs } = this.#before;
    const now = newReading();
    const elapsedMs = now.time - time;
    const reading = {
      elapsedMs,
      /** CPU time of all threads of this process, milliseconds. */
      cpuMs: now.cpu - cpu,
      /** `cpuMs` divided by `elapsedMs`: 1 is one core. */
      cpuShare: (now.cpu - cpu) / elapsedMs,
      /** How many cores the threads of this process had or waited for, on average; NaN where the system does not tell. */
      wantedCores: (now.cpu - cpu + now.waitedMs - waitedMs) / elapsedMs,
      /** The share of the time in which the event loop was busy. */
      loopShare: performance.eventLoopUtilization(now.loop, loop).utilization,
      residentBytes: residentBytes(),
      /**
       * The CPU time of other programs and the time of all cores together, in milliseconds, and the number of cores. The system counts in
       * steps, so that `othersMs` of a short time may be negative. Undefined: the system does not tell, or this process may not use all cores.
       */
      shared: cores &&
        now.cores && {
          othersMs: now.cores.othersMs - cores.othersMs,
          coresMs: now.cores.coresMs - cores.coresMs,
          count: now.cores.count,
        },
    };
    // The delay of timers is 0 where it is not measured.
    return { ...reading, loopDelayMs: (await this.#delay?.end()) ?? 0 };
  }
}

function newReading() {
  return {
    cores: sharedNow(),
    cpu: cpuMs(),
    waitedMs: waitedMs(),
    loop: performance.eventLoopUtilization(),
    time: performance.now(),
  };
}

/**
 * How many milliseconds the threads of this process were ready to run and had no core: the second figure of `schedstat`, which is in
 * nanoseconds (Documentation/scheduler/sched-stats.rst). NaN on systems other than Linux, and with a kernel that does not count it: there
 * all figures are 0, even the first one, the time on a core.
 * @param tasks the folder of the threads
 */
export function waitedMs(tasks = '/proc/self/task'): number {
  try {
    const figures = readdirSync(tasks).map((task) =>
      readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' '),
    );
    const total = (figure: 0 | 1): number => figures.reduce((sum, of) => sum + Number(of[figure]), 0);
    return total(0) === 0 ? Number.NaN : total(1) / NS_PER_MS;
  } catch {
    return Number.NaN;
  }
}

/** How many milliseconds each core was busy, and how many it was busy or idle, since the system started, by the system's own counters. */
export function coreTimes(): readonly { readonly busy: number; readonly all: number }[] {
  return os.cpus().map(({ times: { user, nice, sys, idle, irq } }) => {
    const busy = user + nice + sys + irq;
    return { busy, all: busy + idle };
  });
}

function sharedNow() {
  const cores = coreTimes();
  if (cores.length === 0 || cores.length !== os.availableParallelism()) return undefined;
  const busyMs = cores.reduce((sum, { busy }) => sum + busy, 0);
  const coresMs = cores.reduce((sum, { all }) => sum + all, 0);
  return { othersMs: busyMs - cpuMs(), coresMs, count: cores.length };
}
