/**
 * A thread that ends its process when the command that started it is gone without having ended it: the process itself may be
 * in a loop that never gets to see that nobody listens any more. Loaded in a worker by what may run into such a loop first.
 */
import { isMainThread, Worker } from 'node:worker_threads';

/** How long a loop may burn a core for nobody. Milliseconds. */
const LOOK_EVERY_MS = 1000;

export function watchParent(): void {
  // Nothing of what the user wants loaded into his processes.
  const watchdog = new Worker(new URL(import.meta.url), { env: {}, execArgv: [] });
  watchdog.unref();
}

if (!isMainThread) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, LOOK_EVERY_MS);
}
