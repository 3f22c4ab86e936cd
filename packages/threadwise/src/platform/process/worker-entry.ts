/** The first code of a process that is one worker. */
import wt from 'node:worker_threads';
import { type ModulePlace, receiveBoot } from '../node/boot.js';
import { inheritedPipe } from './inherited.js';
import { runWorker, type WorkerPlace } from './run-worker.js';

export interface WorkerBoot extends WorkerPlace, Pick<ModulePlace, 'heapMiB'> {
  readonly parentId: number;
}

/** How many milliseconds pass between two looks whether main is alive. A separate thread looks, as an event loop may be blocked. Chosen by hand. */
const LOOK_MS = 500;
const WATCH = `const { parentId, word } = require('node:worker_threads').workerData;
for (;;) { Atomics.wait(word, 0, 0, ${LOOK_MS}); if (process.ppid !== parentId) process.kill(process.pid, 'SIGKILL'); }`;

const boot = receiveBoot<WorkerBoot>();
process.title = `threadwise ${boot.poolName}/${boot.workerId}`;

// No reference is kept: the thread ends with the process.
new wt.Worker(WATCH, {
  eval: true,
  env: {},
  execArgv: [],
  workerData: { parentId: boot.parentId, word: new Int32Array(new SharedArrayBuffer(4)) },
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
}).unref();

runWorker(boot, inheritedPipe());
