/** Switches control on by the environment: THREADWISE_CONTROL=9000 in any program that has a pool, if `@threadwise/control` is installed. */
import { isMainThread } from 'node:worker_threads';

const PACKAGE = '@threadwise/control';

/** The open pools of this process, which are served; undefined before there is one. */
let pools: Set<unknown> | undefined;

/** Serves a new pool if the environment asks for that. */
export function controlFromEnvironment(pool: {
  on(event: 'pool:close', listener: () => void): unknown;
}): void {
  const value = process.env.THREADWISE_CONTROL;
  // The pools of a worker are not served: the port is for the program's own pools.
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
    // The package is no dependency, so its name is in a constant, which bundlers do not follow. webpack has to be told to leave the import.
    const { serveFromEnvironment } = await import(/* webpackIgnore: true */ PACKAGE);
    await serveFromEnvironment(served, value);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(PACKAGE);
    const why = isMissing ? `it needs the package ${PACKAGE}, which is not installed` : message;
    process.emitWarning(`THREADWISE_CONTROL=${value} has no effect: ${why}`, 'ThreadwiseWarning');
  }
}
