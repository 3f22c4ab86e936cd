/** A machine of a fleet: fetches jobs of a BullMQ queue and has a pool run them, so that this thread is free to renew the locks. */
import { randomUUID } from 'node:crypto';
import { constants, hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import { createPool, type Pool, type TaskStart, ThreadwiseError } from 'threadwise';
import { duration, record, UserCode } from 'threadwise/internal';
import { listenToCancels } from '../cancels.js';
import { connectTo, inTime, Link, rejectCommands } from '../connection.js';
import { decode } from '../encoding.js';
import { FleetError, givenUp, hideArguments, isRefusedLogin } from '../errors.js';
import { intake } from './intake.js';
import { defined } from '../job-options.js';
import { JobWorker } from './job-worker.js';
import { type MachineStats, machinesOf, REPORT_MS } from '../machines.js';
import { moduleHash } from '../module-hash.js';
import { moduleOption, type ResolvedService, resolveService, type ServiceOptions } from '../options.js';
import { cancelled, GiveBack, LockLost, type Machine, type RunningJob, runningJob } from './running-job.js';

/** How many milliseconds a closing service waits for its last commands before it cuts the connection to Redis. */
const FAREWELL_MS = 5_000;
/** After how many milliseconds BullMQ repeats a command that failed. Its default is 15 s, in which a lock may expire. */
const RETRY_MS = 1_000;
/** How many times a lock is renewed within its duration: one renewal may fail. */
const RENEWALS = 3;
/** How many errors are remembered as told: some name a job, and there is no end of those. */
const MOST_TOLD = 100;

/**
 * Starts a service, which takes jobs as soon as its pool is ready. Throws ERR_OPTION.
 * @param module the URL of the task module
 */
export function serve(module: URL | string, options: ServiceOptions): Service {
  return new Service(module, options);
}

export class Service {
  /** The pool that runs the tasks: for its statistics, its events, `resize`, and the package `@threadwise/control`. */
  readonly pool: Pool;
  /** BullMQ's worker, for its events and settings. */
  readonly worker: Worker;
  /**
   * Resolves when the machine takes jobs. Rejects with ERR_MODULE_LOAD or ERR_FLEET_CONNECTION, and then the service closes. Rejects with
   * ERR_POOL_CLOSED or ERR_FLEET_CLOSED if it was closed before it was ready.
   */
  readonly ready: Promise<void>;
  readonly #id = randomUUID();
  readonly #options: ResolvedService;
  readonly #link: Link;
  readonly #cancels: ReturnType<typeof listenToCancels>;
  readonly #machine: Machine;
  readonly #machines: ReturnType<typeof machinesOf>;
  /** The jobs on this machine, by id. */
  readonly #running = new Map<string, RunningJob>();
  /** The functions that a task can call about its job, through `task.host`. */
  readonly #host = {
    'job.log': async (jobId: string, line: string): Promise<void> => {
      await this.#running.get(jobId)?.job.log(line);
    },
    'job.children': async (jobId: string): Promise<Record<string, unknown>> => {
      const values = (await this.#running.get(jobId)?.job.getChildrenValues()) ?? {};
      return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, decode(value)]));
    },
  };
  readonly #began = performance.now();
  readonly #counts = { completed: 0, failed: 0, returned: 0, recovered: 0, repeated: 0 };
  readonly #userCode = new UserCode();
  readonly #timer: NodeJS.Timeout;
  readonly #onSignal = (signal: NodeJS.Signals) => void this.#end(signal);
  /** The texts of the errors that were told since Redis was reached. */
  readonly #told = new Set<string>();
  /** Whether the service takes no jobs because its pool is paused or drains. */
  #isHeld = false;
  /** undefined once the service has ended. */
  #renewal: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(module: URL | string, given: ServiceOptions) {
    const url = moduleOption('module', module);
    const options = resolveService(given);
    this.#options = options;
    const { queue, prefix, pool, name } = options;
    const redis = connectTo(options.connection);
    this.#link = new Link(redis, FAREWELL_MS);
    redis.on('ready', () => this.#told.clear());
    try {
      this.pool = createPool(url, {
        ...pool,
        classes: pool.classes ?? 'plain', // no instance gets any further than to this thread
        host: { ...pool.host, ...this.#host } as NonNullable<typeof pool.host>,
        onTaskStart: (start: TaskStart) => ({ ...this.#machine.context, context: this.#contextOf(start) }),
      }) as Pool;
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    this.worker = new JobWorker(queue, (job, token) => this.#run(job, token!), {
      ...options.worker,
      connection: redis,
      prefix,
      name,
      autorun: false,
      concurrency: this.#intake(),
      lockDuration: options.lockMs,
      skipLockRenewal: true, // see #renewLocks
      stalledInterval: options.stalledCheckMs,
      maxStalledCount: options.maxLost,
      runRetryDelay: RETRY_MS,
      ...defined({ limiter: options.limiter }),
    });
    this.#machines = machinesOf(this.worker, redis);
    // The hash is taken now, while the file is the one that the workers load: it may be replaced before a job asks for the hash.
    const hash = moduleHash(url);
    hash.catch(() => undefined);
    const { pool: ours, worker } = this;
    this.#machine = { pool: ours, worker, redis, options, moduleHash: hash, context: undefined };
    let hasBegun = false;
    const onError = (error: Error) => {
      hideArguments(error);
      // Until the service has begun, `ready` reports a refused login, in more detail.
      if (hasBegun || !isRefusedLogin(error)) this.#tell(error);
    };
    redis.on('end', () => {
      // Until the service has begun, `ready` reports it.
      if (!hasBegun || this.#closing !== undefined) return;
      this.#tell(givenUp('the service closes')());
      void this.close({ timeoutMs: 0 });
    });
    this.worker.on('error', onError);
    this.worker.on('stalled', () => this.#counts.recovered++);
    const onCancel = (call: string, reason: string) => {
      for (const running of this.#running.values())
        if (running.call === call) running.abort(cancelled(running.job.name, reason));
    };
    this.#cancels = listenToCancels(queue, prefix, redis, onCancel, onError);
    for (const event of ['worker:ready', 'worker:exit', 'pool:size'] as const)
      this.pool.on(event, () => this.#adapt());
    this.#timer = setInterval(() => this.#report(), REPORT_MS);
    this.#renewSoon();
    for (const signal of options.signals) process.on(signal, this.#onSignal);
    this.ready = this.#start();
    this.ready.then(
      () => (hasBegun = true),
      () => undefined, // told already, or the service was closed on purpose
    );
  }

  /** The statistics of this machine now. */
  stats(): MachineStats {
    return {
      id: this.#id,
      name: this.#options.name,
      host: hostname(),
      pid: process.pid,
      state: this.#closing === undefined ? 'running' : 'closing',
      upMs: Math.round(performance.now() - this.#began),
      threads: this.pool.stats().threads.current,
      concurrency: this.worker.concurrency,
      active: this.#running.size,
      ...this.#counts,
    };
  }

  /**
   * Takes no more jobs, waits for those that run, and after `timeoutMs` gives the rest back to the queue, for other machines. Then ends all
   * threads and connections. If Redis does not answer, other machines take the jobs over when their locks expire.
   * @param options timeoutMs: milliseconds, default the option `closeTimeoutMs`; Infinity: no limit. Throws ERR_OPTION.
   */
  close(options: { timeoutMs?: number } = {}): Promise<void> {
    const { timeoutMs = this.#options.closeTimeoutMs } = record('options', options, ['timeoutMs']);
    const limitMs = duration('timeoutMs', timeoutMs, 0);
    return (this.#closing ??= this.#close(limitMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    try {
      await this.pool.ready;
      await this.#reach(this.worker.waitUntilReady());
    } catch (error) {
      if (this.#closing === undefined) this.#tell(error);
      void this.close({ timeoutMs: 0 });
      throw error;
    }
    if (this.#closing !== undefined)
      throw new FleetError('ERR_FLEET_CLOSED', 'The service was closed before it took jobs');
    this.worker.run().catch((error: Error) => this.#tell(error));
    this.#report();
  }

  /** Resolves when Redis is reached, however late. Rejects if waiting longer cannot help: the client has given up, for instance. */
  async #reach(reached: Promise<unknown>): Promise<void> {
    let hasFailed = false;
    let isTold = false;
    reached.catch(() => (hasFailed = true));
    for (;;) {
      try {
        return void (await this.#link.ask('The service does not begin', () => reached));
      } catch (error) {
        if (hasFailed || !isConnectionLate(error)) throw error;
        if (!isTold) this.#tell(error);
        isTold = true;
      }
    }
  }

  async #run(job: Job, token: string): Promise<unknown> {
    const running = runningJob(job, token, this.#machine);
    this.#running.set(job.id!, running);
    if (job.attemptsStarted > 1) this.#counts.repeated++;
    const reason = this.#cancels.reasonFor(running.call);
    if (reason !== undefined) running.abort(cancelled(job.name, reason));
    // A worker that waited for a job when the pool was paused still gets one, which would lie here until somebody resumes.
    this.#followPool();
    if (this.#closing !== undefined || this.#isHeld) running.abort(new GiveBack());
    try {
      const result = await running.run();
      this.#counts.completed++;
      return result;
    } catch (error) {
      if ((error as Error).name === 'WaitingError') {
        this.#counts.returned++;
        if (this.#closing === undefined) this.#wake().catch(() => undefined);
        this.#adapt(); // perhaps somebody has set a limit for the pool's queue
      } else this.#counts.failed++;
      throw error;
    } finally {
      // After a lost lock the same job may have come back to this machine.
      if (this.#running.get(job.id!) === running) this.#running.delete(job.id!);
      if (this.#running.size === 0) this.#whenIdle?.();
      // If the pool is broken, this machine would fail every job in the queue. If somebody has closed the pool, it would give every job back.
      const { state } = this.pool.stats();
      if (state === 'broken') void this.close({ timeoutMs: 0 });
      if (state === 'closing' || state === 'closed') void this.close();
      this.#followPool();
    }
  }

  /** What the pool's own `onTaskStart` returns. If the pool refused it, the task would go without its context, and so without its job. */
  #contextOf(start: TaskStart): unknown {
    const { onTaskStart } = this.#options.pool;
    if (onTaskStart === undefined) return undefined;
    const tell = (error: unknown) => this.#tell(error);
    const context = this.#userCode.call(onTaskStart, [start], tell);
    try {
      structuredClone(context);
      return context;
    } catch (cause) {
      const message =
        "Option 'pool.onTaskStart': expected a function that returns a value to take along, got what cannot be cloned";
      this.#userCode.failed(onTaskStart, new ThreadwiseError('ERR_OPTION', message, { cause }), tell);
      return undefined;
    }
  }

  /** BullMQ's own renewal goes by the time of day, and stops for an hour if the clock is set back by an hour. A timer does not. */
  #renewSoon(): void {
    const renew = async () => {
      try {
        await this.#renewLocks();
      } catch (error) {
        this.#tell(error);
      }
      if (this.#renewal !== undefined) this.#renewSoon();
    };
    this.#renewal = setTimeout(() => void renew(), this.#options.lockMs / RENEWALS);
  }

  async #renewLocks(): Promise<void> {
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    const ids = running.map(({ job }) => job.id!);
    const tokens = running.map(({ token }) => token);
    const lost = new Set(await this.worker.extendJobLocks(ids, tokens, this.#options.lockMs));
    for (const each of running) {
      const id = each.job.id!;
      // A job that has ended meanwhile has no lock and needs none.
      if (!lost.has(id) || this.#running.get(id) !== each) continue;
      const error = new LockLost(`could not renew lock for job ${id}`);
      this.#tell(error);
      each.abort(error);
    }
  }

  /** Takes no jobs while the pool is paused or drains: they would wait here while another machine is idle, or be given back again and again. */
  #followPool(): void {
    const { worker } = this;
    const isHeld = ['paused', 'draining'].includes(this.pool.stats().state);
    if (isHeld === this.#isHeld || this.#closing !== undefined || (isHeld && !worker.isRunning())) return;
    this.#isHeld = isHeld;
    void (isHeld ? worker.pause(true) : worker.resume());
  }

  /** Wakes an idle machine. BullMQ wakes none for a job with a priority that is given back: it would be found seconds later. */
  async #wake(): Promise<void> {
    await this.#link.redis.zadd(this.worker.toKey('marker'), 0, '0');
  }

  #intake(): number {
    return intake(this.pool.stats(), this.#options.pool.tasksPerWorker ?? 1);
  }

  /** Sets the number of jobs that BullMQ takes at a time to what the pool can run now. */
  #adapt(): void {
    const { worker } = this;
    const before = worker.concurrency;
    const now = this.#intake();
    if (now === before || this.#closing !== undefined) return;
    worker.concurrency = now;
    // BullMQ with its full number of jobs waits until one ends. Pausing and resuming wakes it.
    if (now > before && this.#running.size >= before && worker.isRunning() && !this.#isHeld) {
      void worker.pause(true);
      void worker.resume();
    }
  }

  #report(): void {
    this.#followPool();
    this.#adapt();
    if (this.#link.redis.status === 'ready')
      this.#machines.report(this.stats()).catch((error: Error) => this.#tell(error));
  }

  /**
   * Reports an error once until Redis is reached again: clients that reconnect report each attempt, in one text or several. Once the service
   * has ended, the error is about a request that nobody waits for.
   */
  #tell(error: unknown): void {
    hideArguments(error);
    if (this.#renewal === undefined) return;
    const told = error instanceof Error ? error : new Error(String(error));
    // With Sentinel, the client says how long it waits, a little longer each time.
    const text = told.message.replace(/ after \d+ms/, '');
    if (this.#told.has(text)) return;
    if (this.#told.size === MOST_TOLD) this.#told.clear();
    this.#told.add(text);
    this.#options.onError(told);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    await this.close();
    // Ends the process as the signal would have, unless the program listens to it as well.
    if (process.listenerCount(signal) > 0) return;
    // The first process of a container ignores such a signal, also from itself.
    if (process.pid === 1) process.exit(128 + constants.signals[signal]);
    process.kill(process.pid, signal);
  }

  async #close(limitMs: number | undefined): Promise<void> {
    // 1. Take no more jobs. A job that is being fetched is given back when it arrives.
    clearInterval(this.#timer);
    const { redis } = this.#link;
    void this.worker.pause(true);
    // 2. Wait for the running jobs.
    if (this.#running.size > 0)
      await inTime(limitMs, new Promise<void>((resolve) => (this.#whenIdle = resolve)));
    // 3. Give the rest back; their tasks are aborted through their signal.
    for (const running of this.#running.values()) running.abort(new GiveBack());
    // 4. Let BullMQ finish its commands, if Redis answers.
    const farewell = async () => {
      await this.worker.close();
      await this.#machines.remove(this.#id);
      // Only now: before, it could have woken the worker that closes.
      if (this.#counts.returned > 0) await this.#wake();
    };
    const { blockingConnection } = this.worker.getBackend();
    rejectCommands(blockingConnection);
    try {
      if (redis.status === 'ready') await this.#link.ask('The service was cut off while it closed', farewell);
      else await this.worker.close(true);
    } catch (error) {
      // A caller that waited for `ready` has been told of a refused login.
      if (!isRefusedLogin((error as Error).cause)) this.#tell(error);
      void blockingConnection?.disconnect(false);
    }
    // 5. End threads, connections and listeners.
    clearTimeout(this.#renewal);
    this.#renewal = undefined;
    await Promise.allSettled([this.#cancels.close(), this.pool.destroy()]);
    this.#link.end();
    for (const signal of this.#options.signals) process.off(signal, this.#onSignal);
  }
}

/** Whether Redis may still be reached: a refused login stays refused, and a module that cannot be loaded stays so. */
function isConnectionLate(error: unknown): boolean {
  const isConnection = error instanceof FleetError && error.code === 'ERR_FLEET_CONNECTION';
  return isConnection && !isRefusedLogin(error.cause);
}
