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

/**
 * The worker's code is given as text and not as a file beside this one: a bundler moves this file elsewhere, and one
 * script starts faster than a graph of modules.
 */
export function spawnFrom(source: string, spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const { settings, wire, ...place } = spec;
  const { data, ...given } = settings;
  const startsByUrl = mayImport(given.execArgv, given.env);
  const threadId = new Int32Array(new SharedArrayBuffer(4));
  const shared = { data, threadId, clockZero: clockZero(), source: startsByUrl ? source : undefined };
  const boot = { ...place, wire, ...shared } as WorkerBoot;
  const options = {
    ...given,
    eval: !startsByUrl,
    name: `${place.poolName}/${place.workerId}`,
    workerData: boot,
    transferList: [boot.wire.port],
  };
  return nodeThread(source, options as WorkerOptions, onExit, threadId);
}

/**
 * Node runs the modules of `--import` before a file or a URL, but not before a text. Where there are any, the thread begins with
 * this small module, which runs the text; only there, as it takes a little longer.
 */
const STARTER = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import vm from 'node:vm';
    import { workerData } from 'node:worker_threads';
    workerData.load = (url) => import(url);
    vm.runInThisContext(workerData.source, { filename: '[worker eval]' });
  `)}`,
);

/** A false alarm does no harm. */
function mayImport(execArgv: readonly string[] | undefined, env: unknown): boolean {
  const { NODE_OPTIONS = '' } = (typeof env === 'object' ? env : process.env) as NodeJS.ProcessEnv;
  return [...(execArgv ?? process.execArgv), NODE_OPTIONS].some((option) => option.includes('--import'));
}

/** @param threadId one word, written by the thread: what the system calls it */
export function nodeThread(
  source: string,
  options: WorkerOptions,
  onExit: (exit: ThreadExit) => void,
  threadId: Int32Array = new Int32Array(1),
): Thread {
  // Whatever somebody has put on `Object.prototype` is no option.
  const own: WorkerOptions = Object.assign(Object.create(null), options);
  const worker = new Worker(own.eval === true ? source : STARTER, own);
  let error: unknown;
  worker.unref();
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
