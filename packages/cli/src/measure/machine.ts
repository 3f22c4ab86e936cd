/** The machine as far as a measurement depends on it, and to which of its cores a process can be bound. */
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { availableThreads } from 'threadwise';
import type { Machine } from '../analysis/samples.js';

/** Such a program takes a moment; one that does not end is as good as none. */
const LIMIT_MS = 2000;

export function readMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    availableThreads: availableThreads(),
    memoryBytes: memoryBytes(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    loadBefore: os.loadavg()[0]!,
  };
}

/** The limit of the container, where there is one: without one some systems name a number beyond all memory. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < os.totalmem() ? limit : os.totalmem();
}

/** The cores that this process may use, by number; undefined: there is no `taskset` here, or it may not be used. */
export function usableCpus(): readonly number[] | undefined {
  const { status, stdout } = spawnSync('taskset', ['-cp', String(process.pid)], {
    encoding: 'utf8',
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
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
