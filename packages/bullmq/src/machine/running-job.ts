/** One job on this machine: decodes it, calls the pool, and encodes the result. */
import { type Job, WaitingError, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { isThreadwiseError, type Pool, ThreadwiseError } from 'threadwise';
import { reject, withoutCallerStack } from 'threadwise/internal';
import { insist } from '../connection.js';
import { checkSize, decode, encode, type Encoding } from '../encoding.js';
import { FleetError } from '../errors.js';
import { asFailure, writeFailure } from '../failures.js';
import { defined, type FleetJobOptions, resolveOwn } from '../job-options.js';
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
  readonly moduleHash: Promise<string>;
  /** The context for the task that is being started; set only during the call of `pool.run`. */
  context: Omit<JobContext, 'context'> | undefined;
}

export type RunningJob = ReturnType<typeof runningJob>;

/** @param token of the job's lock */
export function runningJob(job: Job, token: string, machine: Machine) {
  const { pool, worker, redis, options } = machine;
  const controller = new AbortController();
  let encoding: Encoding = 'json';
  /** The newest progress value that has not been sent. */
  let progress: { readonly value: unknown } | undefined;
  /** Resolves when all progress is sent; undefined while none is being sent. */
  let sending: Promise<void> | undefined;
  return {
    job,
    token,
    /** The id of the call that made the job, if a fleet made it. */
    call: (job.opts as FleetJobOptions).threadwise?.call,
    run,
    /** Aborts the task's signal. A task that has not begun does not begin. */
    abort: (reason: unknown): void => controller.abort(reason),
  };

  /** Returns the result for BullMQ to store. Throws what BullMQ understands: an error, or WaitingError for a job that was given back. */
  async function run(): Promise<unknown> {
    try {
      return await runTask();
    } catch (thrown) {
      const why = controller.signal.aborted ? controller.signal.reason : undefined;
      if (why instanceof GiveBack || isRefused(thrown)) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      // BullMQ finds that the lock is not ours, and reports it.
      if (why instanceof LockLost) throw asFailure(why, false, options.maxBytes);
      const error = why ?? thrown;
      withoutCallerStack(error);
      const failure = asFailure(error, why !== undefined, options.maxBytes);
      const write = () =>
        writeFailure(redis, worker.toKey(job.id!), error, failure.message, options.maxBytes);
      const tell = (error: Error) => void worker.emit('error', error);
      await insist(write, tell).catch(() => undefined); // refused for good: the job still ends with the message of its error
      throw failure;
    }
  }

  async function runTask(): Promise<unknown> {
    const { name, id } = job;
    const own = resolveOwn((job.opts as FleetJobOptions).threadwise);
    const { timeoutMs, key, module } = own;
    encoding = own.encoding ?? 'json';
    const { signal } = controller;
    const here = module === undefined ? undefined : await machine.moduleHash;
    if (here !== module) {
      const message = `The caller has version ${module} of the task module, and this machine has ${here}`;
      throw new FleetError('ERR_FLEET_MODULE', message);
    }
    checkBackoff();
    const args = argumentsOf(job);
    const onProgress = (value: unknown): void => {
      progress = { value };
      sending ??= sendProgress();
    };
    machine.context = { jobId: id!, attempt: Math.max(1, job.attemptsStarted) };
    // `run` never throws, so the context is always taken back.
    const call = pool.run(name, args as never, { signal, onProgress, ...defined({ timeoutMs, key }) });
    machine.context = undefined;
    const result = await call;
    await sending;
    const encoded = encode(result, encoding, 'the result', options.maxBytes);
    checkSize(encoded, options.maxBytes, `The result of task '${name}'`);
    return encoded;
  }

  /** Whether the call was refused by this machine's pool; a pool of the task's own may refuse, too. */
  function isRefused(error: unknown): boolean {
    if (!isThreadwiseError(error)) return false;
    if (error.code === 'ERR_QUEUE_FULL') return pool.stats().queue.limit !== null;
    return ['ERR_POOL_CLOSED', 'ERR_MODULE_LOAD'].includes(error.code) && pool.stats().state !== 'open';
  }

  /** Refuses an unknown type early: BullMQ would notice it only after the task failed, and run the job again whenever its lock expires. */
  function checkBackoff(): void {
    const { backoff, attempts = 1 } = job.opts;
    if (attempts < 2 || typeof backoff !== 'object') return;
    if (options.worker.settings?.backoffStrategy !== undefined) return;
    if (BACKOFFS.includes(backoff.type)) return;
    reject('backoff.type', `${BACKOFFS.join(' or ')}, or a machine with a 'backoffStrategy'`, backoff.type);
  }

  /** Sends one update at a time; of the values that come meanwhile, only the newest is sent. */
  async function sendProgress(): Promise<void> {
    for (let next = progress; next !== undefined; next = progress) {
      progress = undefined;
      try {
        const encoded = encode(next.value, encoding, 'the progress', options.maxBytes);
        checkSize(encoded, options.maxBytes, `The progress of task '${job.name}'`);
        await job.updateProgress(encoded as object);
      } catch (error) {
        // A value that cannot be sent does not fail the task; its author finds the mistake in the job's log.
        await job.log(`Progress was not sent: ${(error as Error).message}`).catch(() => undefined);
      }
    }
    sending = undefined;
  }
}

function argumentsOf({ name, data }: Job): readonly unknown[] {
  if (data instanceof Error) {
    const message = `The data of job '${name}' is no JSON: ${data.message}`;
    throw new FleetError('ERR_FLEET_DATA', message, { cause: data });
  }
  const args = decode(data);
  if (Array.isArray(args)) return args;
  const came = args === null ? 'null' : typeof args;
  const message = `The data of job '${name}' is no list of arguments, but ${came}: give one argument as [argument]`;
  throw new FleetError('ERR_FLEET_DATA', message);
}

/** The error of a job that its caller has aborted. */
export function cancelled(name: string, reason: string): ThreadwiseError {
  const message = `Task '${name}' was aborted by its caller`;
  return new ThreadwiseError('ERR_TASK_ABORTED', message, { cause: reason });
}
