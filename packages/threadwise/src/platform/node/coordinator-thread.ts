/** Starts the coordinator's thread. */
import { type MessagePort, SHARE_ENV } from 'node:worker_threads';
import type { HelperSpec, Thread, ThreadExit } from '../../core/contracts.js';
import { clockZero } from './clock.js';
import type { HelperBoot } from './threads/coordinator-entry.js';
import { nodeThread } from './node-thread.js';
import { coordinatorSource } from './threads/thread-sources.js';

export function startCoordinatorThread(
  { name, port, data }: HelperSpec,
  onExit: (exit: ThreadExit) => void,
): Thread {
  const workerData: HelperBoot = { port: port as MessagePort, data, clockZero: clockZero() };
  const boot = { name, workerData, transferList: [workerData.port] };
  // This thread runs no code of the user's, so it gets none of the user's options.
  return nodeThread(coordinatorSource(), { ...boot, execArgv: [], env: SHARE_ENV }, onExit);
}
