/** Readings of this process while calls run in it. What is called `watch…` begins one, and returns a function that ends it. */
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { sum } from 'd3-array';
import { tried } from '../system-error.js';

/** The interval of the timer that is watched, in milliseconds: the shortest that Node.js has. */
const RESOLUTION_MS = 1;
/** How many milliseconds to wait for the first tick of that timer, from which the others are measured. */
const UNTIL_FIRST_TICK_MS = 3;
const NS_PER_MS = 1e6;
const US_PER_MS = 1000;

/** How late a timer is that is due every millisecond: the 99th percentile, in milliseconds, less `idleMs`, the delay where nothing else runs. */
export async function watchDelay(idleMs = 0): Promise<() => Promise<number>> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  await sleep(UNTIL_FIRST_TICK_MS);
  return async () => {
    // If a call has blocked the event loop until now, the histogram records that in the next turn.
    await sleep(RESOLUTION_MS);
    histogram.disable();
    return Math.max(0, histogram.count === 0 ? 0 : histogram.percentile(99) / NS_PER_MS - idleMs);
  };
}

export async function idleDelayMs(ms: number): Promise<number> {
  const end = await watchDelay();
  await sleep(ms);
  return end();
}

/** Measures for how many milliseconds this thread collects garbage. */
export function watchGarbage(): () => Promise<number> {
  const entries: { readonly duration: number }[] = [];
  const observer = new PerformanceObserver((list) => void entries.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return async () => {
    // The observer gets the entries of a turn in a later one.
    await turn();
    entries.push(...observer.takeRecords());
    observer.disconnect();
    return sum(entries, ({ duration }) => duration);
  };
}

/** How many cores other programs used; NaN: not known. By the system's own clock: by that of a process that has to wait it may be more than there are. */
export function coresOfOthers(shared: Reading['shared']): number {
  return shared === undefined ? Number.NaN : (shared.count * shared.othersMs) / shared.coresMs;
}

/** CPU time of all threads of this process, and of the programs that it has run and that have ended, milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS + endedProgramsMs();
}

/** How many milliseconds a tick is, in which Linux tells the times of a process (proc(5)): it has a hundred a second for programs. */
const TICK_MS = 10;

/** CPU time of the programs that this process has run and that have ended (`cutime` and `cstime` of proc(5)), milliseconds; 0 on other systems. */
function endedProgramsMs(): number {
  const line = tried(() => readFileSync('/proc/self/stat', 'latin1')) ?? '';
  // The third field is the first one after the name of the process, which may have spaces and brackets.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * sum(fields.slice(16 - 3, 18 - 3), Number);
}

/** Memory of this process that is in RAM; NaN where the system does not tell: without /proc the call of Node.js throws. */
export function residentBytes(): number {
  return tried(() => process.memoryUsage.rss()) ?? Number.NaN;
}

export type Reading = Awaited<ReturnType<Awaited<ReturnType<typeof watchProcess>>>>;

/** All readings, all but the delay at once. @param idleDelayMs see `watchDelay`; undefined: the delay is not measured, and is 0 */
export async function watchProcess(idleDelayMs?: number) {
  const endDelay = idleDelayMs === undefined ? undefined : await watchDelay(idleDelayMs);
  const before = readingNow();
  return async () => {
    const now = readingNow();
    const elapsedMs = now.time - before.time;
    const usedMs = now.cpu - before.cpu;
    const reading = {
      elapsedMs,
      cpuMs: usedMs,
      /** `cpuMs` divided by `elapsedMs`: 1 is one core. */
      cpuShare: usedMs / elapsedMs,
      /** How many cores the threads of this process had or waited for, on average; NaN where the system does not tell. */
      wantedCores: (usedMs + now.waitedMs - before.waitedMs) / elapsedMs,
      /** The share of the time in which the event loop was busy. */
      loopShare: performance.eventLoopUtilization(now.loop, before.loop).utilization,
      residentBytes: residentBytes(),
      /** Milliseconds; `othersMs` of a short time may be negative, as the system counts in steps. Undefined: not known, or not all cores may be used. */
      shared: before.cores &&
        now.cores && {
          othersMs: now.cores.othersMs - before.cores.othersMs,
          coresMs: now.cores.coresMs - before.cores.coresMs,
          count: now.cores.count,
        },
    };
    return { ...reading, loopDelayMs: (await endDelay?.()) ?? 0 };
  };
}

function readingNow() {
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
  const figures = tried(() =>
    readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')),
  );
  const ran = sum(figures ?? [], ([onCore]) => Number(onCore));
  return ran === 0 ? Number.NaN : sum(figures!, ([, waited]) => Number(waited)) / NS_PER_MS;
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
  const coresMs = sum(cores, ({ all }) => all);
  return { othersMs: sum(cores, ({ busy }) => busy) - cpuMs(), coresMs, count: cores.length };
}
