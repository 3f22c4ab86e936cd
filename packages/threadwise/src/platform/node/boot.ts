/** What a worker begins with: how a thread learns what it is for (`node-thread.ts` starts it), and what a runner is given of Node. */
import Module from 'node:module';
import wt from 'node:worker_threads';
import type { ThreadSpec } from '../../core/contracts.js';
import type { RunnerPlatform } from '../../runner/runner.js';
import { now } from './clock.js';
import type { Start } from './node-thread.js';

/** Imports a module, which a worker's own code, run by another text, cannot do. */
export type Load = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** What the thread has been given before it is told what it is for. */
interface Given extends Start {
  readonly load: Load;
}

/** What `node-thread.ts` tells this thread. Waits until it is told, as threads are started ahead of their pool. */
export function receiveBoot<Boot>(): Boot & Pick<Given, 'threadId' | 'load'> {
  const { told, threadId, load } = wt.workerData as Given;
  Atomics.wait(told, 0, 0);
  return { threadId, load, ...(wt.receiveMessageOnPort(wt.parentPort!)!.message as Boot) };
}

/** This script has no file: whoever starts it names it so. What called it, the event loop, comes after it. */
const RUNNER_FRAMES = /\n[^\n]*\[worker eval\][\s\S]*$/;

/** What a worker is told of its task module. */
export interface ModulePlace extends Pick<ThreadSpec, 'moduleUrl' | 'tasksPerWorker'> {
  readonly data: unknown;
  readonly load: Load;
}

/** What Node gives to a runner. Also puts the worker's own data where the task module looks for it. */
export function runnerPlatform(place: ModulePlace, clone: RunnerPlatform['clone']): RunnerPlatform {
  const { data, moduleUrl, tasksPerWorker, load } = place;
  (wt as { workerData: unknown }).workerData = data;
  Module.syncBuiltinESMExports();
  return {
    now,
    nextTurn: setImmediate,
    clone,
    load: () => load(moduleUrl),
    trimStack: (stack) => stack.replace(RUNNER_FRAMES, ''),
    // What only some workers need, or only later, is loaded then: each module costs a part of a millisecond at the start.
    memory: () => {
      const { used_heap_size, heap_size_limit } = process.getBuiltinModule('node:v8').getHeapStatistics();
      return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
    },
    store:
      tasksPerWorker > 1 ? new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)() : undefined,
  };
}
