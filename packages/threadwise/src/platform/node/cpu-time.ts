/** What a thread had of the CPU, as Linux keeps it for each thread of a process. Elsewhere nobody can tell. */
import { readFileSync, readlinkSync } from 'node:fs';
import type { CpuTime } from '../../core/contracts.js';

/** What the system calls the thread that asks; 0 where that cannot be found out. */
export function ownThreadId(): number {
  if (process.platform !== 'linux') return 0;
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0; // no permission, or an old kernel
  }
}

/** Of a thread of this process, by what the system calls it; undefined for 0, and for a thread that is gone. */
export function cpuTime(threadId: number): CpuTime | undefined {
  if (threadId === 0) return undefined;
  try {
    // Nanoseconds on a core, nanoseconds ready to run without one, time slices.
    const [used, waited] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'latin1').split(' ');
    return { usedMs: Number(used) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    return undefined;
  }
}
