/** Where the inputs of a run are executed: the contract, and its implementation by the threads of this machine. */
import { createPool, type Pool } from 'threadwise';
import type { RunOptions } from '../options.js';
import type { RunInWorker } from './attempts.js';
import type { BatchSetup } from './batch.js';
import { type Batching, createBatching } from './pump.js';
import { failsToLoad } from './task-module.js';

export interface Executor {
  /** Resolves when inputs can be run. Rejects with an error that is meant for the user. */
  readonly ready: Promise<void>;
  /** Rejects with an ExpectedError where no other input can be run either. */
  readonly run: RunInWorker;
  /** How large batches are, and how many run at once. Must not be called before `ready` has resolved. */
  batching(): Batching;
  /** How many threads there are now, and how many machines of a fleet; undefined without a fleet. */
  size(): { readonly threads: number; readonly machines: number | undefined };
  /** Waits for what has begun, and then ends the executor. */
  close(): Promise<void>;
  /** Aborts what runs, and ends the executor. */
  destroy(): Promise<void>;
}

export function localExecutor(
  { module, threads, timeoutMs, batch }: RunOptions,
  setup: BatchSetup,
): Executor {
  const pool: Pool<typeof import('./batch-tasks.js')> = createPool(
    new URL('./batch-tasks.js', import.meta.url),
    {
      ...(threads !== undefined && { threads }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      name: 'threadwise run',
      worker: { data: setup },
    },
  );
  return {
    ready: pool.ready.catch(failsToLoad(module, setup.moduleUrl)),
    run: (values, attempts) => pool.run('runBatch', [values, attempts]),
    batching: () => createBatching(batch, pool.stats().threads.max),
    size: () => ({ threads: pool.stats().threads.current, machines: undefined }),
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}
