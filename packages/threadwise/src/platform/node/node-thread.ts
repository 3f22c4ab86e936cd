/** Starts a thread of Node from its code, and tells how it ends. Knows no code: the coordinator's thread has this, too. */
import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import type { Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { clockZero } from './clock.js';
import { cpuTime, loopUtilization } from './usage.js';
import type { WorkerBoot } from './worker-entry.js';

/** A worker to be started by another thread than main; cloneable, its port is to be moved. */
export interface Recipe {
  readonly source: string;
  readonly spec: ThreadSpec;
  /** A symbol cannot be cloned. */
  readonly sharesEnv: boolean;
  /** Whether the options of Node are the process's, of which a thread cannot have all. */
  readonly inheritsOptions: boolean;
}

/** A thread would take these over from the one that starts it: main's are meant, whoever that is. */
export function recipeFor(source: string, spec: ThreadSpec): Recipe {
  const { settings } = spec;
  const sharesEnv = settings.env === SHARE_ENV;
  const execArgv = settings.execArgv ?? process.execArgv;
  const env = sharesEnv ? undefined : settings.env;
  const inheritsOptions = settings.execArgv === undefined;
  return { source, spec: { ...spec, settings: { ...settings, execArgv, env } }, sharesEnv, inheritsOptions };
}

export function spawnFromRecipe(
  { source, spec, sharesEnv, inheritsOptions }: Recipe,
  onExit: (exit: ThreadExit) => void,
): Thread {
  const env = sharesEnv ? SHARE_ENV : spec.settings.env;
  let { execArgv } = spec.settings;
  for (;;) {
    try {
      return spawnFrom(source, { ...spec, settings: { ...spec.settings, env, execArgv } }, onExit);
    } catch (error) {
      const refused = inheritsOptions ? refusedOptions(error) : undefined;
      if (refused === undefined || execArgv === undefined) throw error;
      const left = withoutOptions(execArgv, refused);
      if (left.length === execArgv.length) throw error;
      // Node reads no further than to a value that it does not expect: there may be others behind it.
      execArgv = left;
    }
  }
}

/** Those that only a whole process can have, such as the size of its heap: only Node knows which, and says so. */
function refusedOptions(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_INVALID_EXEC_ARGV' ? message.slice(message.indexOf(': ') + 2) : undefined;
}

/** `refused` are options with ', ' between them, which may have commas themselves. */
export function withoutOptions(options: readonly string[], refused: string): string[] {
  const isRefused = (option: string) => `, ${refused}, `.includes(`, ${option}, `);
  let skipsValue = false;
  return options.filter((option) => {
    // A value of its own follows only where there is none behind '='.
    if (!option.startsWith('-')) return !skipsValue;
    const isOut = isRefused(option);
    skipsValue = isOut && !option.includes('=');
    return !isOut;
  });
}

/** What `boot.ts` finds as workerData. */
export interface Start {
  /** 1 as soon as what the thread is for lies on its port. */
  readonly told: Int32Array;
  /** What the system calls the thread, which writes it there. */
  readonly threadId: Int32Array;
  /** The text that the thread runs. */
  readonly source: string;
}

/** A thread that has been started, and waits to be told what it is for. */
interface Waiting extends Start {
  readonly worker: Worker;
}

/** Threads that wait, for the pool that is being made. */
const ahead: Waiting[] = [];

/**
 * Starts threads for the workers that `spawnFrom` will be asked for, with nothing but their code. Returns what ends those that it was not
 * asked for.
 */
export function startAhead(code: string, names: readonly string[]): () => void {
  try {
    for (const name of names) ahead.push(startWaiting(code, { name }));
  } catch {
    // Whoever spawns is refused, too, and tells of it.
  }
  return () => {
    for (const { worker } of ahead.splice(0)) void worker.terminate();
  };
}

/**
 * The worker's code is given as text and not as a file beside this one: a bundler moves this file elsewhere, and one
 * script starts faster than a graph of modules.
 */
function startWaiting(code: string, options: WorkerOptions): Waiting {
  const word = () => new Int32Array(new SharedArrayBuffer(4));
  const start: Start = { told: word(), threadId: word(), source: code };
  const runsImports = mayImport(options.execArgv, options.env);
  const starter = runsImports ? new URL(`data:text/javascript,${encodeURIComponent(STARTER)}`) : STARTER;
  const worker = newWorker(starter, { ...options, eval: !runsImports, workerData: start });
  return { ...start, worker };
}

/** Starts a worker's thread, or takes one that was started ahead. */
export function spawnFrom(code: string, spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const { settings, wire, ...place } = spec;
  const { data, ...given } = settings;
  const name = `${place.poolName}/${place.workerId}`;
  const isAhead = ahead[0]?.source === code;
  const waiting = isAhead ? ahead.shift()! : startWaiting(code, { ...(given as WorkerOptions), name });
  const { worker, told, threadId } = waiting;
  const boot = { ...place, wire, data, clockZero: clockZero() } as WorkerBoot;
  try {
    worker.postMessage(boot, [boot.wire.port]);
  } catch (error) {
    void worker.terminate();
    throw error;
  }
  Atomics.store(told, 0, 1);
  Atomics.notify(told, 0);
  return threadOf(worker, onExit, threadId);
}

/**
 * What a worker's thread begins with: Node.js reads a text that it is given twice, once to see whether it is a module, and does not read a
 * string in it. Only from here can the text import.
 */
const STARTER = `{
  const { workerData } = process.getBuiltinModule('node:worker_threads');
  workerData.load = (url) => import(url);
  process.getBuiltinModule('node:vm').runInThisContext(workerData.source, { filename: '[worker eval]' });
}`;

/** Whether the options name modules of `--import`: Node.js runs those before a URL, and not before a text. A false alarm costs a millisecond. */
function mayImport(execArgv: readonly string[] | undefined, env: unknown): boolean {
  const { NODE_OPTIONS = '' } = (typeof env === 'object' ? env : process.env) as NodeJS.ProcessEnv;
  return [...(execArgv ?? process.execArgv), NODE_OPTIONS].some((option) => option.includes('--import'));
}

/** Starts a thread that finds all that it needs as its workerData. */
export function nodeThread(code: string, options: WorkerOptions, onExit: (exit: ThreadExit) => void): Thread {
  return threadOf(newWorker(code, { ...options, eval: true }), onExit, new Int32Array(1));
}

function newWorker(code: string | URL, options: WorkerOptions): Worker {
  // Whatever somebody has put on `Object.prototype` is no option.
  const worker = new Worker(code, Object.assign(Object.create(null), options) as WorkerOptions);
  worker.unref();
  return worker;
}

/** @param threadId one word, written by the thread: what the system calls it */
function threadOf(worker: Worker, onExit: (exit: ThreadExit) => void, threadId: Int32Array): Thread {
  let error: unknown;
  worker.on('error', (uncaught) => {
    error = uncaught;
  });
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (exitCode) => {
      onExit({ exitCode, error, outOfMemory: isOutOfMemory(error) });
      resolve();
    });
  });
  return {
    terminate: () => {
      void worker.terminate();
      return exited;
    },
    utilization: loopUtilization(worker.performance),
    cpu: () => cpuTime(Atomics.load(threadId, 0)),
  };
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
