/** The caller's side of a fleet: calls like those of a pool, as jobs of a BullMQ queue that other machines work on. */
import { randomUUID } from 'node:crypto';
import { type Job, Queue } from 'bullmq';
import type { TaskArguments, TaskItem, TaskName, TaskResult, Tasks, UntypedTasks } from 'threadwise';
import {
  duration,
  iteratorOf,
  Mapping,
  record,
  reject,
  tasksBy,
  text,
  withCallerStack,
} from 'threadwise/internal';
import { sendCancel } from './cancels.js';
import { connectTo, endEvents, insist, inTime, Link } from './connection.js';
import { checkSize, encode } from './encoding.js';
import { FleetError, givenUp } from './errors.js';
import {
  defined,
  type FleetJobOptions,
  type FleetMapOptions,
  type FleetRunOptions,
  resolveCall,
  resolveMap,
} from './job-options.js';
import { JobEvents } from './job-events.js';
import { type MachineStats, machinesOf } from './machines.js';
import { moduleHash } from './module-hash.js';
import { type OpenCall, OpenCalls } from './open-calls.js';
import { type FleetOptions, resolveFleet } from './options.js';

/** The statistics of a fleet at one moment: plain JSON. */
export interface FleetStats {
  readonly queue: string;
  readonly jobs: {
    /** Jobs that may run but have not started, of all priorities. */
    readonly waiting: number;
    readonly active: number;
    /** Jobs that may not run yet because of a delay. */
    readonly delayed: number;
    readonly failed: number;
    readonly completed: number;
  };
  /** How many machines have reported in the last ten seconds. */
  readonly machines: number;
  readonly threads: number;
  /** The last report of each machine, by name. */
  readonly perMachine: readonly MachineStats[];
  /** Calls of this program that have not settled. */
  readonly open: number;
}

/** A job for BullMQ's own functions: schedulers and flows. */
export interface FleetJob {
  readonly name: string;
  readonly queueName: string;
  readonly data: unknown;
  readonly opts: FleetJobOptions;
}

/** How many milliseconds pass between two checks of open calls whose event may have been missed. */
const LOOK_MS = 5_000;
/** How many events Redis keeps for slow callers. BullMQ's default is a fifth of it, which a busy fleet makes in a second. */
const MAX_EVENTS = 50_000;

/** BullMQ keeps the job aside while another one runs, drops it where a later one comes, and tells nobody: its call could wait for ever. */
const NO_KEEP_LAST =
  'to be left out of a call, whose job may be dropped for a later one; without a call: fleet.queue.add(name, data, opts) with what fleet.job(…) gives';

/** Returns at once; connects and reconnects by itself. Throws ERR_OPTION. */
export function connect<M = UntypedTasks>(options: FleetOptions): Fleet<M> {
  return new Fleet<M>(options);
}

export class Fleet<M = UntypedTasks> {
  /** BullMQ's own queue, for what a fleet has no method for: schedulers, pausing, cleaning, dashboards. */
  readonly queue: Queue;
  /** The module's tasks as functions: `fleet.tasks.hash(bytes)` is `fleet.run('hash', [bytes])`. */
  readonly tasks: Tasks<M>;
  readonly #options;
  readonly #link: Link;
  readonly #calls: OpenCalls;
  readonly #machines: ReturnType<typeof machinesOf>;
  /** Requests to Redis for calls; `close` waits for their answers before it disconnects. */
  readonly #asked = new Set<Promise<unknown>>();
  readonly #lookTimer: NodeJS.Timeout;
  #events: JobEvents | undefined;
  #listening: Promise<void> | undefined;
  #isLooking = false;
  /** Whether all jobs are to be looked at once more: the connection was lost during a look. */
  #isLookMissed = false;
  #module: Promise<string> | undefined;
  #reading: Promise<[counts: Readonly<Record<string, number>>, machines: MachineStats[]]> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: FleetOptions) {
    this.#options = resolveFleet(options);
    const { queue, prefix, connection, connectTimeoutMs } = this.#options;
    const redis = connectTo(connection);
    this.#link = new Link(redis, connectTimeoutMs);
    this.queue = new Queue(queue, { connection: redis, prefix, streams: { events: { maxLen: MAX_EVENTS } } });
    this.queue.on('error', () => undefined); // the link reports the error to those who wait
    this.#calls = new OpenCalls(this.queue, redis);
    redis.on('end', () => this.#calls.failAll(['added'], givenUp('the job stays in the queue')));
    this.#machines = machinesOf(this.queue, redis);
    this.#lookTimer = setInterval(() => void this.#look(), LOOK_MS).unref();
    this.tasks = tasksBy((name, args) => this.run(name as TaskName<M>, args as never));
  }

  /** Resolves when Redis answers and results can be received. Calls wait for it by themselves. Rejects with ERR_FLEET_CONNECTION. */
  get ready(): Promise<void> {
    return this.#listen();
  }

  /**
   * Runs a task on some machine, at least once. Never throws: rejects with what the task throws, a ThreadwiseError or a FleetError.
   * @param name an exported function of the machines' module
   */
  async run<K extends TaskName<M>>(
    name: K,
    args: Readonly<TaskArguments<M[K]>>,
    options?: FleetRunOptions,
  ): Promise<TaskResult<M[K]>> {
    try {
      return (await this.#enter(name, args, options)) as TaskResult<M[K]>;
    } catch (error) {
      throw withCallerStack(error);
    }
  }

  /**
   * Runs a task on every item, its only argument. Reads at most `concurrency` items ahead of the results that are taken, so the input may
   * be of any length. Leaving the loop cancels the open calls. The first error ends the results. Throws ERR_OPTION.
   */
  map<K extends TaskName<M>>(
    name: K,
    items: Iterable<TaskItem<M[K]>> | AsyncIterable<TaskItem<M[K]>>,
    options?: FleetMapOptions,
  ): AsyncGenerator<TaskResult<M[K]>, void, void> {
    const { concurrency, ordered, ...run } = resolveMap(options);
    const host = {
      room: () => Promise.resolve(),
      isFull: () => false,
      submit: (item: unknown, signal: FleetRunOptions['signal']) =>
        this.#enter(name, [item], { ...defined(run), signal: signal! }),
    };
    const iterator = iteratorOf(items as Iterable<unknown>);
    const results = new Mapping(host, iterator, { concurrency, ordered, signal: run.signal }).results();
    return results as AsyncGenerator<TaskResult<M[K]>, void, void>;
  }

  /** A call's job for BullMQ: `new FlowProducer(…).add({ ...(await fleet.job('sum', [])), children: [await fleet.job('part', [1])] })`. */
  async job<K extends TaskName<M>>(
    name: K,
    args: Readonly<TaskArguments<M[K]>>,
    options?: Omit<FleetRunOptions, 'signal' | 'onProgress'>,
  ): Promise<FleetJob> {
    const data = this.#encodeArguments(name, args);
    const { opts } = resolveCall(options, this.#options, randomUUID());
    await this.#nameModule(opts);
    const { jobId: _, ...unnamed } = opts;
    return {
      name,
      queueName: this.queue.name,
      data,
      opts: options?.jobId === undefined ? unnamed : opts,
    };
  }

  /** Reads the queue's counts and each machine's last report. Rejects with ERR_FLEET_CONNECTION or ERR_FLEET_CLOSED. */
  async stats(): Promise<FleetStats> {
    this.#checkOpen();
    const [counts, perMachine] = await this.#link.ask('The statistics were not read', () => this.#read());
    const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0, completed = 0 } = counts;
    return {
      queue: this.#options.queue,
      jobs: { waiting: wait + prioritized, active, delayed, failed, completed },
      machines: perMachine.length,
      threads: perMachine.reduce((sum, { threads }) => sum + threads, 0),
      perMachine,
      open: this.#calls.size,
    };
  }

  /**
   * Waits up to `timeoutMs` for the open calls, then ends the connections. Calls that are still open reject with ERR_FLEET_CLOSED; their
   * jobs stay in the queue and are run. Jobs on their way to Redis have until `connectTimeoutMs` to get there.
   * @param options timeoutMs: milliseconds, default 30,000; 0: do not wait; Infinity: no limit. Throws ERR_OPTION.
   */
  close(options: { timeoutMs?: number } = {}): Promise<void> {
    const { timeoutMs = 30_000 } = record('options', options, ['timeoutMs']);
    const limitMs = duration('timeoutMs', timeoutMs, 0);
    return (this.#closing ??= this.#close(limitMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Makes one reading at a time: the client keeps every command that an unreachable Redis does not answer, so repeated ones pile up. */
  #read() {
    return (this.#reading ??= Promise.all([
      this.queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed', 'completed'),
      this.#machines.read(),
    ]).finally(() => (this.#reading = undefined)));
  }

  async #enter(
    name: string,
    args: readonly unknown[],
    options: FleetRunOptions | undefined,
  ): Promise<unknown> {
    this.#checkOpen();
    const data = this.#encodeArguments(name, args);
    const { signal, onProgress, isShared, opts } = resolveCall(options, this.#options, randomUUID());
    if (opts.deduplication?.keepLastIfActive) reject('deduplication.keepLastIfActive', NO_KEEP_LAST, true);
    const onAbort = (call: OpenCall) => {
      if (!isShared && call.state === 'added') this.#cancel(call, signal?.reason);
    };
    // `close` waits for the call from here on, so nothing above may be asynchronous.
    const call = this.#calls.open(opts.jobId, name, { signal, onProgress, onAbort });
    const add = async () => {
      await this.#nameModule(opts).catch(rethrown);
      await this.#listen().catch(rethrown);
      if (!this.#calls.has(call)) return;
      call.state = 'adding';
      let adding: Promise<Job> | undefined;
      const what = `Task '${name}' was not added`;
      const ask = this.#link.ask(what, () => (adding = this.queue.add(name, data, opts)));
      // A job that comes too late, for nobody, is removed.
      const undo = () => this.#cancel(call, 'The call was given up');
      if (!isShared) ask.catch(() => adding?.then(undo, () => undefined));
      const job = await this.#tracked(ask);
      call.state = 'added';
      const { id = opts.jobId } = job;
      // An event may have come before, of a job that has replaced that one meanwhile.
      if (id !== opts.jobId && call.jobId === opts.jobId) this.#calls.move(call, id);
      if (signal?.aborted) onAbort(call);
      // A job with this id may have ended before we listened.
      else if (isShared) await this.#calls.look([call.jobId]).catch(() => undefined);
    };
    if (!signal?.aborted) add().catch((error: unknown) => this.#calls.fail(call, error));
    return await call.promise;
  }

  #encodeArguments(name: string, args: readonly unknown[]): unknown {
    text('name', name);
    if (!Array.isArray(args)) reject('args', 'an array of arguments', args);
    const { encoding, maxBytes } = this.#options;
    const data = encode(args, encoding, 'args', maxBytes);
    // A copy of the arguments: later changes by the caller do not reach the job.
    return JSON.parse(checkSize(data, maxBytes, `The arguments of task '${name}'`));
  }

  /** Adds the hash of the task module to the options of a job, if the option `module` is set. */
  async #nameModule(opts: FleetJobOptions): Promise<void> {
    const { module } = this.#options;
    if (module === undefined) return;
    // After a failure the next call tries again: the file may be there by then.
    this.#module ??= moduleHash(module).catch((error: unknown) => {
      this.#module = undefined;
      throw error;
    });
    opts.threadwise = { ...opts.threadwise, module: await this.#module };
  }

  /** Listens to the queue's events. After a failure the next call tries again. */
  #listen(): Promise<void> {
    return (this.#listening ??= this.#startListening().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    }));
  }

  async #startListening(): Promise<void> {
    const { queue, prefix } = this.#options;
    const { redis } = this.#link;
    // An event of our own marks the end of the stream: everything after it is read.
    const last = await this.#link.ask('The fleet was not reached', () =>
      redis.xadd(this.queue.toKey('events'), 'MAXLEN', '~', MAX_EVENTS, '*', 'event', 'threadwise:listening'),
    );
    const events = new JobEvents(queue, { connection: redis, prefix, lastEventId: last! });
    this.#events = events;
    events.on('error', () => undefined);
    this.#calls.follow(events, last!);
    // While disconnected we may have missed events that have since left the stream, or the stream may be gone.
    redis.on('ready', () => void this.#look(Number.POSITIVE_INFINITY));
  }

  /** Looks once at a time: the client keeps every command that a Redis does not answer, so looks that nobody waits for would pile up. */
  async #look(most?: number): Promise<void> {
    if (this.#isLooking) {
      this.#isLookMissed ||= most !== undefined;
      return;
    }
    this.#isLooking = true;
    while (this.#calls.size > 0 && this.#link.redis.status === 'ready') {
      this.#isLookMissed = false;
      await this.#calls.lookAtOldest(most).catch(() => undefined);
      if (!this.#isLookMissed) break;
      most = Number.POSITIVE_INFINITY;
    }
    this.#isLooking = false;
  }

  /** Removes the job if it waits; tells its machine to abort it if it runs. */
  #cancel({ jobId, name }: OpenCall, reason: unknown): void {
    const cancel = async () => {
      const job = await this.queue.getJob(jobId);
      if (job === undefined || (await this.queue.remove(jobId)) === 1) return;
      const { call } = (job.opts as FleetJobOptions).threadwise ?? {};
      if (call !== undefined) await sendCancel(this.#link.redis, this.#options, call, reason);
    };
    const ask = this.#link.ask(`Task '${name}' was not cancelled`, () => insist(cancel));
    this.#tracked(ask).catch(() => undefined);
  }

  #tracked<T>(ask: Promise<T>): Promise<T> {
    this.#asked.add(ask);
    const end = () => this.#asked.delete(ask);
    ask.then(end, end);
    return ask;
  }

  async #close(limitMs: number | undefined): Promise<void> {
    // 1. Wait for the open calls, including those whose jobs are still to be added.
    await inTime(limitMs, this.#calls.settled());
    clearInterval(this.#lookTimer);
    // 2. Add no more jobs. Wait until those on their way are in Redis and cancelled ones are removed, so that the errors below are true.
    this.#calls.failAll(['waiting'], closed('The fleet was closed before the job was added'));
    while (this.#asked.size > 0) await Promise.allSettled(this.#asked);
    this.#calls.failAll(['adding', 'added'], closed('The fleet was closed; the job stays in the queue'));
    // 3. Disconnect. Requests that still wait for an answer, such as `stats`, reject.
    this.#link.end();
    await this.#listening?.catch(() => undefined);
    if (this.#events !== undefined) await endEvents(this.#events);
    await this.queue.close().catch(() => undefined);
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new FleetError('ERR_FLEET_CLOSED', 'The fleet was closed');
  }
}

/** Many calls wait for one attempt. Each has its own error, to whose stack its caller's is added. */
function rethrown(error: unknown): never {
  if (!(error instanceof FleetError)) throw error;
  throw new FleetError(error.code, error.message, { cause: error.cause });
}

const closed = (message: string) => (jobId: string) => new FleetError('ERR_FLEET_CLOSED', message, { jobId });
