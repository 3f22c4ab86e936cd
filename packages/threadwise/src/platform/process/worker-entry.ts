/** The first code of a worker's process: puts a runner on the pipes that it has inherited. */
import { readSync, writeSync } from 'node:fs';
import Module from 'node:module';
import { Socket } from 'node:net';
import v8 from 'node:v8';
import wt from 'node:worker_threads';
import { Runner, type RunnerPlatform } from '../../runner/runner.js';
import { encodeError } from '../../transport/codec/error-codec.js';
import { Line } from '../../transport/line.js';
import { MessageEndpoint } from '../../transport/message/endpoint.js';
import type { ThreadSpec } from '../../core/contracts.js';
import { followClock, now } from '../node/clock.js';
import { FileBoardEnd } from './board.js';
import { cloneByBytes, decodeFrame } from './frames.js';
import { type Pipe, PipePort, readNow } from './port.js';

/** What `node-process.ts` sends before any message. */
export interface WorkerBoot {
  readonly workerId: number;
  readonly poolName: string;
  readonly moduleUrl: string;
  readonly tasksPerWorker: number;
  readonly classes: ThreadSpec['classes'];
  readonly cells: number;
  readonly data: unknown;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly parentId: number;
  /** Of the process that started this one. */
  readonly clockZero: number;
}

/** What a worker says of itself to `node-process.ts`, aside: the error that ends it, encoded. */
export type LastWord = ReturnType<typeof encodeError>;

/** What of a process is open from the start. */
export const FD = { fromMain: 3, toMain: 4, board: 5 } as const;

/** How often a thread of its own looks whether main is there, for when the loop is blocked and cannot tell. Milliseconds; chosen by hand. */
const LOOK_MS = 500;
const WATCH = `const { parentId, word } = require('node:worker_threads').workerData;
for (;;) { Atomics.wait(word, 0, 0, ${LOOK_MS}); if (process.ppid !== parentId) process.kill(process.pid, 'SIGKILL'); }`;

/** This script has no file: `node-process.ts` names it so. What called it, the event loop, comes after it. */
const RUNNER_FRAMES = /\n[^\n]*\[worker eval\][\s\S]*$/;

const boot = receiveBoot();
followClock(boot.clockZero);
const LOAD = Symbol.for('threadwise.load');
const scope = globalThis as { [LOAD]?: (url: string) => Promise<Record<string, unknown>> };
const load = scope[LOAD]!;
delete scope[LOAD];
process.title = `threadwise ${boot.poolName}/${boot.workerId}`;
process.argv = [process.execPath, '[worker eval]', ...boot.argv];
process.execArgv = [...boot.execArgv];
// The task module finds its own data where it would in a thread.
(wt as { workerData: unknown }).workerData = boot.data;
Module.syncBuiltinESMExports();

// They come from a terminal or a service manager, which mean the program: main ends its workers when it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

// Not kept to be closed: it ends with the process.
new wt.Worker(WATCH, {
  eval: true,
  env: {},
  execArgv: [],
  workerData: { parentId: boot.parentId, word: new Int32Array(new SharedArrayBuffer(4)) },
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
}).unref();

const port = new PipePort();
port.attach(inheritedPipe());

process.on('uncaughtExceptionMonitor', (error: unknown) => {
  if (process.listenerCount('uncaughtException') > 0) return; // whoever listens lives on
  port.postAside(encodeError(error, cloneByBytes) satisfies LastWord);
  process.exit(1); // main tells of it: it need not be printed
});

const platform: RunnerPlatform = {
  now,
  nextTurn: setImmediate,
  clone: cloneByBytes,
  load: () => load(boot.moduleUrl),
  trimStack: (stack) => stack.replace(RUNNER_FRAMES, ''),
  memory: () => {
    const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
    return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
  },
  store:
    boot.tasksPerWorker > 1
      ? new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)()
      : undefined,
};

const board = new FileBoardEnd({ fd: FD.board, cells: boot.cells });
void new Runner({ ...boot, endpoint: new MessageEndpoint(new Line(port), board) }, platform).start();

function receiveBoot(): WorkerBoot {
  const length = receive(4).readUInt32LE();
  return decodeFrame(receive(length)) as WorkerBoot;
}

function receive(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const count = readSync(FD.fromMain, bytes, at, length - at, null);
    if (count === 0) die();
    at += count;
  }
  return bytes;
}

/** What comes, comes by the event loop; what goes, goes at once: nothing that was said is lost when the process dies. */
function inheritedPipe(): Pipe {
  const socket = new Socket({ fd: FD.fromMain, readable: true, writable: false });
  socket.on('close', die); // main is gone
  socket.on('error', () => undefined);
  return {
    write: (bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(FD.toMain, bytes, at);
    },
    read: () => readNow(FD.fromMain),
    listen: (callback) => void socket.on('data', callback),
    close: die,
  };
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has been killed');
}
