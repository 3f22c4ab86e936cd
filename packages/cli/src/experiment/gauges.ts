/**
 * What is read of a process while calls run in it: how late its timers are, how long it collects garbage, its CPU time, and that of
 * all others.
 */
import os from 'node:os';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** The shortest that there is. Milliseconds. */
const RESOLUTION_MS = 1;
/** The first tick of the timer is what the others are measured from. Milliseconds. */
const UNTIL_FIRST_TICK_MS = 3;
const NS_PER_MS = 1e6;
const US_PER_MS = 1000;

/** How late a timer was, 99th percentile: a timer of its own that wants to run each millisecond. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #idleMs: number;

  /** @param idleMs what it comes to where nothing else runs */
  constructor(idleMs = 0) {
    this.#idleMs = idleMs;
  }

  async begin(): Promise<void> {
    this.#histogram.enable();
    await sleep(UNTIL_FIRST_TICK_MS);
    this.#histogram.reset();
  }

  /** Inverse of `begin`. */
  async end(): Promise<number> {
    // A call that held up the loop until now is seen only when the loop has turned.
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

/** Time spent on collecting garbage, on this thread. */
export class Garbage {
  #ms = 0;
  readonly #observer = new PerformanceObserver((list) => this.#add(list.getEntries()));

  begin(): void {
    this.#ms = 0;
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Inverse of `begin`. */
  async end(): Promise<number> {
    // Entries are handed over in a later turn than the one that they are of.
    await turn();
    this.#add(this.#observer.takeRecords());
    this.#observer.disconnect();
    return this.#ms;
  }

  #add(entries: readonly { readonly duration: number }[]): void {
    for (const { duration } of entries) this.#ms += duration;
  }
}

/** CPU time of all threads of this process, milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

export interface Shared {
  /** CPU time that other programs had, milliseconds; the system counts it in steps, so that of a moment it may be less than nothing. */
  readonly othersMs: number;
  /** That all cores had to give. */
  readonly coresMs: number;
}

/** What other programs take of the cores meanwhile. */
export class Others {
  #before: Shared | undefined;

  begin(): void {
    this.#before = sharedNow();
  }

  /** Inverse of `begin`. Undefined: the system does not tell, or this process may not use all of its cores. */
  end(): Shared | undefined {
    const [before, after] = [this.#before, sharedNow()];
    if (before === undefined || after === undefined) return undefined;
    return { othersMs: after.othersMs - before.othersMs, coresMs: after.coresMs - before.coresMs };
  }
}

function sharedNow(): Shared | undefined {
  const cores = os.cpus();
  if (cores.length === 0 || cores.length !== os.availableParallelism()) return undefined;
  let [busyMs, coresMs] = [0, 0];
  for (const { times } of cores) {
    busyMs += times.user + times.nice + times.sys + times.irq;
    coresMs += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { othersMs: busyMs - cpuMs(), coresMs };
}
