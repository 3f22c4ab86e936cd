/** The first code of a coordinator's thread on Node: puts a coordinator on the port that it was given. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { Coordinator } from '../../../coordinator/coordinator.js';
import type { CoordinatorData } from '../../../transport/coordinator/messages.js';
import { followClock, now, timer } from '../clock.js';
import { collectShared } from '../collect.js';
import { noteEnds } from '../ended-threads.js';
import { atExit } from '../exit.js';
import { memory } from '../limits.js';
import { type Recipe, spawnFromRecipe } from '../node-thread.js';
import { nodePort } from '../port.js';
import { cpuTime } from '../usage.js';
import type { WorkerBoot } from './worker-entry.js';

/** What `coordinator-thread.ts` passes as workerData. */
export type HelperBoot = Pick<WorkerBoot, 'data' | 'clockZero'> & { readonly port: MessagePort };

const boot = workerData as HelperBoot;
followClock(boot.clockZero);
noteEnds(); // for the structures of `threadwise/sync`, which workers that start here may hold

new Coordinator(nodePort(boot.port), boot.data as CoordinatorData, {
  port: (far) => nodePort(far),
  now,
  timer,
  cpuOf: cpuTime,
  atExit,
  collectShared,
  spawn: (recipe, onExit) => spawnFromRecipe(recipe as Recipe, onExit),
  memory,
  nextTurn: setImmediate,
});
