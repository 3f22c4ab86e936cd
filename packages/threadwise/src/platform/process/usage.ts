/** What a process uses of the machine, and whether it runs at all: as Linux tells it. Elsewhere nobody knows. */
import { readFileSync } from 'node:fs';
import type { CpuTime } from '../../core/contracts.js';

function read(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // it is gone, or there is no permission
  }
}

/** The CPU time of a thread of a process. @param threadId what the system calls the thread; default: the first one of the process */
export function cpuTime(pid: number, threadId = pid): CpuTime | undefined {
  // Nanoseconds on a core, nanoseconds ready to run without one, time slices.
  const [used, waited] = read(`/proc/${pid}/task/${threadId}/schedstat`)?.split(' ') ?? [];
  return used === undefined ? undefined : { usedMs: Number(used) / 1e6, waitedMs: Number(waited) / 1e6 };
}

/** Share of the time since the last call in which a thread computed, 0 to 1; 0 where nobody knows. */
export function cpuUtilization(time: () => CpuTime | undefined): () => number {
  let usedMs = 0;
  let at = performance.now();
  return () => {
    const cpu = time();
    const now = performance.now();
    const share = cpu === undefined || now <= at ? 0 : (cpu.usedMs - usedMs) / (now - at);
    usedMs = cpu?.usedMs ?? usedMs;
    at = now;
    return Math.max(0, Math.min(1, share));
  };
}

/** Undefined where nobody knows. Bytes. */
export function residentBytes(pid: number): number | undefined {
  const kib = /^VmRSS:\s*(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

/** Whether a signal has stopped it (SIGSTOP, SIGTSTP). A debugger that holds it is another thing. */
export function isStopped(pid: number): boolean {
  // The name in parentheses may contain anything.
  return /\) T /.test(read(`/proc/${pid}/stat`)?.replace(/^.*\)/s, ')') ?? '');
}

/** How many processes the kernel has killed in this process's cgroup because its memory was used up. */
export function oomKills(): number {
  let kills = 0;
  for (const line of read('/proc/self/cgroup')?.split('\n') ?? []) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers !== '' && controllers !== 'memory') continue;
    const file = controllers === '' ? `${path}/memory.events` : `/memory${path}/memory.oom_control`;
    // Within a container the path may not be there, and `/` is its own cgroup.
    const text = read(`/sys/fs/cgroup${file}`) ?? read(`/sys/fs/cgroup${file.replace(path!, '')}`) ?? '';
    kills += Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  }
  return kills;
}
