/** What is read of a process of the app while it is under load. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs, idleDelayMs, LoopDelay } from '../../../experiment/gauges.js';
import type { AppSlice } from '../measure/protocol.js';

/** Long enough for the 99th percentile of a timer each millisecond. */
const IDLE_MS = 60;
/** One look, and how much of it may be in use by a process that has nothing to do. Milliseconds; a share of a core. */
const LOOK_MS = 15;
const IDLE_SHARE = 0.2;

export class AppGauges {
  #delay = new LoopDelay();
  #cpuMs = 0;
  #time = 0;
  #loop = performance.eventLoopUtilization();

  /** Before any load: what a timer is late by where nothing runs. */
  async calibrate(): Promise<void> {
    this.#delay = new LoopDelay(await idleDelayMs(IDLE_MS));
  }

  async begin(): Promise<void> {
    await this.#delay.begin();
    this.#loop = performance.eventLoopUtilization();
    this.#cpuMs = cpuMs();
    this.#time = performance.now();
  }

  /** Inverse of `begin`. */
  async end(): Promise<AppSlice> {
    const { utilization } = performance.eventLoopUtilization(this.#loop);
    const cpuShare = (cpuMs() - this.#cpuMs) / (performance.now() - this.#time);
    const residentBytes = process.memoryUsage.rss();
    return { loopShare: utilization, cpuShare, residentBytes, loopDelayMs: await this.#delay.end() };
  }
}

/** Until what was asked of it and is wanted no more is done: it would be in the way of what is measured next. */
export async function settle(limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const [cpu, time] = [cpuMs(), performance.now()];
    await sleep(LOOK_MS);
    if (cpuMs() - cpu < IDLE_SHARE * (performance.now() - time)) return;
  }
}
