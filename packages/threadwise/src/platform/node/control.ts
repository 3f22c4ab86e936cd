/**
 * Switches control on by the environment: THREADWISE_CONTROL=9000 in any program that has a pool, if `@threadwise/control`
 * is installed beside this library. Costs nothing where the variable is not set.
 */
import { isMainThread } from 'node:worker_threads';

const PACKAGE = '@threadwise/control';

/** What that package offers for this. */
interface ControlPackage {
  serveFromEnvironment(pools: Iterable<unknown>, value: string): Promise<unknown>;
}

interface Closing {
  on(event: 'pool:close', listener: () => void): unknown;
}

/** The pools of this process that are served and not closed; undefined as long as there was none. */
let pools: Set<unknown> | undefined;

/** To be told of each pool. */
export function controlFromEnvironment(pool: Closing): void {
  const value = process.env.THREADWISE_CONTROL;
  // A pool within a worker is its owner's affair: the port is for the program's own pools.
  if (value === undefined || value === '' || !isMainThread) return;
  if (pools === undefined) {
    pools = new Set();
    void serve(pools, value);
  }
  pools.add(pool);
  pool.on('pool:close', () => pools!.delete(pool));
}

async function serve(served: Iterable<unknown>, value: string): Promise<void> {
  try {
    // Not a dependency: by a name that no bundler looks for.
    const { serveFromEnvironment } = (await import(PACKAGE)) as ControlPackage;
    await serveFromEnvironment(served, value);
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(PACKAGE);
    const why = isMissing ? `it needs the package ${PACKAGE}, which is not installed` : message;
    process.emitWarning(`THREADWISE_CONTROL=${value} has no effect: ${why}`, 'ThreadwiseWarning');
  }
}
