/** What the code of a worker comes to, whether it has a process of its own or is a thread of one: a runner on a pipe. */
import Module from 'node:module';
import v8 from 'node:v8';
import wt from 'node:worker_threads';
import type { ThreadSpec } from '../../core/contracts.js';
import { Runner, type RunnerPlatform } from '../../runner/runner.js';
import { type EncodedError, encodeError } from '../../transport/codec/error-codec.js';
import { Line } from '../../transport/line.js';
import { MessageEndpoint } from '../../transport/message/endpoint.js';
import { followClock, now } from '../node/clock.js';
import { type BoardFile, FileBoardEnd, ringsOf } from './board.js';
import { cloneByBytes } from './clone.js';
import { type Pipe, PipePort } from './port.js';

/** What the worker is told of itself. */
export interface WorkerPlace extends Pick<
  ThreadSpec,
  'workerId' | 'poolName' | 'moduleUrl' | 'tasksPerWorker' | 'classes'
> {
  readonly data: unknown;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly board: BoardFile;
  /** The clock zero of the process that started this one. */
  readonly clockZero: number;
}

/** What a worker says of itself to whoever started it, aside: the error that ends it; of a thread also what the system calls it. */
export type Aside = EncodedError | number;

/** This script has no file: whoever starts it names it so. What called it, the event loop, comes after it. */
const RUNNER_FRAMES = /\n[^\n]*\[worker eval\][\s\S]*$/;

/** @param load imports a module */
export function runWorker(
  place: WorkerPlace,
  pipe: Pipe,
  load: (url: string) => Promise<Readonly<Record<string, unknown>>>,
): PipePort {
  followClock(place.clockZero);
  process.argv = [process.execPath, '[worker eval]', ...place.argv];
  process.execArgv = [...place.execArgv];
  // The task module finds its own data where Node promises it to a thread.
  (wt as { workerData: unknown }).workerData = place.data;
  Module.syncBuiltinESMExports();

  const port = new PipePort();
  const { toMain, toWorker } = ringsOf(place.board);
  port.attach(pipe, toMain, toWorker);
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    if (process.listenerCount('uncaughtException') > 0) return; // whoever listens lives on
    port.postAside(encodeError(error, cloneByBytes) satisfies Aside);
    process.exit(1); // main tells of it: it need not be printed
  });

  const platform: RunnerPlatform = {
    now,
    nextTurn: setImmediate,
    clone: cloneByBytes,
    load: () => load(place.moduleUrl),
    trimStack: (stack) => stack.replace(RUNNER_FRAMES, ''),
    memory: () => {
      const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
      return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
    },
    store:
      place.tasksPerWorker > 1
        ? new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)()
        : undefined,
  };
  const endpoint = new MessageEndpoint(new Line(port), new FileBoardEnd(place.board), now);
  void new Runner({ ...place, endpoint }, platform).start();
  return port;
}
