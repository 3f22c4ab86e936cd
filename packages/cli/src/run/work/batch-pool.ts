/** The only file that knows the library: a pool that runs batch-tasks.js, narrowed to what the run needs. */

import { createPool } from 'threadwise';
import type { BatchPool, BatchSetup } from './batch.js';

export type Threads = number | 'auto' | { readonly min: number; readonly max: number };

export interface BatchPoolOptions {
  /** Undefined leaves it to the library's default and its environment variable. */
  readonly threads: Threads | undefined;
  readonly timeoutMs: number | undefined;
  readonly setup: BatchSetup;
}

export function openBatchPool({ threads, timeoutMs, setup }: BatchPoolOptions): BatchPool {
  const pool = createPool<typeof import('./batch-tasks.js')>(new URL('./batch-tasks.js', import.meta.url), {
    ...(threads === undefined ? {} : { threads }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    name: 'threadwise run',
    worker: { data: setup },
  });
  const ready = Promise.resolve(pool.ready).then(() => {});
  ready.catch(() => undefined); // who ends the run before it asks for `ready` has a reason of his own
  return {
    ready,
    maxThreads: pool.stats().threads.max,
    currentThreads: () => pool.stats().threads.current,
    run: (values, attempts) => pool.run('runBatch', [values, attempts]),
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}
