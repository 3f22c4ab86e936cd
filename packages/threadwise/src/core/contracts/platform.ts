/** The seam to a runtime: threads, clocks, channels, limits. Implemented in `platform/<name>/platform.ts`. */
import type { ResolvedOptions } from '../options/options.js';
import type { CpuTime, Measured } from './policy.js';

/** One end of a two-way, ordered channel of structured clones. */
export interface Port {
  /** Throws a DataCloneError, and sends nothing, when the message cannot be cloned. */
  post(message: unknown, transfer?: readonly unknown[]): void;
  /** Calls `handler` for each message, in order, `onBroken` for one that cannot be read, then `onBatch` for those that arrived together. */
  listen(
    handler: (message: unknown) => void,
    onBatch?: () => void,
    onBroken?: (error: unknown) => void,
  ): void;
  /** Delivers now all messages that have arrived. Returns how many there were. */
  drain(): number;
  close(): void;
}

export interface ThreadSpec {
  readonly workerId: number;
  readonly poolName: string;
  readonly moduleUrl: string;
  readonly tasksPerWorker: number;
  /** The names of the classes that the pool registers, which the module must have, too; 'plain': it need not. */
  readonly classes: readonly string[] | 'plain';
  /** What `Allowance` is made from: how many tasks the worker may begin. Undefined: any number. */
  readonly allowance: ArrayBufferLike | undefined;
  readonly wire: Wire;
  readonly settings: WorkerSettings;
}

/** The worker's end of a link, to be cloned: opaque to the core, understood by the transport's worker side. */
export interface Wire {
  readonly transport: string;
  /** The far end of a channel; it is transferred. */
  readonly port: unknown;
  readonly memory: unknown;
}

export type WorkerSettings = Partial<Omit<ResolvedOptions['worker'], 'recycle' | 'startTimeoutMs'>>;

export interface ThreadExit {
  readonly exitCode: number;
  /** The uncaught error that ended the thread, if there was one. */
  readonly error?: unknown;
  readonly outOfMemory: boolean;
  /** What ended the thread, where an exit code does not tell. */
  readonly how?: string;
  /** Whether what ended it says nothing about the module that it was loading, such as a signal from outside. */
  readonly isChance?: boolean;
}

/** A thread beside the workers, for the pool's own work. */
export interface HelperSpec {
  readonly name: string;
  /** The far end of a channel; it is transferred. */
  readonly port: unknown;
  readonly data: unknown;
}

export interface Thread {
  /** Ends the thread now; `onExit` is called when it is gone. Idempotent. */
  terminate(): void;
  /** Share of the time since the last call in which its event loop was active, 0 to 1. */
  utilization(): number;
  /** Undefined where the system does not tell, or not yet. */
  cpu(): CpuTime | undefined;
  /** How many bytes of memory a worker's process has; undefined for a thread, and where the system does not tell. */
  residentBytes?(): number | undefined;
  /** Called, perhaps more than once, when the worker begins no more tasks: another one may have its place. */
  retires?(): void;
}

export interface KeepAlive {
  /** While held, the process stays alive. Idempotent. */
  hold(): void;
  release(): void;
  dispose(): void;
}

export type TimerHandle = { readonly cancel: () => void };

export interface Platform {
  readonly name: string;
  /** Milliseconds on a clock that all threads of the process share. */
  now(): number;
  /**
   * The same clock, kept for a few reads while the code of one turn and its promises run: for every call, reading it would cost more than the rest.
   * @param anew whether to read the clock in any case
   */
  burstNow(anew?: boolean): number;
  /** A timer that does not keep the process alive. */
  timer(ms: number, callback: () => void): TimerHandle;
  /** Calls back when the code that runs now has ended, before any I/O. */
  defer(callback: () => void): void;
  /** Calls back after pending I/O and timers have had their turn. */
  nextTurn(callback: () => void): void;
  /** Makes `callback` run in the async context (AsyncLocalStorage) in which it was bound. */
  bind<F extends (...args: never[]) => unknown>(callback: F): F;
  keepAlive(): KeepAlive;
  /** Calls back when the process, or the worker thread that this runs in, ends by itself. Returns a function that undoes this. */
  atExit(callback: () => void): () => void;
  channel(): { near: Port; far: unknown };
  /** A channel between two other threads: its ends, to be transferred. */
  channelEnds(): readonly [unknown, unknown];
  /** Makes a port of the far end of a channel. */
  port(far: unknown): Port;
  spawn(spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread;
  /** What another thread of this process needs to start a worker: `data` is cloned, the parts of it in `transfer` move. */
  recipe(spec: ThreadSpec): { readonly data: unknown; readonly transfer: readonly unknown[] };
  /** The CPU time of a thread of this process, by the system's id of it; undefined where the system does not tell. */
  cpuOf(threadId: number): CpuTime | undefined;
  startHelper(spec: HelperSpec, onExit: (exit: ThreadExit) => void): Thread;
  /** A structured clone, by the runtime's own algorithm. */
  clone<T>(value: T, transfer?: readonly unknown[]): T;
  /** Detaches buffers, and frees their memory. Throws a DataCloneError, and detaches none, if one of them cannot be moved. */
  detach(buffers: readonly unknown[]): void;
  /** Makes shared memory, all zero, resident only where it was touched. It may be growable: views need a length. Throws a RangeError. */
  sharedMemory(byteLength: number): ArrayBufferLike;
  /** Has the engine collect shared buffers of `byteLength` bytes, to which nothing refers. Called when no function runs that has seen them. */
  collectShared(byteLength: number): void;
  /** The same of one buffer, after the functions that run now. */
  collectSoon(buffer: ArrayBufferLike): void;
  /** Whether threads can share memory, and wait for it without being blocked. */
  readonly hasSharedMemory: boolean;
  /** Says where workers cannot have processes of their own, such as 'on Windows'. Returns undefined where they can. */
  noProcesses(): string | undefined;
  /** How many threads the limits of the machine and the container allow. */
  availableThreads(): number;
  /** How many there may be at most, however much they wait: not less than `availableThreads`. */
  threadCeiling(): number;
  /** The bytes that the process has, and those that it may take; undefined where the system does not tell. */
  memory(): Measured['memory'];
  /** How busy the calling thread is, with the `utilization` of its event loop since the last question, 0 to 1; and its memory. */
  ownLoad(): { readonly utilization: number; readonly residentBytes: number; readonly heapUsedBytes: number };
  env(name: string): string | undefined;
  resolveModule(specifier: unknown): string;
}
