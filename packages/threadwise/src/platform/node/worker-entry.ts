/** The first code of a worker thread of Node: puts a runner on the port that it was given. */
import Module from 'node:module';
import wt, { type MessagePort } from 'node:worker_threads';
import { Allowance } from '../../core/workers/allowance.js';
import type { Wire } from '../../core/contracts.js';
import { openEndpoint } from '../../runner/endpoints.js';
import { Runner, type RunnerPlatform } from '../../runner/runner.js';
import type { EndpointPlatform } from '../../transport/endpoint.js';
import { receiveBoot } from './boot.js';
import { followClock, now, timer } from './clock.js';
import { atExit } from './exit.js';
import { NodePort } from './port.js';
import { keepUncaughtErrorsReadable } from './uncaught.js';
import { loopUtilization, ownThreadId } from './usage.js';

/** What `node-thread.ts` tells the thread. */
export interface WorkerBoot {
  readonly workerId: number;
  readonly poolName: string;
  readonly moduleUrl: string;
  readonly tasksPerWorker: number;
  readonly classes: readonly string[] | 'plain';
  readonly allowance: ArrayBufferLike | undefined;
  readonly wire: Wire & { readonly port: MessagePort };
  readonly data: unknown;
  /** The clock zero of the thread that started this one. */
  readonly clockZero: number;
}

const boot = receiveBoot<WorkerBoot>();
followClock(boot.clockZero);
// The task module finds its own data where Node promises it.
(wt as { workerData: unknown }).workerData = boot.data;
Module.syncBuiltinESMExports();

// What only some workers need, or only later, is loaded then: each module costs a part of a millisecond at the start.

/** This script has no file: Node names it so. What called it, the event loop, comes after it. */
const RUNNER_FRAMES = /\n[^\n]*\[worker eval\][\s\S]*$/;

const threadId = ownThreadId();
Atomics.store(boot.threadId, 0, threadId);

keepUncaughtErrorsReadable();

const platform: RunnerPlatform & EndpointPlatform = {
  now,
  timer,
  atExit,
  port: (far) => new NodePort(far as MessagePort),
  utilization: loopUtilization(),
  threadId: () => threadId,
  nextTurn: setImmediate,
  clone: (value, transfer) => structuredClone(value, { transfer } as never),
  load: () => boot.load(boot.moduleUrl),
  trimStack: (stack) => stack.replace(RUNNER_FRAMES, ''),
  memory: () => {
    const { used_heap_size, heap_size_limit } = process.getBuiltinModule('node:v8').getHeapStatistics();
    return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
  },
  store:
    boot.tasksPerWorker > 1
      ? new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)()
      : undefined,
};

const endpoint = openEndpoint(boot.wire, new NodePort(boot.wire.port), platform);
const allowance = new Allowance(boot.allowance);
void new Runner({ ...boot, allowance, endpoint }, platform).start();
