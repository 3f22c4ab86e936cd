/** The first code of a pool: starts its threads, and has the rest of the library loaded while they start (`scripts/build-entries.mjs`). */
import { availableParallelism } from 'node:os';
import { fromCallerOf } from './core/options/errors.js';
import type { PoolOptions } from './core/options/options.js';
import type { Pool } from './core/pool.js';
import type { UntypedTasks } from './core/types.js';
import { openPool } from './open-pool.js';
import { startAhead } from './platform/node/node-thread.js';

export { availableThreads } from './open-pool.js';

let poolCount = 0;

/**
 * Makes a pool of workers for the exported functions of a module.
 * @param module `new URL('./tasks.js', import.meta.url)`, or a path relative to the working directory
 * @throws ThreadwiseError ERR_OPTION, or ERR_NOT_CLONEABLE of `worker.data`; what goes wrong in a worker rejects `pool.ready` and the calls instead
 */
export function createPool<M = UntypedTasks>(module: URL | string, options?: PoolOptions): Pool<M> {
  const usualName = `pool-${poolCount + 1}`;
  const { name = usualName, ...given } = options ?? {};
  const threadName = typeof name === 'string' ? name : usualName; // the check is yet to come
  const names = Array.from({ length: threadsAhead(given) }, (_, i) => `${threadName}/${i + 1}`);
  const endUnused = startAhead(names);
  try {
    const pool = fromCallerOf(createPool, () => openPool<M>(module, options, usualName));
    if (name === usualName) poolCount++;
    return pool;
  } finally {
    endUnused();
  }
}

/** Options of workers that their threads are told, and not started with. */
const TOLD = ['data', 'recycle', 'startTimeoutMs'];

/** How many threads to start before the options are checked, where they are like any other. One core is left to main, which loads the library meanwhile. */
function threadsAhead({ threads, worker, isolation, placement }: PoolOptions): number {
  const holder = isolation ?? process.env.THREADWISE_ISOLATION ?? 'thread';
  if (holder !== 'thread' || placement === 'inline') return 0;
  if (!Object.keys(worker ?? {}).every((option) => TOLD.includes(option))) return 0;
  const least: unknown = typeof threads === 'object' ? threads?.min : threads;
  const cores = Math.max(1, availableParallelism() - 1);
  return typeof least === 'number' && least >= 0 ? Math.min(least, cores) : 1;
}
