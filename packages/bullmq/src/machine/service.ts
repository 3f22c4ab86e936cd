/** A machine of a fleet: takes jobs of a BullMQ queue and has a pool run them, so that the thread that renews the locks is never busy. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import { createPool, type Pool, type TaskStart } from 'threadwise';
import { duration } from 'threadwise/internal';
import { CancelListener } from '../cancels.js';
import { connectTo, inTime, Link } from '../connection.js';
import { decode } from '../encoding.js';
import { FleetError, isRefusedLogin } from '../errors.js';
import { intake } from './intake.js';
import { defined } from '../job-options.js';
import { JobWorker } from './job-worker.js';
import { Machines, type MachineStats, REPORT_MS } from '../machines.js';
import { moduleHash } from '../module-hash.js';
import { moduleOption, type ResolvedService, resolveService, type ServiceOptions } from '../options.js';
import { cancelled, GiveBack, LockLost, type Machine, RunningJob } from './running-job.js';

/** How many milliseconds a closing service gives to its last commands before it cuts the connection to Redis. */
const FAREWELL_MS = 5_000;
/** After how many milliseconds BullMQ repeats a command that failed. Its default is 15 s, in which a lock may end. */
const RETRY_MS = 1_000;
/** How many times a lock is renewed before it would end: one renewal may fail. */
const RENEWALS = 3;

/**
 * Takes jobs as soon as the pool can run some. Throws ERR_OPTION.
 * @param module the task module, as for `createPool`
 */
export function serve(module: URL | string, options: ServiceOptions): Service {
  return new Service(module, options);
}

export class Service {
  /** The pool that runs the tasks: for its statistics, its events, `resize`, and the package `@threadwise/control`. */
  readonly pool: Pool;
  /** BullMQ's own, for its events and settings. */
  readonly worker: Worker;
  /**
   * Resolves when the machine takes jobs. Rejects with ERR_MODULE_LOAD or ERR_FLEET_CONNECTION; then it is closed. Rejects with ERR_POOL_CLOSED or
   * ERR_FLEET_CLOSED where it was closed before.
   */
  readonly ready: Promise<void>;
  readonly #id = randomUUID();
  readonly #name: string;
  readonly #options: ResolvedService;
  readonly #link: Link;
  readonly #cancels: CancelListener;
  readonly #machine: Machine;
  readonly #machines: Machines;
  /** The jobs that this machine has, by id. */
  readonly #running = new Map<string, RunningJob>();
  /** What a task may ask of its job. */
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
  readonly #timer: NodeJS.Timeout;
  readonly #onSignal = (signal: NodeJS.Signals) => void this.#end(signal);
  #lastError = '';
  /** Undefined: the service has ended. */
  #renewal: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(module: URL | string, given: ServiceOptions) {
    const url = moduleOption('module', module);
    const options = resolveService(given);
    this.#options = options;
    const { queue, prefix, pool, name = `${hostname()}-${process.pid}` } = options;
    this.#name = name;
    const redis = connectTo(options.connection);
    this.#link = new Link(redis, FAREWELL_MS);
    this.#machines = new Machines(queue, prefix, redis);
    redis.on('ready', () => {
      this.#lastError = '';
    });
    try {
      this.pool = createPool(url, {
        ...pool,
        host: { ...pool.host, ...this.#host } as NonNullable<typeof pool.host>,
        onTaskStart: (start: TaskStart) => ({ ...this.#machine.context, context: pool.onTaskStart?.(start) }),
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
    let hash: Promise<string> | undefined;
    const hashOnce = () => (hash ??= moduleHash(url));
    this.#machine = {
      pool: this.pool,
      worker: this.worker,
      redis,
      options,
      moduleHash: hashOnce,
      context: undefined,
    };
    let hasBegun = false;
    const onError = (error: Error) => {
      // Before, `ready` tells it, with what it means.
      if (hasBegun || !isRefusedLogin(error)) this.#tell(error);
    };
    this.worker.on('error', onError);
    this.worker.on('stalled', () => this.#counts.recovered++);
    const onCancel = (call: string, reason: string) => {
      for (const running of this.#running.values())
        if (running.call === call) running.abort(cancelled(running.job.name, reason));
    };
    this.#cancels = new CancelListener(queue, prefix, redis, onCancel, onError);
    for (const event of ['worker:ready', 'worker:exit', 'pool:size'] as const)
      this.pool.on(event, () => this.#adapt());
    this.#timer = setInterval(() => this.#report(), REPORT_MS);
    this.#renewSoon();
    for (const signal of options.signals) process.on(signal, this.#onSignal);
    this.ready = this.#start();
    this.ready.then(
      () => (hasBegun = true),
      (error: unknown) => this.#tell(error),
    );
  }

  /** What this machine is like now. */
  stats(): MachineStats {
    return {
      id: this.#id,
      name: this.#name,
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
   * Takes no more jobs, lets those that run end, and gives back what has not ended in time: others run it. Then no thread and no connection
   * is left. What cannot be given back, because Redis is away, is found by the other machines when its lock ends.
   * @param options timeoutMs: default: the option `closeTimeoutMs`; Infinity: no limit. Throws ERR_OPTION.
   */
  close({ timeoutMs = this.#options.closeTimeoutMs }: { timeoutMs?: number } = {}): Promise<void> {
    const limitMs = duration('timeoutMs', timeoutMs, 0);
    this.#closing ??= this.#close(limitMs);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    try {
      await this.pool.ready;
      const reached = this.worker.waitUntilReady();
      while (!(await this.#isReached(reached)));
    } catch (error) {
      void this.close({ timeoutMs: 0 });
      throw error;
    }
    if (this.#closing !== undefined) return;
    this.worker.run().catch((error: Error) => this.#tell(error));
    this.#report();
  }

  /** A connection that comes late is as good as one that was there. Rejects where it cannot come any more. */
  async #isReached(reached: Promise<unknown>): Promise<boolean> {
    try {
      await this.#link.ask('The service does not begin', () => reached);
      return true;
    } catch (error) {
      if (!isConnectionLate(error)) throw error;
      this.#tell(error);
      return false;
    }
  }

  async #run(job: Job, token: string): Promise<unknown> {
    const running = new RunningJob(job, token, this.#machine);
    this.#running.set(job.id!, running);
    if (job.attemptsStarted > 1) this.#counts.repeated++;
    const reason = this.#cancels.reasonFor(running.call);
    if (reason !== undefined) running.abort(cancelled(job.name, reason));
    if (this.#closing !== undefined) running.abort(new GiveBack());
    try {
      const result = await running.run();
      this.#counts.completed++;
      return result;
    } catch (error) {
      if ((error as Error).name === 'WaitingError') this.#counts.returned++;
      else this.#counts.failed++;
      throw error;
    } finally {
      // One that lost its lock may have come back here already.
      if (this.#running.get(job.id!) === running) this.#running.delete(job.id!);
      if (this.#running.size === 0) this.#whenIdle?.();
      // A machine whose pool cannot run anything would fail all that is in the queue.
      if (this.pool.stats().state === 'broken') void this.close({ timeoutMs: 0 });
    }
  }

  /** By a clock that nobody sets: BullMQ's own renewal goes by the time of day, and stops for an hour where that is put back by an hour. */
  #renewSoon(): void {
    const renew = async () => {
      try {
        await this.#renewLocks();
      } catch (error) {
        if (this.#renewal !== undefined) this.#tell(error);
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
      // One that ended meanwhile has no lock, and needs none.
      if (!lost.has(id) || this.#running.get(id) !== each) continue;
      const error = new LockLost(`could not renew lock for job ${id}`);
      this.#tell(error);
      each.abort(error);
    }
  }

  #intake(): number {
    return intake(this.pool.stats(), this.#options.pool.tasksPerWorker ?? 1);
  }

  /** Takes as many jobs as the pool can run now. */
  #adapt(): void {
    const { worker } = this;
    const before = worker.concurrency;
    const now = this.#intake();
    if (now === before || this.#closing !== undefined) return;
    worker.concurrency = now;
    // With all that it may have, BullMQ waits for one of them to end. This wakes it.
    if (now > before && this.#running.size >= before && worker.isRunning()) {
      void worker.pause(true);
      void worker.resume();
    }
  }

  #report(): void {
    this.#adapt();
    if (this.#link.redis.status === 'ready')
      this.#machines.report(this.stats()).catch((error: Error) => this.#tell(error));
  }

  /** The same again and again is one error: a client that reconnects tells each try. */
  #tell(error: unknown): void {
    const told = error instanceof Error ? error : new Error(String(error));
    if (told.message === this.#lastError) return;
    this.#lastError = told.message;
    this.#options.onError(told);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    await this.close();
    // Ends the process as the signal would have, if nobody else has plans for it.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  }

  async #close(limitMs: number | undefined): Promise<void> {
    // 1. No more jobs. One that is on its way is given back when it comes.
    clearInterval(this.#timer);
    const { redis } = this.#link;
    void this.worker.pause(true);
    // 2. What runs may end.
    if (this.#running.size > 0)
      await inTime(limitMs, new Promise<void>((resolve) => (this.#whenIdle = resolve)));
    // 3. The rest goes back. Their tasks hear it by their signal.
    for (const running of this.#running.values()) running.abort(new GiveBack());
    // 4. BullMQ writes its last words, if Redis listens.
    const farewell = async () => {
      await this.worker.close();
      await this.#machines.remove(this.#id);
    };
    try {
      if (redis.status === 'ready') await this.#link.ask('The service was cut off while it closed', farewell);
      else await this.worker.close(true);
    } catch (error) {
      this.#tell(error);
      void this.worker.getBackend().blockingConnection?.disconnect(false);
    }
    // 5. Threads, connections, listeners.
    clearTimeout(this.#renewal);
    this.#renewal = undefined;
    await Promise.allSettled([this.#cancels.close(), this.pool.destroy()]);
    this.#link.end();
    for (const signal of this.#options.signals) process.off(signal, this.#onSignal);
  }
}

/** Redis is not there yet; a wrong password stays wrong, and a module that cannot be loaded, too. */
function isConnectionLate(error: unknown): boolean {
  const isConnection = error instanceof FleetError && error.code === 'ERR_FLEET_CONNECTION';
  return isConnection && !isRefusedLogin(error.cause);
}
