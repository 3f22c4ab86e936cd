/** Where the inputs of a run are worked on: the contract, and the threads of this machine. */
import { createPool, type Pool } from 'threadwise';
import type { RunOptions } from '../options.js';
import type { RunInWorker } from './attempts.js';
import type { BatchSetup } from './batch.js';
import { type Batching, createBatching } from './pump.js';
import { loadError } from './task-module.js';

export interface Executor {
  /** Resolves when it takes inputs. Rejects with what the user is to read. */
  readonly ready: Promise<void>;
  /** Rejects with an ExpectedError where no other input can be run either. */
  readonly run: RunInWorker;
  /** How many inputs go together, and how many batches are out at once. To be asked when it is ready. */
  batching(): Batching;
  /** How many threads there are now, and how many machines: undefined where that is no question. */
  size(): { readonly threads: number; readonly machines: number | undefined };
  /** Resolves when all that was begun has ended, and nothing is left of it. */
  close(): Promise<void>;
  /** Ends what runs, and resolves when nothing is left of it. */
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
    ready: pool.ready.catch((error: unknown) => {
      throw loadError(module, setup.moduleUrl, error);
    }),
    run: (values, attempts) => pool.run('runBatch', [values, attempts]),
    batching: () => createBatching(batch, pool.stats().threads.max),
    size: () => ({ threads: pool.stats().threads.current, machines: undefined }),
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}
