/** What a process uses of the machine, and whether a signal has stopped it, as Linux reports it; unknown on other systems. */
import type { CpuTime } from '../../core/contracts.js';
import { cgroups } from '../node/limits.js';
import { readText } from '../node/usage.js';

/** Returns a function that gives the share of the time since its last call in which a thread computed, 0 to 1; 0 if that is unknown. */
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

/** The resident memory of a process; undefined if it is unknown. Bytes. */
export function residentBytes(pid: number): number | undefined {
  const kib = /^VmRSS:\s*(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

/** Whether a signal (SIGSTOP, SIGTSTP) has stopped the process; a process that a debugger holds does not count. */
export function isStopped(pid: number): boolean {
  // The name of the process, in parentheses, may contain anything.
  return /\) T /.test(readText(`/proc/${pid}/stat`)?.replace(/^.*\)/s, ')') ?? '');
}

/** How many processes the kernel has killed in this process's cgroup because its memory was used up. */
export function oomKills(): number {
  let kills = 0;
  for (const { controllers, path } of cgroups()) {
    if (controllers !== '' && controllers !== 'memory') continue;
    const file = controllers === '' ? `${path}/memory.events` : `/memory${path}/memory.oom_control`;
    // Within a container the path may not be there, and `/` is its own cgroup.
    const text =
      readText(`/sys/fs/cgroup${file}`) ?? readText(`/sys/fs/cgroup${file.replace(path, '')}`) ?? '';
    kills += Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  }
  return kills;
}
