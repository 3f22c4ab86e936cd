/** A worker on the calling thread: for placement 'inline'. A platform like any other, made from the one around it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Platform, Port, Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { openInlet } from '../../runner/inlets.js';
import { Runner, type RunnerPlatform } from '../../runner/runner.js';
import type { RunningTask } from '../../runner/running-task.js';

/** `around` with threads and channels replaced by ones that never leave the calling thread. */
export function inlinePlatform(around: Platform): Platform {
  return {
    ...around,
    name: 'inline',
    channel: () => inlineChannel(around),
    channelEnds: () => {
      const { near, far } = inlineChannel(around);
      return [near, far];
    },
    port: (far) => far as Port,
    spawn: (spec, onExit) => new InlineThread(spec, onExit, around),
    hasSharedMemory: false,
    sharedMemory: (byteLength) => new ArrayBuffer(byteLength),
    availableThreads: () => 1,
    threadCeiling: () => 1,
  };
}

function inlineChannel(platform: Platform): { near: Port; far: unknown } {
  const near = new InlinePort(platform);
  const far = new InlinePort(platform);
  near.peer = far;
  far.peer = near;
  return { near, far };
}

/** Clones as a MessagePort does, so that a task sees the same values on every placement. */
class InlinePort implements Port {
  peer: InlinePort | undefined;
  readonly #platform: Platform;
  #arrived: unknown[] = [];
  #handler: ((message: unknown) => void) | undefined;
  #onBatch: (() => void) | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  post(message: unknown, transfer?: readonly unknown[]): void {
    this.peer?.arrive(this.#platform.clone(message, transfer));
  }

  arrive(message: unknown): void {
    this.#arrived.push(message);
    if (this.#arrived.length === 1) this.#platform.defer(() => this.#deliver());
  }

  listen(handler: (message: unknown) => void, onBatch?: () => void): void {
    this.#handler = handler;
    this.#onBatch = onBatch;
    this.#deliver();
  }

  drain(): number {
    let count = 0;
    // One by one from the front: a handler may drain, too, and must find what comes next.
    try {
      while (this.#handler !== undefined && this.#arrived.length > 0) {
        count++;
        this.#handler(this.#arrived.shift());
      }
    } finally {
      // Only after a handler that threw: the others are delivered all the same.
      if (this.#handler !== undefined && this.#arrived.length > 0)
        this.#platform.defer(() => this.#deliver());
    }
    return count;
  }

  close(): void {
    if (this.peer !== undefined) this.peer.peer = undefined;
    this.peer = undefined;
    this.#handler = undefined;
    this.#arrived = [];
  }

  #deliver(): void {
    if (this.drain() > 0) this.#onBatch?.();
  }
}

/** There is no thread to end: what it runs goes on, unheard. */
class InlineThread implements Thread {
  readonly #onExit: (exit: ThreadExit) => void;
  readonly #port: InlinePort;
  readonly #runner: Runner;
  #hasExited = false;

  constructor(spec: ThreadSpec, onExit: (exit: ThreadExit) => void, around: Platform) {
    this.#onExit = onExit;
    this.#port = spec.wire.port as InlinePort;
    const { workerId, poolName, tasksPerWorker } = spec;
    const inlet = openInlet(spec.wire, this.#port, around);
    const options = { workerId, poolName, tasksPerWorker, data: cloneData(spec, around), inlet };
    this.#runner = new Runner(options, runnerPlatform(spec, around));
    void this.#runner.start();
  }

  async terminate(): Promise<void> {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#runner.leave();
    this.#port.close();
    this.#onExit({ exitCode: 1, outOfMemory: false });
  }

  /** The loop is the caller's own; what share of it are our tasks, nobody measures. */
  /** It has no thread of its own. */
  cpu(): undefined {
    return undefined;
  }

  utilization(): number {
    return 0;
  }
}

function cloneData(spec: ThreadSpec, around: Platform): unknown {
  return around.clone(spec.settings.data);
}

function runnerPlatform(spec: ThreadSpec, around: Platform): RunnerPlatform {
  const storage = new AsyncLocalStorage<RunningTask>();
  return {
    now: around.now,
    ownsThread: false,
    nextTurn: setImmediate,
    clone: around.clone,
    load: () => import(spec.moduleUrl),
    trimStack: (stack) => stack, // here the frames below say who called
    memory: () => ({ usedBytes: 0, limitBytes: Number.POSITIVE_INFINITY }),
    runsOneByOne: false,
    enter: (context, run, args) => storage.run(context, run, ...args),
    current: () => storage.getStore(),
  };
}
