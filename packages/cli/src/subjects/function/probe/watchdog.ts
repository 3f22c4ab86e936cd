/** A thread that kills its process when the command is gone: the main thread may be in an endless loop of the user's, and would not notice. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An endless loop burns a core for at most this long after the command is gone. Milliseconds. */
const LOOK_EVERY_MS = 1000;

/** What the thread runs: text and no file, which may lie in an archive that only Yarn's hooks can read, and this thread has none. */
const WATCH = `
const { parentPort, workerData: parent } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, ${LOOK_EVERY_MS});
parentPort.postMessage('watching');
`;

/** Resolves when the thread watches: a caller that enters an endless loop before that may not be watched. */
export async function watchParent(): Promise<void> {
  const watchdog = new Worker(WATCH, {
    eval: true,
    // No environment or flags of the user's, which could load modules of his into this thread.
    env: {},
    execArgv: [],
    // Read here: by the time the thread runs, the parent may be gone.
    workerData: process.ppid,
  });
  watchdog.unref();
  await once(watchdog, 'message');
}
