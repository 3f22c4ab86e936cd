/** Made-up pools and snapshots for tests. */

import type { PoolJson } from '../client.js';
import type { Snapshot } from './columns.js';

const timing = (p50: number, p99: number) => ({ count: 9, p50, p99 });

/** @param changes fields as a program sends them */
export function fakePool(name: string, changes: Record<string, unknown> = {}): PoolJson {
  return {
    name,
    state: 'open',
    dispatch: 'shared-queue',
    placement: 'threads',
    choose: 'least-busy',
    threads: { min: 1, max: 4, current: 2 },
    queue: { size: 3, limit: null, oldestMs: 1500 },
    tasks: { completed: 120, failed: 1, crashed: 2, aborted: 0, open: 5 },
    throughput: 81.4,
    runMs: timing(1, 2),
    waitMs: timing(3, 4),
    recent: { ms: 10_000, runMs: timing(12, 240), waitMs: timing(1.5, 33) },
    crashes: 0,
    recycled: 0,
    sizing: { policy: 'measured', decisions: [] },
    process: { utilization: 0.07, residentBytes: 2 ** 20 },
    functions: [],
    workers: [],
    ...changes,
  };
}

export function fakeSnapshot(pools: readonly PoolJson[], at = 1_000_000): Snapshot {
  return { process: { pid: 7, node: 'v20.19.0', title: 'server', uptimeMs: 65_000 }, pools, at };
}
