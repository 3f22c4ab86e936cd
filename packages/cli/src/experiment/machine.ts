/** The machine as far as a measurement depends on it, and to which of its cores a process can be bound. */
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { availableThreads } from 'threadwise';

export interface Machine extends Readonly<ReturnType<typeof readMachine>> {
  /** The share of all cores' time that other programs had while the rounds were measured; undefined: not known. */
  readonly othersShare?: number | undefined;
}

/** How many milliseconds `taskset` may take: one that takes longer counts as missing. */
const LIMIT_MS = 2000;

/** What is asked of the system. Some functions read /proc: where that is not allowed, they return an empty array, or 0. */
const SYSTEM = { ...os, usableCpus };
type System = Pick<typeof SYSTEM, 'cpus' | 'availableParallelism' | 'usableCpus' | 'totalmem' | 'loadavg'>;

export function readMachine(system: System = SYSTEM) {
  const total = system.totalmem();
  // Where the container has no limit, some systems report a number larger than the memory of the machine.
  const limit = process.constrainedMemory();
  return {
    cpu: system.cpus()[0]?.model.trim() ?? 'unknown',
    /** How many cores the process may use, if only for a part of the time: some versions of Node.js count no more than a CPU quota has in full. */
    cores: system.usableCpus()?.length ?? system.availableParallelism(),
    /** How many threads the library finds room for, by cores, quota and memory. */
    availableThreads: availableThreads(),
    memoryBytes: limit > 0 && limit < total ? limit : total,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    /** How many threads wanted to run before anything was measured: the system's mean of the last minute. */
    loadBefore: system.loadavg()[0] ?? 0,
  };
}

/** The cores that this process may use, by number; undefined: there is no `taskset` here, or it may not be used. */
export function usableCpus(): readonly number[] | undefined {
  const options = { encoding: 'utf8', timeout: LIMIT_MS } as const;
  const { status, stdout } = spawnSync('taskset', ['-cp', String(process.pid)], options);
  return status === 0 ? parseCpus(stdout) : undefined;
}

/** `pid 17's current affinity list: 0-2,5` → 0, 1, 2, 5. */
export function parseCpus(said: string): readonly number[] | undefined {
  const list = /:\s*([\d,\s-]+?)\s*$/.exec(said)?.[1];
  if (list === undefined) return undefined;
  return list.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i);
  });
}
