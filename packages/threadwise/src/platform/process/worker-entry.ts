/**
 * The first code of a worker: of one that has a process of its own, or is a thread of a process. Such a thread hears main by way of
 * `relay-entry.ts`, and writes to main directly.
 */
import wt, { type MessagePort } from 'node:worker_threads';
import type { ThreadSpec } from '../../core/contracts.js';
import { Runner } from '../../runner/runner.js';
import { encodeError } from '../../transport/codec/error-codec.js';
import { Line } from '../../transport/line.js';
import { MessageEndpoint } from '../../transport/message/endpoint.js';
import { receiveBoot, runnerPlatform } from '../node/boot.js';
import { followClock, now } from '../node/clock.js';
import { ownThreadId } from '../node/usage.js';
import type { WorkerBoot } from '../node/worker-entry.js';
import { type BoardFile, ringsOf, workerBoard } from './board.js';
import { cloneByBytes } from './clone.js';
import { inheritedPipe } from './inherited.js';
import { type Pipe, PipePort } from './port.js';
import { writeAll } from './ring.js';

/** What a worker needs beside its `ThreadSpec`; crosses as the `memory` of its wire. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly board: BoardFile;
  /** The descriptor of the worker's own pipe to main. */
  readonly toMain: number;
  /** The number of main's process. */
  readonly parentId: number;
}

/** How many milliseconds pass between two looks whether main is alive. A separate thread looks, as an event loop may be blocked. Chosen by hand. */
const LOOK_MS = 500;
const WATCH = `const { parentId, word } = require('node:worker_threads').workerData;
for (;;) { Atomics.wait(word, 0, 0, ${LOOK_MS}); if (process.ppid !== parentId) process.kill(process.pid, 'SIGKILL'); }`;

/** A thread is not told its settings, but started with them. */
const { settings, allowance: _, ...boot } = receiveBoot<WorkerBoot & Partial<Pick<ThreadSpec, 'settings'>>>();
const { board, toMain, parentId, argv, execArgv } = boot.wire.memory as Surroundings;
if (wt.isMainThread) {
  process.title = `threadwise ${boot.poolName}/${boot.workerId}`;
  // No reference is kept: the thread ends with the process.
  new wt.Worker(WATCH, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { parentId, word: new Int32Array(new SharedArrayBuffer(4)) },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  }).unref();
}
followClock(boot.clockZero);
process.argv = [process.execPath, '[worker eval]', ...argv];
process.execArgv = [...execArgv];
const heapMiB = settings?.resourceLimits?.maxOldGenerationSizeMb;
const platform = runnerPlatform({ ...boot, heapMiB }, cloneByBytes);

const port = new PipePort();
const rings = ringsOf(board);
port.attach(wt.isMainThread ? inheritedPipe() : pipeOver(boot.wire.port), rings.toMain, rings.toWorker);
process.on('uncaughtExceptionMonitor', (error: unknown) => {
  // If a listener of the user's, or a domain, handles the error, the worker lives on.
  if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) return;
  port.postAside(encodeError(error, cloneByBytes));
  process.exit(1); // main reports the error, so it need not be printed here
});
const endpoint = new MessageEndpoint(new Line(port), workerBoard(board), now);
void new Runner({ ...boot, endpoint }, platform).start();
if (!wt.isMainThread) port.postAside(ownThreadId());

function pipeOver(port: MessagePort): Pipe {
  return {
    write: (bytes) => writeAll(toMain, bytes),
    read: () => wt.receiveMessageOnPort(port)?.message as Uint8Array | undefined,
    listen: (callback) => void port.on('message', callback),
    close: () => process.exit(),
  };
}
