/** The first code of a worker in a process of its own, or in a thread of one that has several: such a thread hears main by way of the relay. */
import wt, { type MessagePort } from 'node:worker_threads';
import { Runner } from '../../runner/runner.js';
import { encodeError } from '../../transport/codec/error-codec.js';
import { Line } from '../../transport/line.js';
import { MessageEndpoint } from '../../transport/message/endpoint.js';
import { receiveBoot, runnerPlatform } from '../node/threads/boot.js';
import { now } from '../node/clock.js';
import { ownThreadId } from '../node/usage.js';
import { ringsOf, workerBoard } from './board.js';
import { cloneByBytes } from './clone.js';
import { inheritedPipe } from './inherited.js';
import type { Told } from './node-process.js';
import { FD, type Pipe, pipePort } from './port.js';
import { writeAll } from './ring.js';

/** How many milliseconds pass between two looks whether main is alive. A separate thread looks, as an event loop may be blocked. Chosen by hand. */
const LOOK_MS = 500;
/** The thread that has the pool may have ended alone: then a write to its pipe fails, even one of no bytes. */
const WATCH = `const { parentId, word } = require('node:worker_threads').workerData;
const { writeSync } = require('node:fs');
const isPipeBroken = () => {
  try { return writeSync(${FD.fromMain}, '') > 0; } catch ({ code }) { return code === 'EPIPE'; }
};
do Atomics.wait(word, 0, 0, ${LOOK_MS}); while (process.ppid === parentId && !isPipeBroken());
process.kill(process.pid, 'SIGKILL');`;

const { allowance: _, settings, ...boot } = receiveBoot<Told>();
const { board, toMain, parentId, argv, execArgv } = boot.wire.memory;
const pipe = wt.isMainThread ? inheritedPipe() : pipeOver(boot.wire.port as MessagePort);
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
process.argv = [process.execPath, '[worker eval]', ...argv];
process.execArgv = [...execArgv];
// A thread is not told its settings, but started with them.
const heapMiB = settings?.resourceLimits?.maxOldGenerationSizeMb;
const platform = runnerPlatform({ ...boot, heapMiB }, cloneByBytes);
/** Main ends this process by a signal, at which Node.js writes no coverage. Of a thread it writes it at every end. */
const lastWords = async () => {
  await platform.flush();
  if (wt.isMainThread && process.env['NODE_V8_COVERAGE']) process.getBuiltinModule('node:v8').takeCoverage();
};

const port = pipePort();
port.attach(pipe, ...ringsOf(board).toReversed());
process.on('uncaughtExceptionMonitor', (error: unknown) => {
  // If a listener of the user's, or a domain, handles the error, the worker lives on.
  if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) return;
  port.postAside(encodeError(error, cloneByBytes));
  process.exit(1); // main reports the error, so it need not be printed here
});
const endpoint = new MessageEndpoint(new Line(port), workerBoard(board), now);
void new Runner({ ...boot, endpoint }, { ...platform, flush: lastWords }).start();
if (!wt.isMainThread) port.postAside(ownThreadId());

function pipeOver(port: MessagePort): Pipe {
  return {
    write: (bytes) => writeAll(toMain, bytes),
    read: () => wt.receiveMessageOnPort(port)?.message as Uint8Array | undefined,
    listen: (callback) => void port.on('message', callback),
    close: () => process.exit(),
  };
}
