/** One job on this machine: decodes it, calls the pool, and encodes the result. */
import { type Job, WaitingError, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { isThreadwiseError, type Pool, ThreadwiseError } from 'threadwise';
import { reject, withoutCallerStack } from 'threadwise/internal';
import { checkSize, decode, encode } from '../encoding.js';
import { FleetError } from '../errors.js';
import { asFailure, writeFailure } from '../failures.js';
import { defined, type FleetJobOptions, type OwnOptions, resolveOwn } from '../job-options.js';
import type { ResolvedService } from '../options.js';

/** The types of a backoff that BullMQ knows by itself. */
const BACKOFFS: readonly string[] = ['fixed', 'exponential'];

/** The reason to abort a job that goes back to the queue, for any machine to run. */
export class GiveBack extends Error {}
/** The reason to abort a job whose lock was lost: another machine has it now, or it is gone. */
export class LockLost extends Error {}

/** The `task.context` of a fleet's tasks. The service writes it, the worker reads it. */
export interface JobContext {
  readonly jobId: string;
  /** How many times the job has been started, this time included: 1 the first time. */
  readonly attempt: number;
  /** What the pool option `onTaskStart` returned. */
  readonly context: unknown;
}

/** What a running job needs of its machine. */
export interface Machine {
  readonly pool: Pool;
  readonly worker: Worker;
  readonly redis: Redis;
  readonly options: Pick<ResolvedService, 'maxBytes' | 'worker'>;
  /** The hash of the machine's own task module. */
  moduleHash(): Promise<string>;
  /** The context for the task that is being started; set only during the call of `pool.run`. */
  context: Omit<JobContext, 'context'> | undefined;
}

export class RunningJob {
  readonly job: Job;
  /** The token of the job's lock. */
  readonly token: string;
  #own: OwnOptions = {};
  readonly #machine: Machine;
  readonly #controller = new AbortController();
  /** The newest progress value that has not been sent. */
  #progress: { readonly value: unknown } | undefined;
  /** Resolves when all progress is sent; undefined while none is being sent. */
  #sending: Promise<void> | undefined;

  constructor(job: Job, token: string, machine: Machine) {
    this.job = job;
    this.token = token;
    this.#machine = machine;
  }

  /** The id of the call that made the job, if a fleet made it. */
  get call(): string | undefined {
    return (this.job.opts as FleetJobOptions).threadwise?.call;
  }

  /** Aborts the task's signal. A task that has not begun does not begin. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Returns the result for BullMQ to store. Throws what BullMQ understands: an error, or WaitingError for a job that was given back. */
  async run(): Promise<unknown> {
    try {
      return await this.#run();
    } catch (thrown) {
      const why = this.#controller.signal.aborted ? this.#controller.signal.reason : undefined;
      if (why instanceof GiveBack || this.#isPoolClosed(thrown)) {
        await this.job.moveToWait(this.token);
        throw new WaitingError();
      }
      // BullMQ finds that the lock is not ours, and reports it.
      if (why instanceof LockLost) throw asFailure(why, false);
      const error = why ?? thrown;
      withoutCallerStack(error);
      const { redis, worker, options } = this.#machine;
      // A full Redis may refuse the record; the job still ends with the error of its task.
      await writeFailure(redis, worker.toKey(this.job.id!), error, options.maxBytes).catch(() => undefined);
      throw asFailure(error, why !== undefined);
    }
  }

  async #run(): Promise<unknown> {
    const { name, id } = this.job;
    this.#own = resolveOwn((this.job.opts as FleetJobOptions).threadwise);
    const { encoding = 'json', timeoutMs, key, module } = this.#own;
    const { signal } = this.#controller;
    const here = module === undefined ? undefined : await this.#machine.moduleHash();
    if (here !== module) {
      const message = `The caller has version ${module} of the task module, this machine has ${here}`;
      throw new FleetError('ERR_FLEET_MODULE', message);
    }
    this.#checkBackoff();
    const args = this.#arguments();
    const options = {
      signal,
      onProgress: (value: unknown) => this.#tellProgress(value),
      ...defined({ timeoutMs, key }),
    };
    this.#machine.context = { jobId: id!, attempt: Math.max(1, this.job.attemptsStarted) };
    const call = this.#machine.pool.run(name, args as never, options); // never throws
    this.#machine.context = undefined;
    const result = await call;
    await this.#sending;
    const encoded = encode(result, encoding, 'the result');
    checkSize(encoded, this.#machine.options.maxBytes, `The result of task '${name}'`);
    return encoded;
  }

  /** Whether the call was refused by this machine's pool; a pool of the task's own may be closed, too. */
  #isPoolClosed(error: unknown): boolean {
    const isRefusal = isThreadwiseError(error) && ['ERR_POOL_CLOSED', 'ERR_MODULE_LOAD'].includes(error.code);
    return isRefusal && ['broken', 'closing', 'closed'].includes(this.#machine.pool.stats().state);
  }

  /** Refuses an unknown type early: BullMQ would notice it only after the task failed, and run the job again whenever its lock expires. */
  #checkBackoff(): void {
    const { backoff, attempts = 1 } = this.job.opts;
    if (attempts < 2 || typeof backoff !== 'object') return;
    if (this.#machine.options.worker.settings?.backoffStrategy !== undefined) return;
    if (BACKOFFS.includes(backoff.type)) return;
    reject('backoff.type', `${BACKOFFS.join(' or ')}, or a machine with a 'backoffStrategy'`, backoff.type);
  }

  #arguments(): readonly unknown[] {
    const { name, data } = this.job;
    if (data instanceof Error) {
      const message = `The data of job '${name}' is no JSON: ${data.message}`;
      throw new FleetError('ERR_FLEET_DATA', message, { cause: data });
    }
    const args = decode(data);
    if (Array.isArray(args)) return args;
    const came = args === null ? 'null' : typeof args;
    const message = `The data of job '${name}' is no list of arguments, but ${came}: [value] passes one value`;
    throw new FleetError('ERR_FLEET_DATA', message);
  }

  /** Sends one update at a time; of the values that come meanwhile, only the newest is sent. */
  #tellProgress(value: unknown): void {
    this.#progress = { value };
    this.#sending ??= this.#sendProgress();
  }

  async #sendProgress(): Promise<void> {
    const { maxBytes } = this.#machine.options;
    const { encoding = 'json' } = this.#own;
    for (let next = this.#progress; next !== undefined; next = this.#progress) {
      this.#progress = undefined;
      try {
        const encoded = encode(next.value, encoding, 'the progress');
        checkSize(encoded, maxBytes, `The progress of task '${this.job.name}'`);
        await this.job.updateProgress(encoded as object);
      } catch (error) {
        // A value that cannot be sent does not fail the task; its author finds the mistake in the job's log.
        await this.job.log(`Progress was not sent: ${(error as Error).message}`).catch(() => undefined);
      }
    }
    this.#sending = undefined;
  }
}

/** The error of a job that its caller has aborted. */
export function cancelled(name: string, reason: string): ThreadwiseError {
  const message = `Task '${name}' was aborted by its caller`;
  return new ThreadwiseError('ERR_TASK_ABORTED', message, { cause: reason });
}
