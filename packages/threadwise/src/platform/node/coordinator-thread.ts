/** Starts the coordinator's thread. */
import { type MessagePort, SHARE_ENV } from 'node:worker_threads';
import type { Platform } from '../../core/contracts.js';
import { clockZero } from './clock.js';
import type { HelperBoot } from './coordinator-entry.js';
import { nodeThread } from './node-thread.js';
import { coordinatorSource } from './thread-sources.js';

type StartHelper = Platform['startHelper'];

export function startCoordinatorThread(
  { name, port, data }: Parameters<StartHelper>[0],
  onExit: Parameters<StartHelper>[1],
): ReturnType<StartHelper> {
  const workerData: HelperBoot = { port: port as MessagePort, data, clockZero: clockZero() };
  const boot = { name, workerData, transferList: [workerData.port] };
  // This thread runs no code of the user's, so it gets none of the user's options.
  return nodeThread(coordinatorSource(), { ...boot, execArgv: [], env: SHARE_ENV }, onExit);
}
