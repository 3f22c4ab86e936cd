/** The first code of a worker thread of Node: puts a runner on the port that it was given. */
import type { MessagePort } from 'node:worker_threads';
import type { ThreadSpec, Wire } from '../../../core/contracts.js';
import { isObject } from '../../../core/options/checks.js';
import { Allowance } from '../../../core/workers/allowance.js';
import { openEndpoint } from '../../../runner/endpoints.js';
import { Runner, type RunnerPlatform } from '../../../runner/runner.js';
import type { EndpointPlatform } from '../../../transport/endpoint.js';
import { receiveBoot, runnerPlatform } from './boot.js';
import { timer } from '../clock.js';
import { collectSoon } from '../collect.js';
import { clone, detach, nodePort } from '../port.js';
import { loopUtilization, ownThreadId } from '../usage.js';

/** The boot message that `node-thread.ts` sends. */
export interface WorkerBoot extends Omit<ThreadSpec, 'settings'> {
  readonly wire: Wire & { readonly port: MessagePort };
  readonly data: unknown;
  /** The clock zero of the thread that started this one. */
  readonly clockZero: number;
}

/** How many levels of nesting fit on the stack of any thread. Chosen by hand: some thousands do not. */
const MAX_LEVELS = 200;
const REMOVED = '[removed: the thread that it was for could not have read it]';

const boot = receiveBoot<WorkerBoot>();
const threadId = ownThreadId();
Atomics.store(boot.threadId, 0, threadId);

// Node sends the error that ends a worker to the thread that started it, where one that is nested too deeply to be read would be an uncaught
// exception of the whole process. So what could not be read is removed from the error before that.
process.on('uncaughtExceptionMonitor', (error: unknown) => {
  for (const key of isObject(error) ? Object.getOwnPropertyNames(error) : []) {
    try {
      if (isReadable((error as Record<string, unknown>)[key])) continue;
      Object.defineProperty(error, key, { value: REMOVED, enumerable: true });
    } catch {
      // The getter throws, or the property cannot be changed: nothing more can be done.
    }
  }
});

const platform: RunnerPlatform & EndpointPlatform = {
  ...runnerPlatform(boot, clone),
  timer,
  collectSoon,
  detach,
  port: (far) => nodePort(far),
  utilization: loopUtilization(),
  threadId: () => threadId,
};

const endpoint = openEndpoint(boot.wire, nodePort(boot.wire.port), platform);
const allowance = new Allowance(boot.allowance);
void new Runner({ ...boot, allowance, endpoint }, platform).start();

function isReadable(value: unknown): boolean {
  if (!isObject(value)) return true;
  if (!isWithin(value, MAX_LEVELS, new Set())) return false;
  const { deserialize, serialize } = process.getBuiltinModule('node:v8'); // loaded only here, as that takes a while
  let bytes: Buffer | undefined;
  try {
    bytes = serialize(value);
    deserialize(bytes);
    return true;
  } catch {
    // Node itself leaves out values that cannot be written. On Node.js 20, an error that is part of its own cause can be written, but not read.
    return bytes === undefined;
  }
}

function isWithin(value: unknown, levels: number, seen: Set<unknown>): boolean {
  if (!isObject(value) || seen.has(value)) return true;
  seen.add(value);
  const parts = value as Record<string, unknown>;
  return (
    levels > 0 && Object.getOwnPropertyNames(value).every((key) => isWithin(parts[key], levels - 1, seen))
  );
}
