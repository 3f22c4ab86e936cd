/**
 * The calls of this program that wait for a job. Each settles once: by the event of its job, by a check of the job where an event may have
 * been missed, or by its caller's signal.
 */
import type { Job, Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { type AbortSignalLike, ThreadwiseError } from 'threadwise';
import { onAbort, promised, UserCode } from 'threadwise/internal';
import { decode, NO_JSON, parsed } from './encoding.js';
import { FleetError } from './errors.js';
import { readFailure } from './failures.js';
import { fieldsOf } from './job-events.js';

/** How many jobs one check of the open calls reads from Redis. With a check every five seconds the load is negligible. */
const MOST_AT_ONCE = 500;

export interface CallOptions {
  readonly signal: AbortSignalLike | undefined;
  readonly onProgress: ((value: unknown) => void) | undefined;
  /** Called when the caller no longer wants the result: the job may be removed. */
  readonly onAbort: (call: OpenCall) => void;
}

export interface OpenCall extends ReturnType<typeof promised<unknown>> {
  readonly name: string;
  readonly options: CallOptions;
  jobId: string;
  /** Whether the call's job is still to be added, on its way to Redis, or in Redis. Only `Fleet` changes it. */
  state: 'waiting' | 'adding' | 'added';
  unfollow: (() => void) | undefined;
}

export class OpenCalls {
  readonly #calls = new Map<string, Set<OpenCall>>();
  readonly #queue: Queue;
  readonly #redis: Redis;
  readonly #userCode = new UserCode();
  /** The id of the last event that may have settled a call. */
  #heard = '0';

  constructor(queue: Queue, redis: Redis) {
    this.#queue = queue;
    this.#redis = redis;
  }

  get size(): number {
    return this.#all().length;
  }

  open(jobId: string, name: string, options: CallOptions): OpenCall {
    const call: OpenCall = {
      ...promised<unknown>(),
      ...{ jobId, name, options, state: 'waiting', unfollow: undefined },
    };
    call.promise.catch(() => undefined); // it may be rejected before the caller awaits it, which must not count as unhandled
    this.#put(call);
    if (options.signal?.aborted) this.#abort(call);
    return call;
  }

  /** Whether the call has not settled. */
  has(call: OpenCall): boolean {
    return this.#calls.get(call.jobId)?.has(call) === true;
  }

  /** The call waits for another job: one that existed already, or one that has replaced its own. */
  move(call: OpenCall, jobId: string): void {
    if (!this.#take(call)) return;
    call.jobId = jobId;
    this.#put(call);
  }

  /** Rejects one call. */
  fail(call: OpenCall, error: unknown): void {
    if (this.#take(call)) call.reject(error);
  }

  /** Rejects all calls in one of these states. */
  failAll(states: readonly OpenCall['state'][], errorFor: (jobId: string) => unknown): void {
    for (const call of this.#all()) if (states.includes(call.state)) this.fail(call, errorFor(call.jobId));
  }

  /** Settles the calls by these events. @param last the id of the event before the first one */
  follow(events: QueueEvents, last: string): void {
    this.#heard = last;
    events.on('completed', ({ jobId, returnvalue }, id) => {
      this.#heard = id;
      this.completed(jobId, returnvalue);
    });
    events.on('failed', ({ jobId, failedReason }, id) => {
      this.#heard = id;
      // Redis does not answer: the next check finds the failure.
      this.failed(jobId, failedReason).catch(() => undefined);
    });
    events.on('progress', ({ jobId, data }) => this.progress(jobId, data));
    events.on('deduplicated', ({ jobId, deduplicatedJobId }) => this.#replaced(deduplicatedJobId, jobId));
    // The event may be of an earlier job with the same id, so the job is looked for.
    events.on('removed', ({ jobId }) => this.look([jobId]).catch(() => undefined));
  }

  progress(jobId: string, encoded: unknown): void {
    const value = decode(encoded);
    for (const { options } of this.#of(jobId))
      if (options.onProgress !== undefined) this.#userCode.call(options.onProgress, [value], warn);
  }

  completed(jobId: string, encoded: unknown): void {
    let given = 0;
    this.#settle(jobId, (call) => {
      try {
        const value = decode(encoded);
        // Each caller may change what it gets.
        call.resolve(given++ === 0 ? value : structuredClone(value));
      } catch (error) {
        call.reject(error);
      }
    });
  }

  async failed(jobId: string, reason: string): Promise<void> {
    if (!this.#calls.has(jobId)) return;
    // A check of the same job may settle the call meanwhile; the first to settle it wins.
    const errorOf = await readFailure(this.#queue, this.#redis, jobId, reason);
    this.#settle(jobId, (call) => call.reject(errorOf()));
  }

  /** Resolves when all calls that are open now have settled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#all().map(({ promise }) => promise));
  }

  /** Checks jobs, which may have ended before we listened. */
  async look(jobIds: readonly string[]): Promise<void> {
    // Redis does not answer: the next check asks again.
    const gone = (await Promise.all(jobIds.map((id) => this.#gone(id).catch(() => [])))).flat();
    if (gone.length === 0) return;
    await this.#catchUp();
    // A call that waits for another job by now, which has replaced its own, is not lost.
    for (const [call, jobId] of gone) if (call.jobId === jobId) this.#lose(call);
  }

  /** Checks the jobs whose last check was longest ago. @param most how many; the default is few enough to do it often */
  async lookAtOldest(most = MOST_AT_ONCE): Promise<void> {
    const ids = [...this.#calls.keys()].slice(0, most);
    for (const id of ids) {
      const calls = this.#calls.get(id)!;
      this.#calls.delete(id); // moves the id to the end of the map's order
      this.#calls.set(id, calls);
    }
    await this.look(ids);
  }

  /** Settles the calls of a job that has ended. Returns those whose job is not there, with its id. */
  async #gone(jobId: string): Promise<[OpenCall, string][]> {
    // A job that is on its way to Redis is not there yet, but not lost.
    const calls = this.#of(jobId).filter(({ state }) => state === 'added');
    if (calls.length === 0) return [];
    const job = (await this.#queue.getJob(jobId)) as Job | undefined;
    if (job === undefined) return calls.map((call) => [call, jobId]);
    if (job.finishedOn === undefined) return [];
    // BullMQ gives undefined where the value is no JSON.
    const { returnvalue = NO_JSON } = job;
    if (await job.isCompleted()) this.completed(jobId, returnvalue);
    else if (await job.isFailed()) await this.failed(jobId, job.failedReason ?? 'no reason was given');
    return [];
  }

  /**
   * Reads the events that have not been heard yet, because the connection that brings them is slower or was cut: a job that is not kept has
   * its result in its event alone.
   */
  async #catchUp(): Promise<void> {
    const unheard = await this.#redis.xrange(this.#queue.toKey('events'), `(${this.#heard}`, '+');
    for (const [, fields] of unheard) {
      const { event, jobId, returnvalue, failedReason, deduplicatedJobId } = fieldsOf(fields);
      if (event === 'completed') this.completed(jobId!, parsed(returnvalue));
      if (event === 'failed') await this.failed(jobId!, failedReason!);
      if (event === 'deduplicated') this.#replaced(deduplicatedJobId!, jobId!);
    }
  }

  /** Deduplication has kept another job in the place of this one: a later one that has replaced it, or an earlier one. Its calls wait for that job. */
  #replaced(jobId: string, by: string): void {
    for (const call of this.#of(jobId)) if (call.state !== 'waiting') this.move(call, by);
  }

  /** Returns a copy, as settling a call may remove others. */
  #of(jobId: string): OpenCall[] {
    return [...(this.#calls.get(jobId) ?? [])];
  }

  #all(): OpenCall[] {
    return [...this.#calls.values()].flatMap((calls) => [...calls]);
  }

  #abort(call: OpenCall): void {
    const cause = call.options.signal?.reason;
    this.fail(call, new ThreadwiseError('ERR_TASK_ABORTED', `Task '${call.name}' was aborted`, { cause }));
    call.options.onAbort(call);
  }

  #lose(call: OpenCall): void {
    const { jobId, name } = call;
    const message = `Job ${jobId} (${name}) is not in the queue: removed, ended and not kept, or lost with a Redis that keeps no data`;
    this.fail(call, new FleetError('ERR_FLEET_JOB_LOST', message, { jobId }));
  }

  #settle(jobId: string, settle: (call: OpenCall) => void): void {
    for (const call of this.#of(jobId)) if (this.#take(call)) settle(call);
  }

  #put(call: OpenCall): void {
    const calls = this.#calls.get(call.jobId) ?? new Set();
    this.#calls.set(call.jobId, calls.add(call));
    const { signal } = call.options;
    if (signal && !signal.aborted) call.unfollow = onAbort(signal, () => this.#abort(call));
  }

  /** The inverse of `#put`. Returns whether the call was open. */
  #take(call: OpenCall): boolean {
    const calls = this.#calls.get(call.jobId);
    if (!calls?.delete(call)) return false;
    if (calls.size === 0) this.#calls.delete(call.jobId);
    call.unfollow?.();
    return true;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
