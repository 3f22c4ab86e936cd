/** How many threads the machine and the container allow. Node's own availableParallelism() sees the quota only of cgroup v2, since Node 22 or 24. */
import os from 'node:os';
import { memoryUsage, readText } from './usage.js';

/** Bytes assumed for each worker where memory is limited. An idle one takes 8 to 12 MB; the rest is for the user's module. Chosen by hand. */
const BYTES_PER_WORKER = 64 * 2 ** 20;
/** Share of a memory limit that is for workers; the rest is for the main thread. */
const WORKER_SHARE = 0.75;

/** Threads per CPU that make sense for tasks which mostly wait. Chosen by hand: each costs about 10 MB. */
const WAITING_PER_CPU = 16;

const nodeSources = () => ({
  parallelism: os.availableParallelism(),
  /** The memory limit of the process; 0 or more than the machine has where there is none. */
  memoryLimitBytes: process.constrainedMemory() ?? 0,
  read: readText,
});
export type LimitSources = Readonly<ReturnType<typeof nodeSources>>;

/** The largest number of busy threads that makes sense here; at least 1. */
export const availableThreads = (sources = nodeSources()) => threadsFor(1, sources);

/** The largest number of threads that makes sense for tasks which mostly wait; at least 1. */
export const threadCeiling = (sources = nodeSources()) => threadsFor(WAITING_PER_CPU, sources);

function threadsFor(perCpu: number, sources: LimitSources): number {
  const byCpu = perCpu * Math.min(sources.parallelism, cpuQuota(sources));
  const { memoryLimitBytes: bytes } = sources;
  const byMemory = isLimit(bytes) ? (bytes * WORKER_SHARE) / BYTES_PER_WORKER : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(Math.min(byCpu, byMemory)));
}

/** The process's own figures if it has a limit (without files that its container has cached, as that memory can be freed), else the machine's. */
export function memory(): { readonly usedBytes: number; readonly limitBytes: number } {
  const limitBytes = process.constrainedMemory() ?? 0;
  if (isLimit(limitBytes)) return { usedBytes: memoryUsage().rss, limitBytes };
  const all = os.totalmem();
  return { usedBytes: all - os.freemem(), limitBytes: all };
}

/** Without a limit, cgroup v1 and Node.js report a number near 2^63 or 2^64. A limit above the memory of the machine is no limit, either. */
function isLimit(bytes: number): boolean {
  return bytes > 0 && bytes < os.totalmem();
}

/** The cgroups of this process, from lines `hierarchy:controllers:path`. `controllers`: names with ',' between them; '': cgroup v2, which has all. */
export function cgroups(read: LimitSources['read'] = readText) {
  const lines = (read('/proc/self/cgroup') ?? '').matchAll(/^\d+:([^:\n]*):(.*)$/gm);
  return Array.from(lines, ([, controllers, path]) => ({ controllers: controllers!, path: path! }));
}

/** The CPU quota, in CPUs: the smallest of this cgroup and those above it; Infinity without a quota. */
export function cpuQuota({ read }: Pick<LimitSources, 'read'>): number {
  const quotas = cgroups(read).flatMap(({ controllers, path }) => {
    const dirs = ancestors(path);
    // `quota period` in microseconds, or `max period`.
    const inV2 = (dir: string) => (read(`/sys/fs/cgroup${dir}cpu.max`) ?? '').trim().split(/\s+/);
    if (controllers === '') return dirs.map((dir) => ratio(inV2(dir)));
    if (!controllers.split(',').includes('cpu')) return [];
    // The controller is mounted under its own name or under the whole list, and "cpu" is usually a link to the latter.
    const bases = ['cpu', controllers].flatMap((mount) => dirs.map((dir) => `/sys/fs/cgroup/${mount}${dir}`));
    return bases.map((base) => ratio([read(`${base}cpu.cfs_quota_us`), read(`${base}cpu.cfs_period_us`)]));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...quotas);
}

/** `/a/b` → `/a/b/`, `/a/`, `/`. Inside a container the path may not exist, and `/` is its own cgroup. */
function ancestors(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return parts.reduce((dirs, part) => [`${dirs[0]}${part}/`, ...dirs], ['/']);
}

/** Infinity without a quota, for which v2 says `max` and v1 says -1. */
function ratio(texts: readonly (string | undefined)[]): number {
  const [quota = Number.NaN, period = Number.NaN] = texts.map(Number);
  return quota > 0 && period > 0 ? quota / period : Number.POSITIVE_INFINITY;
}
