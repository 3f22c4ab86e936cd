/** Starts a thread of Node from its code, and tells how it ends. Knows no code: the coordinator's thread has this, too. */
import { SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import type { CpuTime, Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { cpuTime } from './cpu-time.js';
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

export function spawnFrom(source: string, spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const threadId = new Int32Array(new SharedArrayBuffer(4));
  return new NodeThread(source, optionsOf(source, spec, threadId), onExit, threadId);
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

export class NodeThread implements Thread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  /** One word, written by the thread: what the system calls it. */
  readonly #threadId: Int32Array;
  #error: unknown;
  #lastUtilization: ReturnType<typeof performance.eventLoopUtilization> | undefined;

  constructor(
    source: string,
    options: WorkerOptions,
    onExit: (exit: ThreadExit) => void,
    threadId: Int32Array = new Int32Array(1),
  ) {
    this.#threadId = threadId;
    // Whatever somebody has put on `Object.prototype` is no option.
    const own: WorkerOptions = Object.assign(Object.create(null), options);
    this.#worker = new Worker(own.eval === true ? source : STARTER, own);
    this.#worker.unref();
    this.#worker.on('error', (error) => {
      this.#error = error;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (exitCode) => {
        onExit({ exitCode, error: this.#error, outOfMemory: isOutOfMemory(this.#error) });
        resolve();
      });
    });
  }

  async terminate(): Promise<void> {
    void this.#worker.terminate();
    await this.#exited;
  }

  utilization(): number {
    const current = this.#worker.performance.eventLoopUtilization();
    const { utilization } = this.#lastUtilization
      ? performance.eventLoopUtilization(current, this.#lastUtilization)
      : current;
    this.#lastUtilization = current;
    // NaN before the thread's loop has begun; a little below 0 where its idle time, kept over there, lags behind.
    return utilization > 0 ? Math.min(1, utilization) : 0;
  }

  cpu(): CpuTime | undefined {
    return cpuTime(Atomics.load(this.#threadId, 0));
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/**
 * The worker's code is given as text and not as a file beside this one: a bundler moves this file elsewhere, and one
 * script starts faster than a graph of modules.
 */
function optionsOf(source: string, spec: ThreadSpec, threadId: Int32Array): WorkerOptions {
  const { data, env, argv, execArgv, resourceLimits } = spec.settings;
  const { workerId, poolName, moduleUrl, tasksPerWorker, allowance, wire } = spec;
  const place = { workerId, poolName, moduleUrl, tasksPerWorker, allowance };
  const startsByUrl = mayImport(execArgv, env);
  const boot = { ...place, wire, data, threadId, source: startsByUrl ? source : undefined } as WorkerBoot;
  return {
    eval: !startsByUrl,
    name: `${poolName}/${workerId}`,
    workerData: boot,
    transferList: [boot.wire.port],
    ...(env === undefined ? {} : { env: env as NonNullable<WorkerOptions['env']> }),
    ...(argv === undefined ? {} : { argv: [...argv] }),
    ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
  };
}
