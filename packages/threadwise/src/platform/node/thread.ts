/** Starts the threads of a pool on Node: which code each of them runs. */
import { type MessagePort, SHARE_ENV, type WorkerOptions } from 'node:worker_threads';
import type { HelperSpec, Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import type { HelperBoot } from './coordinator-entry.js';
import { NodeThread, recipeFor, spawnFrom } from './node-thread.js';
import { coordinatorSource, workerSource } from './thread-sources.js';

export function spawn(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  return spawnFrom(workerSource, spec, onExit);
}

export function recipe(spec: ThreadSpec): { readonly data: unknown; readonly transfer: readonly unknown[] } {
  return { data: recipeFor(workerSource, spec), transfer: [spec.wire.port] };
}

/** Starts a thread for the pool's own work: nothing of the user's runs there. */
export function startHelper(spec: HelperSpec, onExit: (exit: ThreadExit) => void): Thread {
  const boot: HelperBoot = { port: spec.port as MessagePort, data: spec.data };
  const options: WorkerOptions = {
    eval: true,
    name: spec.name,
    workerData: boot,
    transferList: [boot.port],
    execArgv: [],
    env: SHARE_ENV,
  };
  return new NodeThread(coordinatorSource, options, onExit);
}
