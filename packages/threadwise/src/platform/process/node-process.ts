/** Starts a process of Node for workers, and tells how it ends, and what it uses of the machine as far as Linux reports that. */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import os from 'node:os';
import type { CpuTime, Thread, ThreadExit, ThreadSpec, WorkerSettings } from '../../core/contracts.js';
import { reasonOf } from '../../core/workers/failures.js';
import { clearInterval, setInterval } from '../node/clock.js';
import { cgroups } from '../node/limits.js';
import { cpuTime, readText } from '../node/usage.js';
import type { WorkerBoot } from '../node/threads/worker-entry.js';
import { type BoardFile, ringsOf } from './board.js';
import { toBytes } from './clone.js';
import { KEPT_BYTES } from './frames.js';
import { FD, type Pipe, type PipePort, readNow } from './port.js';

/** The `--eval` script, valid as CommonJS and as a module: reads a length, then as many bytes with the code and its boot message. Only it can import. */
const STARTER = `{
  const { readSync } = process.getBuiltinModule('node:fs');
  const read = (bytes) => {
    for (let offset = 0; offset < bytes.length;)
      offset += readSync(3, bytes, { offset }) || process.kill(process.pid, 'SIGKILL');
    return bytes;
  };
  const bytes = read(Buffer.alloc(read(Buffer.alloc(4)).readUInt32LE()));
  const { code, boot } = process.getBuiltinModule('node:v8').deserialize(bytes);
  process.getBuiltinModule('node:worker_threads').workerData = { boot, load: (url) => import(url) };
  process.getBuiltinModule('node:vm').runInThisContext(code, { filename: '[worker eval]' });
}`;

/** Options of Node that a process does not inherit: code to evaluate, the debugger's port, the test runner and the like. */
const NOT_INHERITED =
  /^(-[pcei]{1,2}|--(eval|print|check|interactive|inspect|debug|test|watch|run|build-snapshot)\b.*)$/;
/** How many characters of the end of a process's `stderr` are kept: V8 says there that memory has run out, and Node.js adds up to 256 stack frames. */
const LAST_WORDS = 32_768;
/** How many pieces of it are read when the process has ended, more than a pipe holds: a process that a task has started may still print there. */
const MOST_PIECES = 64;
const OUT_OF_MEMORY = /heap out of memory|fatal (process|javascript) (out of memory|oom)/i;

/** How many milliseconds pass between two looks whether a process still hears main, and how many looks in a row find it deaf before it is killed. */
const LOOK_MS = 1000;
const MOST_DEAF = 2;

/** The system's numbers of the processes that this one has started for workers. */
const running = new Set<number>();
/** How many of the kernel's out-of-memory kills main has accounted for. */
let knownKills: number | undefined;

interface ProcessStart extends Pick<ThreadSpec, 'settings'> {
  readonly execArgv: readonly string[];
  readonly code: string;
  readonly boot: unknown;
  /** A board in the file that the process inherits. The port uses its rings. */
  readonly board: BoardFile;
  /** How many pipes lead from the process to main, beside that of its port. */
  readonly pipes: number;
}

/** @param port connected with the process. Returns, among others, the pipes to main, `start.pipes`; perhaps none where there is no process. */
export function startProcess(port: PipePort, start: ProcessStart, onExit: (exit: ThreadExit) => void) {
  knownKills ??= oomKills();
  // This comes before the process is started, because it throws if `worker.data` cannot be cloned: a process that gets no boot message never ends.
  const first = toBytes({ code: start.code, boot: start.boot }, 4);
  first.writeUInt32LE(first.length - 4);
  const child = spawn(start);
  const { pid } = child;
  const sockets = (child.stdio ?? []) as (Socket | null)[];
  for (const socket of sockets) socket?.on('error', () => undefined).unref(); // the child is gone: its event `exit` will tell
  const [, , stderr, toChild, fromChild, , ...pipes] = sockets as Socket[];
  /** What the first call of `kill` gave as its reason; undefined: there was no call. */
  let end: { readonly why: string | undefined } | undefined;

  /** @param why how the end is explained; undefined: the pool has asked for the end */
  const kill = (why?: string): void => {
    end ??= { why };
    // Node.js would kill the whole process group in the place of a process that could not be started.
    if (pid !== undefined) child.kill('SIGKILL');
  };
  const started = { pid, pipes, kill };
  child.on('error', (error) => {
    // Otherwise a kill failed: the process is gone.
    if (pid === undefined) onExit({ exitCode: 1, error: withFolder(error, start), outOfMemory: false });
  });
  if (pid === undefined) return started;

  running.add(pid);
  const hearLast = listen(stderr!);
  writeTo(toChild!, first);
  const close = () => {
    toChild!.destroy();
    fromChild!.destroy();
  };
  const pipe = pipeFrom(fromChild, (bytes) => writeTo(toChild!, bytes));
  port.attach({ ...pipe, close }, ...ringsOf(start.board));
  const looks = killIfDeaf(pid, toChild!, kill);
  child.once('exit', (code, signal) => {
    port.drain(); // reads its last messages
    clearInterval(looks);
    running.delete(pid);
    onExit(exitOf(code, signal, hearLast()));
    for (const each of pipes) each.destroy();
  });
  return started;

  function exitOf(code: number | null, signal: NodeJS.Signals | null, said: string): ThreadExit {
    const isKilled = signal === 'SIGKILL';
    // The pool has asked for this end: 137 would look as if the system had killed the process. A thread that is ended has the exit code 1, too.
    if (isKilled && end && end.why === undefined) return { exitCode: 1, outOfMemory: false };
    const isV8s = signal !== null || (code ?? 0) > 128;
    const outOfMemory = (isV8s && OUT_OF_MEMORY.test(said)) || (isKilled && !end && isNewKill());
    const memory = outOfMemory ? ', as its memory was full' : '';
    const killed = signal === null ? undefined : `process ${pid} was killed by ${signal}${memory}`;
    const how = (isKilled ? end?.why : undefined) ?? killed;
    const exitCode = code ?? 128 + os.constants.signals[signal!];
    // If the process ended before any code of this library ran, what Node has printed says why.
    const printed = port.hasHeard || !code ? '' : said.trim();
    const error = printed ? reasonOf(`The worker ended with exit code ${exitCode}: ${printed}`) : undefined;
    // V8 ends a process by a signal where its heap is full; by SIGKILL the system takes memory from any process.
    return { exitCode, error, outOfMemory, ...(how && { how, isChance: isKilled || !outOfMemory }) };
  }
}

/** Looks, time and again, whether the process still hears main. @param toChild the pipe by which it does */
function killIfDeaf(pid: number, toChild: Socket, kill: (why: string) => void): NodeJS.Timeout {
  let timesDeaf = 0;
  return setInterval(() => {
    // A process whose end of the pipe is closed (a task can close the descriptor) hears nothing any more, not even that it is to end.
    const isClosed = toChild.destroyed;
    timesDeaf = isClosed || isStopped(pid) ? timesDeaf + 1 : 0;
    if (timesDeaf < MOST_DEAF) return;
    const how = isClosed
      ? `had closed descriptor ${FD.fromMain}, by which it hears`
      : 'had been stopped by a signal';
    kill(`process ${pid} ${how}, and was killed`);
  }, LOOK_MS).unref();
}

function spawn(start: ProcessStart): ChildProcess {
  const { settings, execArgv, board, pipes } = start;
  const env = (settings.env as NodeJS.ProcessEnv | undefined) ?? process.env;
  // A null prototype: properties that a program has put on `Object.prototype` must not count as options.
  const options: SpawnOptions = Object.assign(Object.create(null), {
    stdio: ['ignore', 'inherit', 'pipe', 'pipe', 'pipe', board.fd, ...Array<'pipe'>(pipes).fill('pipe')],
    env: { ...env, THREADWISE_CONTROL: undefined }, // control is served by the program's own process
    cwd: settings.cwd,
  });
  // Loaded when it is needed: most programs start no process.
  const childProcess = process.getBuiltinModule('node:child_process');
  try {
    const child = childProcess.spawn(process.execPath, [...execArgv, '--eval', STARTER], options);
    child.unref();
    return child;
  } catch (error) {
    throw withFolder(error, start); // Node.js throws some errors of the system
  }
}

/** Adds the folder to an error of the start: if it does not exist, Node.js says that the program does not; if it is a file, names nothing. */
function withFolder(error: unknown, { settings: { cwd } }: ProcessStart): unknown {
  if (cwd !== undefined) (error as Error).message += `, in ${cwd} (worker.cwd)`;
  return error;
}

/** A worker in a process. @param pid undefined: it could not be started @param threadId gives the system's number of its thread, 0 while unknown */
export function threadIn(pid: number | undefined, terminate: () => void, threadId: () => number): Thread {
  const cpu = () => (pid === undefined ? undefined : cpuTime(threadId(), pid));
  const resident = () => (pid === undefined ? undefined : residentBytes(pid));
  return { terminate, utilization: cpuUtilization(cpu), cpu, residentBytes: resident };
}

/** Of all processes that this one has started for workers. */
export const residentBytesOfAll = (): number =>
  [...running].reduce((sum, pid) => sum + (residentBytes(pid) ?? 0), 0);

/** Returns a function that gives the share of the time since its last call in which a thread computed, 0 to 1; 0 if that is unknown. */
function cpuUtilization(time: () => CpuTime | undefined): () => number {
  let usedMs = 0;
  let at = performance.now();
  return () => {
    const cpu = time();
    const now = performance.now();
    const share = cpu === undefined || now <= at ? 0 : (cpu.usedMs - usedMs) / (now - at);
    usedMs = cpu?.usedMs ?? usedMs;
    at = now;
    return Math.max(0, Math.min(1, share));
  };
}

function residentBytes(pid: number): number | undefined {
  const kib = /^VmRSS:\s*(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

/** Whether a signal (SIGSTOP, SIGTSTP) has stopped the process; a process that a debugger holds does not count. */
function isStopped(pid: number): boolean {
  // The name of the process, in parentheses, may contain anything.
  return /\) T [^)]*$/.test(readText(`/proc/${pid}/stat`) ?? '');
}

/** How many processes the kernel has killed in this process's cgroup because its memory was used up. */
function oomKills(): number {
  let kills = 0;
  for (const { controllers, path } of cgroups()) {
    if (controllers !== '' && controllers !== 'memory') continue;
    const file = controllers === '' ? `${path}/memory.events` : `/memory${path}/memory.oom_control`;
    // Within a container the path may not be there, and `/` is its own cgroup.
    const text =
      readText(`/sys/fs/cgroup${file}`) ?? readText(`/sys/fs/cgroup${file.replace(path, '')}`) ?? '';
    kills += Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  }
  return kills;
}

function isNewKill(): boolean {
  const isNew = oomKills() > knownKills!;
  if (isNew) knownKills!++;
  return isNew;
}

/** Forwards the process's stderr to main's, as Node does for threads. Returns a function that gives the end of what was printed. */
function listen(stderr: Socket): () => string {
  let last = '';
  const hear = (piece: Buffer) => {
    process.stderr.write(Buffer.from(piece));
    last = (last + piece.toString('latin1')).slice(-LAST_WORDS);
  };
  stderr.on('data', hear);
  return () => {
    let piece: Buffer | undefined;
    for (let i = 0; i < MOST_PIECES && (piece = readSocket(stderr)); i++) hear(piece);
    return last;
  };
}

/** A pipe that reads from a socket; undefined: there is none, because the process could not be started. */
export function pipeFrom(socket: Socket | undefined, write: Pipe['write']): Pipe {
  return {
    write,
    read: () => socket && readSocket(socket),
    listen: (callback) => void socket?.on('data', callback),
    close: () => void socket?.removeAllListeners('data'),
  };
}

/** Writes directly what the pipe takes at once, which is faster than a stream, and leaves the rest to the stream. */
function writeTo(socket: Socket, bytes: Uint8Array): void {
  let written = 0;
  if (socket.writableLength === 0) {
    try {
      written = writeSync(fdOf(socket), bytes);
    } catch {
      // The pipe is full, or the child is gone: then its event `exit` will tell.
    }
  }
  if (written === bytes.length) return;
  socket.write(bytes.length > KEPT_BYTES ? bytes.subarray(written) : bytes.slice(written));
}

/** The bytes that have arrived and that the event loop has not handled. */
const readSocket = (socket: Socket): Buffer | undefined => readNow(fdOf(socket));

/** The descriptor of the socket; negative if it is closed. */
function fdOf(socket: Socket): number {
  return (socket as { _handle?: { fd?: number } | null })._handle?.fd ?? -1;
}

/** The specification of a worker as it crosses to its process. @param toMain the descriptor by which the worker speaks to main */
export function specFor(spec: ThreadSpec, toMain: number) {
  const { data, argv = [], resourceLimits } = spec.settings; // the process has all other settings
  const board: BoardFile = { ...(spec.wire.memory as BoardFile), fd: FD.board };
  const memory = { argv, execArgv: optionsOf(spec.settings), board, toMain, parentId: process.pid };
  const wire = { ...spec.wire, port: undefined as unknown, memory };
  return { ...spec, allowance: undefined, wire, settings: { data, resourceLimits } satisfies WorkerSettings };
}

/** What a worker in a process finds as its boot message. */
export type Told = ReturnType<typeof specFor> & Pick<WorkerBoot, 'data' | 'clockZero'>;

/** Node's options for a process: those that were given, or else main's. */
export function optionsOf({ execArgv }: WorkerSettings): readonly string[] {
  return execArgv ?? inherited(process.execArgv);
}

/** The options without those that are for main alone, without the values of these, and without the text that main evaluates. */
export function inherited(options: readonly string[]): string[] {
  const { _eval: text } = process as { _eval?: string };
  return options.filter((option, i) => {
    const isValue = !option.startsWith('-');
    return option !== text && !NOT_INHERITED.test(isValue ? (options[i - 1] ?? '') : option);
  });
}
