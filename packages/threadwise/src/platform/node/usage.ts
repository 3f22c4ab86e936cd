/** What a thread uses of the machine: its CPU time, its event loop, its memory. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Performance } from 'node:perf_hooks';
import type { CpuTime, Platform } from '../../core/contracts.js';
import { now } from './clock.js';

/** What Linux tells in its files; undefined if it does not, and on any other system. */
function told<T>(read: () => T): T | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const readText = (path: string): string | undefined => told(() => readFileSync(path, 'utf8'));

/** The system's number of the calling thread; 0 if it cannot be found out. */
export const ownThreadId = (): number =>
  told(() => Number(readlinkSync('/proc/thread-self').split('/')[2])) ?? 0;

/** The same of the youngest thread of this process. */
export const youngestThreadId = (): number =>
  told(() => Math.max(...readdirSync('/proc/self/task').map(Number))) ?? 0;

/** The CPU time of a thread, by the system's numbers. Undefined for thread 0, before it has run and after its end, and where Linux does not tell. */
export function cpuTime(threadId: number, processId: number | 'self' = 'self'): CpuTime | undefined {
  return threadId === 0 ? undefined : cpuTimeIn(readText(`/proc/${processId}/task/${threadId}/schedstat`));
}

/** @param text nanoseconds on a core, nanoseconds ready to run without one, time slices; all are 0 where the kernel does not count them */
export function cpuTimeIn(text = '0'): CpuTime | undefined {
  const [used, waited] = text.split(' ').map(Number);
  return used === 0 ? undefined : { usedMs: used! / 1e6, waitedMs: waited! / 1e6 };
}

/** Returns a function that gives the share of the time since its last call in which a thread's event loop was active. @param of default: this thread's */
export function loopUtilization(of?: Pick<Performance, 'eventLoopUtilization'>): () => number {
  let last: ReturnType<Performance['eventLoopUtilization']> | undefined;
  return () => {
    const { performance } = process.getBuiltinModule('node:perf_hooks');
    const current = (of ?? performance).eventLoopUtilization();
    const { utilization } = last === undefined ? current : performance.eventLoopUtilization(current, last);
    last = current;
    // NaN before a thread's loop has begun; a little below 0 where the idle time of another thread lags behind.
    return utilization > 0 ? Math.min(1, utilization) : 0;
  };
}

let ownMemory: Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'> = { rss: 0, heapUsed: 0 };

/** The memory of this process; as last known where the system does not tell now: the process may have no file descriptor left, or no `/proc`. */
export function memoryUsage(): typeof ownMemory {
  try {
    ownMemory = process.memoryUsage();
  } catch {
    // The last known figures stay.
  }
  return ownMemory;
}

/** How many milliseconds a measurement of the calling thread is reused, so that all callers see the same. */
const FRESH_MS = 500;

export function ownLoad(): Platform['ownLoad'] {
  const utilization = loopUtilization();
  let last!: ReturnType<Platform['ownLoad']>;
  let measuredAt = 0;
  return () => {
    const asked = now();
    if (asked - measuredAt > FRESH_MS) {
      measuredAt = asked;
      const { rss: residentBytes, heapUsed: heapUsedBytes } = memoryUsage();
      last = { utilization: utilization(), residentBytes, heapUsedBytes };
    }
    return last;
  };
}
