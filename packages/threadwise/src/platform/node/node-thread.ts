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
}

/** A thread would take these over from the one that starts it: main's are meant, whoever that is. */
export function recipeFor(source: string, spec: ThreadSpec): Recipe {
  const { settings } = spec;
  const sharesEnv = settings.env === SHARE_ENV;
  const execArgv = settings.execArgv ?? process.execArgv;
  const env = sharesEnv ? undefined : settings.env;
  return { source, spec: { ...spec, settings: { ...settings, execArgv, env } }, sharesEnv };
}

export function spawnFromRecipe(
  { source, spec, sharesEnv }: Recipe,
  onExit: (exit: ThreadExit) => void,
): Thread {
  const env = sharesEnv ? SHARE_ENV : spec.settings.env;
  return spawnFrom(source, { ...spec, settings: { ...spec.settings, env } }, onExit);
}

export function spawnFrom(source: string, spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const threadId = new Int32Array(new SharedArrayBuffer(4));
  return new NodeThread(source, optionsOf(spec, threadId), onExit, threadId);
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
    this.#worker = new Worker(source, options);
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
function optionsOf(spec: ThreadSpec, threadId: Int32Array): WorkerOptions {
  const { data, env, argv, execArgv, resourceLimits } = spec.settings;
  const { workerId, poolName, moduleUrl, tasksPerWorker, maxTasks, wire } = spec;
  const place = { workerId, poolName, moduleUrl, tasksPerWorker, maxTasks };
  const boot = { ...place, wire, data, threadId } as WorkerBoot;
  return {
    eval: true,
    name: `${poolName}/${workerId}`,
    workerData: boot,
    transferList: [boot.wire.port],
    ...(env === undefined ? {} : { env: env as NonNullable<WorkerOptions['env']> }),
    ...(argv === undefined ? {} : { argv: [...argv] }),
    ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
  };
}
