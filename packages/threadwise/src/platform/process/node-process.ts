/** Starts a process of Node that is a worker, and tells how it ends. */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import os from 'node:os';
import { SHARE_ENV } from 'node:worker_threads';
import type { Thread, ThreadExit, ThreadSpec, WorkerSettings } from '../../core/contracts.js';
import { reasonOf } from '../../core/workers/failures.js';
import { decodeError } from '../../transport/codec/error-codec.js';
import { clockZero } from '../node/clock.js';
import { processSource } from '../node/thread-sources.js';
import type { BoardFile } from './board.js';
import { encodeFrame } from './frames.js';
import type { PipePort } from './port.js';
import { type Pipe, readNow } from './port.js';
import { cpuTime, cpuUtilization, isStopped, oomKills, residentBytes } from './usage.js';
import type { LastWord, WorkerBoot } from './worker-entry.js';

/** What comes first on the pipe is the worker's code, behind its length. Given to Node as a text, which need not be CommonJS; only this can import. */
const STARTER = `{
  const { readSync } = process.getBuiltinModule('node:fs');
  const vm = process.getBuiltinModule('node:vm');
  const read = (bytes) => {
    for (let at = 0; at < bytes.length;) {
      const count = readSync(3, bytes, at, bytes.length - at, null);
      if (count === 0) process.kill(process.pid, 'SIGKILL');
      at += count;
    }
    return bytes;
  };
  const code = read(Buffer.alloc(read(Buffer.alloc(4)).readUInt32LE())).toString();
  globalThis[Symbol.for('threadwise.load')] = (url) => import(url);
  vm.runInThisContext(code, { filename: '[worker eval]' });
}`;

/** What only a lone program can have: a text of its own to run, a port for its debugger, a runner of its tests. */
const NOT_INHERITED =
  /^(-[pceir]{1,2}|--(eval|print|check|interactive|inspect|debug|test|watch|run|build-snapshot)\b.*)$/;
/** The end of what it wrote to `stderr`, for the words of V8 on memory. Characters. */
const LAST_WORDS = 4096;
const OUT_OF_MEMORY = /JavaScript heap out of memory|[Ff]atal process out of memory/;

/** How often all processes are looked at, whether a signal has stopped them, and how many times in a row that is borne. */
const LOOK_MS = 1000;
const MOST_STOPPED = 2;

interface Running {
  readonly pid: number;
  stopped: number;
  end(how: string): void;
}

const running = new Set<Running>();
let looks: NodeJS.Timeout | undefined;
/** Processes that the kernel killed for their memory, as far as it is known whose workers they were, or that they were none. */
let knownKills: number | undefined;

export function spawnProcess(port: PipePort, spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const { settings, wire, workerId, poolName, moduleUrl, tasksPerWorker, classes } = spec;
  const { fd, cells } = wire.memory as BoardFile;
  const execArgv = settings.execArgv ?? inherited(process.execArgv);
  const own = { parentId: process.pid, clockZero: clockZero() };
  const place = { workerId, poolName, moduleUrl, tasksPerWorker, classes, cells, ...own };
  const { data, argv = [] } = settings;
  const boot = encodeFrame({ ...place, data, argv, execArgv } satisfies WorkerBoot);
  const code = Buffer.from(processSource);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(code.length);

  knownKills ??= oomKills();
  // Loaded when it is needed: most programs have no process but themselves.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const options: SpawnOptions = {
    stdio: ['ignore', 'inherit', 'pipe', 'pipe', 'pipe', fd],
    env: environment(settings.env),
    ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
  };
  // Whatever somebody has put on `Object.prototype` is no option.
  const bare: SpawnOptions = Object.assign(Object.create(null), options);
  const child = spawn(process.execPath, [...execArgv, ...limits(settings), '--eval', STARTER], bare);
  child.unref();
  const [, , stderr, toChild, fromChild] = (child.stdio ?? []) as (Socket | undefined)[];
  const said = toChild && fromChild && stderr ? listen(stderr) : () => '';
  if (toChild && fromChild) {
    const pipe = pipeOf(toChild, fromChild);
    pipe.write(Buffer.concat([length, code, boot]));
    port.attach(pipe);
  }
  return watch(child, port, said, onExit);
}

function watch(
  child: ChildProcess,
  port: PipePort,
  said: () => string,
  onExit: (exit: ThreadExit) => void,
): Thread {
  const { pid } = child;
  let isAsked = false;
  let why: string | undefined;
  let error: unknown;
  port.onAside = (word) => {
    error = decodeError(word as LastWord);
  };
  const own: Running = {
    pid: pid ?? 0,
    stopped: 0,
    end: (how) => {
      why = how;
      child.kill('SIGKILL');
    },
  };
  if (pid !== undefined) look(own);
  const exited = new Promise<void>((resolve) => {
    const ended = (exit: ThreadExit) => {
      forget(own);
      onExit(exit);
      resolve();
    };
    child.once('exit', (code, signal) => {
      port.drain(); // its last word
      const isKilled = signal === 'SIGKILL' && !isAsked && why === undefined;
      const isV8s = signal !== null || (code ?? 0) > 128;
      const outOfMemory = (isV8s && OUT_OF_MEMORY.test(said())) || (isKilled && isNewKill());
      const how = why ?? (signal === null ? undefined : `process ${pid} was killed by ${signal}`);
      const exitCode = code ?? 128 + os.constants.signals[signal!];
      // Where it ended before any code of ours ran, what Node has printed is why.
      const printed = port.hasHeard || !code ? '' : said().trim();
      if (printed !== '') error = reasonOf(`The worker ended with exit code ${exitCode}: ${printed}`);
      ended({ exitCode, error, outOfMemory, ...(how === undefined ? {} : { how }) });
    });
    child.once('error', (cause) => {
      if (pid === undefined) ended({ exitCode: 1, error: cause, outOfMemory: false });
    });
  });
  return {
    terminate: () => {
      isAsked = true;
      child.kill('SIGKILL');
      return exited;
    },
    utilization: cpuUtilization(() => (running.has(own) ? pid : undefined)),
    cpu: () => (running.has(own) ? cpuTime(own.pid) : undefined),
    residentBytes: () => (running.has(own) ? residentBytes(own.pid) : undefined),
  };
}

/** Of all workers of this process. */
export function residentBytesOfAll(): number {
  return [...running].reduce((sum, { pid }) => sum + (residentBytes(pid) ?? 0), 0);
}

function look(process: Running): void {
  running.add(process);
  looks ??= setInterval(() => {
    for (const each of running) {
      each.stopped = isStopped(each.pid) ? each.stopped + 1 : 0;
      if (each.stopped >= MOST_STOPPED)
        each.end(`process ${each.pid} had been stopped by a signal, and was killed`);
    }
  }, LOOK_MS).unref();
}

function forget(process: Running): void {
  running.delete(process);
  if (running.size > 0) return;
  clearInterval(looks);
  looks = undefined;
}

function isNewKill(): boolean {
  const isNew = oomKills() > knownKills!;
  if (isNew) knownKills!++;
  return isNew;
}

/** As with threads, what it writes there comes by way of this process. Returns what gives the end of it. */
function listen(stderr: Socket): () => string {
  let last = '';
  const hear = (piece: Buffer) => {
    process.stderr.write(piece);
    last = (last + piece.toString('latin1')).slice(-LAST_WORDS);
  };
  stderr.on('data', hear).on('error', () => undefined);
  stderr.unref();
  return () => {
    drain(stderr, hear);
    return last;
  };
}

/** @param toChild, fromChild how the system knows them: each one way of what could go both */
function pipeOf(toChild: Socket, fromChild: Socket): Pipe {
  for (const socket of [toChild, fromChild]) {
    socket.on('error', () => undefined); // the child is gone, of which its exit tells
    socket.unref();
  }
  return {
    write: (bytes) => void toChild.write(bytes),
    read: () => readSocket(fromChild),
    listen: (callback) => void fromChild.on('data', callback),
    close: () => {
      toChild.destroy();
      fromChild.destroy();
    },
  };
}

function drain(socket: Socket, hear: (piece: Buffer) => void): void {
  for (let piece = readSocket(socket); piece !== undefined; piece = readSocket(socket)) hear(piece);
}

/** What has come and the event loop has not handled. */
function readSocket(socket: Socket): Buffer | undefined {
  const { fd = -1 } = (socket as { _handle?: { fd?: number } | null })._handle ?? {};
  return fd < 0 ? undefined : readNow(fd);
}

/** Node's options for a process as main was started, without those that are main's alone, with their values. */
export function inherited(options: readonly string[]): string[] {
  const { _eval: text } = process as { _eval?: string };
  return options.filter((option) => !NOT_INHERITED.test(option) && option !== text);
}

function limits({ resourceLimits = {} }: WorkerSettings): string[] {
  const { maxOldGenerationSizeMb: old, maxYoungGenerationSizeMb: young } = resourceLimits;
  return [
    ...(old === undefined ? [] : [`--max-old-space-size=${Math.ceil(old)}`]),
    // The young generation is three semi-spaces.
    ...(young === undefined ? [] : [`--max-semi-space-size=${Math.ceil(young / 3)}`]),
  ];
}

/** Control is served by the program's own process. */
function environment(given: unknown): NodeJS.ProcessEnv {
  const env = given === undefined || given === SHARE_ENV ? process.env : (given as NodeJS.ProcessEnv);
  return { ...env, THREADWISE_CONTROL: undefined };
}
