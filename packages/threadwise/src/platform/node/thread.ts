/** Starts a worker thread of Node and tells how it ends. */
import { type MessagePort, SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import type { CpuTime, HelperSpec, Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import type { HelperBoot } from './coordinator-entry.js';
import { cpuTime } from './cpu-time.js';
import { coordinatorSource, workerSource } from './thread-sources.js';
import type { WorkerBoot } from './worker-entry.js';

const HELPERS: Readonly<Record<HelperSpec['role'], string>> = { coordinator: coordinatorSource };

export function spawn(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread {
  const threadId = new Int32Array(new SharedArrayBuffer(4));
  return new NodeThread(workerSource, optionsOf(spec, threadId), onExit, threadId);
}

/** Starts a thread for the pool's own work: nothing of the user's runs there. */
export function startHelper(spec: HelperSpec, onExit: (exit: ThreadExit) => void): Thread {
  const { role, name, port, data } = spec;
  const boot: HelperBoot = { port: port as MessagePort, data };
  const options: WorkerOptions = {
    eval: true,
    name,
    workerData: boot,
    transferList: [boot.port],
    execArgv: [],
    env: SHARE_ENV,
  };
  return new NodeThread(HELPERS[role], options, onExit, NOT_KNOWN);
}

const NOT_KNOWN = new Int32Array(1);

class NodeThread implements Thread {
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
    threadId: Int32Array,
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
