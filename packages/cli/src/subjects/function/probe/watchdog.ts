/**
 * A thread that ends its process when the command that started it is gone without having ended it: the process itself may be
 * in a loop that never gets to see that nobody listens any more. Loaded in a worker by what may run into such a loop first.
 */
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** How long a loop may burn a core for nobody. Milliseconds. */
const LOOK_EVERY_MS = 1000;

/** Resolves when it is watched: who calls into a loop before that may be too late. */
export async function watchParent(): Promise<void> {
  const watchdog = new Worker(new URL(import.meta.url), {
    // Nothing of what the user wants loaded into his processes.
    env: {},
    execArgv: [],
    // Asked here: by the time the thread could ask, the parent may be gone.
    workerData: { parent: process.ppid },
  });
  watchdog.unref();
  await once(watchdog, 'online');
}

if (!isMainThread) {
  const { parent } = workerData as { parent: number };
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, LOOK_EVERY_MS);
}
