/** The first code of a worker thread of Node: puts a runner on the port that it was given. */
import type { MessagePort } from 'node:worker_threads';
import type { ThreadSpec, Wire } from '../../core/contracts.js';
import { Allowance } from '../../core/workers/allowance.js';
import { openEndpoint } from '../../runner/endpoints.js';
import { Runner, type RunnerPlatform } from '../../runner/runner.js';
import type { EndpointPlatform } from '../../transport/endpoint.js';
import { receiveBoot, runnerPlatform } from './boot.js';
import { timer } from './clock.js';
import { collectSoon } from './collect.js';
import { atExit } from './exit.js';
import { clone, detach, nodePort } from './port.js';
import { keepUncaughtErrorsReadable } from './uncaught.js';
import { loopUtilization, ownThreadId } from './usage.js';

/** The boot message that `node-thread.ts` sends. */
export interface WorkerBoot extends Omit<ThreadSpec, 'settings'> {
  readonly wire: Wire & { readonly port: MessagePort };
  readonly data: unknown;
  /** The clock zero of the thread that started this one. */
  readonly clockZero: number;
}

const boot = receiveBoot<WorkerBoot>();
const threadId = ownThreadId();
Atomics.store(boot.threadId, 0, threadId);

keepUncaughtErrorsReadable();

const platform: RunnerPlatform & EndpointPlatform = {
  ...runnerPlatform(boot, clone),
  timer,
  collectSoon,
  detach,
  atExit,
  port: (far) => nodePort(far),
  utilization: loopUtilization(),
  threadId: () => threadId,
};

const endpoint = openEndpoint(boot.wire, nodePort(boot.wire.port), platform);
const allowance = new Allowance(boot.allowance);
void new Runner({ ...boot, allowance, endpoint }, platform).start();
