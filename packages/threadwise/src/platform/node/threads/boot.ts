/** The beginning of a worker: what it was told, and what of Node a runner gets. */
import Module from 'node:module';
import wt from 'node:worker_threads';
import type { ThreadSpec } from '../../../core/contracts.js';
import type { RunnerPlatform } from '../../../runner/runner.js';
import { followClock, now } from '../clock.js';
import { atExit } from '../exit.js';
import type { Start } from '../node-thread.js';
import { memoryUsage } from '../usage.js';

/** The workerData of a thread or a process: its starter script (`node-thread.ts`, `../process/node-process.ts`) puts there what its code needs. */
interface Given<Boot> extends Start {
  readonly boot: Boot;
  /** Imports a module. A worker's code cannot import by itself, as another script runs it by `node:vm`. */
  readonly load: (url: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** Returns what main told this thread or process, and what a thread was started with. Has this thread show main's time. */
export function receiveBoot<Boot extends { readonly clockZero: number }>(): Boot &
  Pick<Given<Boot>, 'threadId' | 'load'> {
  const { threadId, load, boot } = wt.workerData as Given<Boot>;
  followClock(boot.clockZero);
  return { threadId, load, ...boot };
}

/** How a worker loads its task module, and the data that the module finds as its `workerData`. */
interface ModulePlace extends Pick<ThreadSpec, 'moduleUrl' | 'tasksPerWorker'>, Pick<Given<unknown>, 'load'> {
  readonly data: unknown;
  /** How many MiB the old generation of a process's heap may have, where that was set. A thread finds its own limit in `resourceLimits`. */
  readonly heapMiB?: number | undefined;
}

/** Makes what a runner needs of Node. Also sets `workerData` to the user's data, where the task module looks for it. */
export function runnerPlatform(place: ModulePlace, clone: RunnerPlatform['clone']): RunnerPlatform {
  const { data, moduleUrl, tasksPerWorker, load, heapMiB } = place;
  Object.assign(wt, { workerData: data });
  Module.syncBuiltinESMExports();
  return {
    now,
    nextTurn: setImmediate,
    clone,
    atExit,
    load: () => load(moduleUrl),
    trimStack: (stack) => {
      // Frames of the runner, whose script has this name, and after them those of the event loop.
      const at = stack.indexOf('[worker eval]', stack.indexOf('\n'));
      const end = at < 0 ? -1 : stack.lastIndexOf('\n', at);
      return end < 0 ? stack : stack.slice(0, end);
    },
    memory: () => {
      const { heapUsed: usedBytes } = memoryUsage();
      return {
        usedBytes,
        limitBytes: usedBytes < SMALL_HEAP_BYTES ? Number.POSITIVE_INFINITY : heapLimit(heapMiB),
      };
    },
    flush,
    store:
      tasksPerWorker > 1 ? new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)() : undefined,
  };
}

/** How many bytes of heap are not near any limit: with one of less than 10 MiB, Node.js runs next to nothing. */
const SMALL_HEAP_BYTES = 8 * 2 ** 20;

/** How many bytes this thread's heap may have now. */
function heapLimit(heapMiB: number | undefined): number {
  // Modules of Node that only some workers need are loaded on demand: this one takes 0.1 MiB of each worker, and a fraction of a millisecond.
  const v8 = process.getBuiltinModule('node:v8');
  // A worker ends when its old generation is full, however much room is left in the young one, which V8's limit includes.
  const { maxYoungGenerationSizeMb: youngMiB = 0 } = wt.resourceLimits;
  const young = v8.getHeapSpaceStatistics().filter(({ space_name: name }) => name.startsWith('new_'));
  const old =
    heapMiB === undefined ? v8.getHeapStatistics().heap_size_limit - youngMiB * 2 ** 20 : heapMiB * 2 ** 20;
  return young.reduce((sum, { space_used_size: used }) => sum + used, old);
}

/** Resolves when what this thread has printed is written: main asks for it part by part, and the rest is lost when the thread is ended. */
export const flush = (): Promise<unknown> =>
  Promise.all(
    [process.stdout, process.stderr]
      .filter(({ writable, writableLength }) => writable && writableLength > 0)
      .map((stream) => new Promise((resolve) => stream.write('', resolve))),
  );
