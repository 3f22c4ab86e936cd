/** The options of a call, and how they map to BullMQ's. Options without a counterpart are refused by name. */
import {
  type BackoffOptions,
  type DeduplicationOptions,
  type JobsOptions,
  type KeepJobs,
  QueueKeys,
} from 'bullmq';
import type { AbortSignalLike } from 'threadwise';
import {
  abortSignal,
  callback,
  checked,
  type Check,
  duration,
  integer,
  oneOf,
  optional,
  reject,
  text,
} from 'threadwise/internal';
import { type Encoding, ENCODINGS } from './encoding.js';

/** Options of one call on a fleet. */
export interface FleetRunOptions {
  /** Aborts the call: a waiting job is removed; a running one is aborted through `task.signal` on its machine. */
  signal?: AbortSignalLike | undefined;
  /** How many milliseconds the task may run on its machine. Default Infinity. */
  timeoutMs?: number | undefined;
  /** How often a failed job is run again, unless its error is final (a bad option, say): BullMQ's `attempts` less one. Default 0. */
  retries?: number | undefined;
  /** How many milliseconds pass before the job is run again, or BullMQ's `{ type, delay, jitter }`. Default 0. */
  backoff?: number | BackoffOptions | undefined;
  /** Higher runs earlier. A whole number from -1,000,000 to 1,000,000; default 0. */
  priority?: number | undefined;
  /** Jobs with the same key go to the same worker of the machine that takes them. */
  key?: string | number | undefined;
  /** How many milliseconds pass before the job may run. Default 0. */
  delayMs?: number | undefined;
  /**
   * The job's id, for calls that should run once: a second call with the same id gets the result of the first, as long as that is kept. It
   * must not be a whole number, contain ':' or be the name of a key of BullMQ's, such as 'meta'. Default: a random id.
   */
  jobId?: string | undefined;
  /**
   * BullMQ's deduplication: a call with the same `id` shares the existing job, so aborting it only ends this call's wait. `keepLastIfActive` is
   * only for `fleet.job`.
   */
  deduplication?: DeduplicationOptions | undefined;
  /** Called with the values that the task passes to `task.progress`; only the newest if they come faster than Redis takes them. */
  onProgress?: ((value: unknown) => void) | undefined;
  /** Further options of a BullMQ job: `lifo`, `keepLogs`, `removeOnComplete`, `removeOnFail`, `stackTraceLimit`, `telemetry`. */
  job?: Pick<JobsOptions, keyof typeof JOB> | undefined;
}

/** Options of a map: those of each item's call, and its own. */
export interface FleetMapOptions extends Omit<FleetRunOptions, 'jobId' | 'deduplication'> {
  /** How many items may be read whose results have not been taken. Default 500. */
  concurrency?: number | undefined;
  /** true: results come in the order of the input; false: as they are ready. Default true. */
  ordered?: boolean | undefined;
}

/** Options of a call that BullMQ does not know; they are stored in the job's options under `threadwise`. */
export interface OwnOptions {
  /** Tells this call from others with the same job id. */
  readonly call?: string;
  readonly timeoutMs?: number;
  readonly key?: string | number;
  readonly encoding?: Encoding;
  /** The hash of the caller's task module. */
  readonly module?: string;
}

/** The options of a job as they are stored in Redis. */
export interface FleetJobOptions extends JobsOptions {
  threadwise?: OwnOptions;
}

/** The options of a fleet that apply to every call. */
export interface CallDefaults {
  readonly encoding: Encoding;
  /** How many milliseconds results and failures stay in Redis. */
  readonly keepMs: number;
}

/**
 * The priority of a job without one: half of BullMQ's limit. BullMQ runs lower numbers first and jobs without a number before all others.
 */
const PRIORITY_ZERO = 2 ** 20;
const MAX_PRIORITY = 1_000_000;

/** The names of BullMQ's own keys of a queue. A job with such a name would lie at that key, and no job of the queue would run any more. */
const QUEUE_KEYS = new QueueKeys().getKeys('');

/** Options of a pool or of BullMQ that a fleet refuses, and the reason in the message. */
const REFUSED: Readonly<Record<string, string>> = {
  transfer: 'nothing can be moved to another machine: it is copied; leave it out',
  repeat:
    'a call has one result. For a schedule: fleet.queue.upsertJobScheduler(id, { pattern }, await fleet.job(…))',
  parent:
    'a flow is added as a whole: new FlowProducer(…).add({ ...(await fleet.job(…)), children: [await fleet.job(…)] })',
  attempts: "is called 'retries' here, and is one less",
  delay: "is called 'delayMs' here",
};

export const encodingOption: Check<Encoding> = (option, value) => oneOf(option, value, ENCODINGS);

/** Checks for a finite number of milliseconds, at least `least`: BullMQ's timers cannot hold Infinity. */
export const finiteMs = (least: number) => (option: string, value: unknown) =>
  duration(option, value, least) ?? reject(option, 'a finite time', value);

export const count: Check<number> = (option, value) => integer(option, value, 0, Number.MAX_SAFE_INTEGER);
const maybeCount = optional(count);
const flag: Check<boolean> = (option, value) =>
  typeof value === 'boolean' ? value : reject(option, 'true or false', value);
const maybeFlag = optional(flag);

/** Checks an object by what it may have, and leaves out what is undefined. */
export const object =
  (checks: Parameters<typeof checked>[2]): Check<object> =>
  (option, value) =>
    defined(checked(option, value, checks));

/** Which jobs that have ended BullMQ keeps. */
export const kept = object({ age: maybeCount, count: maybeCount, limit: maybeCount }) as Check<KeepJobs>;
/** A number is how many; -1: all. */
const removal = optional<boolean | number | KeepJobs>((option, value) => {
  if (typeof value === 'boolean') return value;
  return typeof value === 'number'
    ? integer(option, value, -1, Number.MAX_SAFE_INTEGER)
    : kept(option, value);
});

const JOB = {
  lifo: maybeFlag,
  keepLogs: maybeCount,
  removeOnComplete: removal,
  removeOnFail: removal,
  stackTraceLimit: maybeCount,
  telemetry: optional(object({ metadata: optional(text), omitContext: maybeFlag })),
} satisfies Partial<Record<keyof JobsOptions, Check<unknown>>>;

const DEDUPLICATION = {
  ...{ id: text, ttl: maybeCount, extend: maybeFlag, replace: maybeFlag },
  ...{ reschedule: maybeFlag, keepLastIfActive: maybeFlag },
};

const CHECKS = {
  signal: optional(abortSignal),
  timeoutMs: optional((name, value) => duration(name, value, 1)),
  retries: optional((name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER - 1), 0),
  backoff: optional(backoff),
  priority: optional((name, value) => integer(name, value, -MAX_PRIORITY, MAX_PRIORITY), 0),
  key: optional(key),
  delayMs: maybeCount,
  jobId: optional(jobId),
  deduplication: optional(object(DEDUPLICATION) as Check<DeduplicationOptions>),
  onProgress: optional(callback),
  job: optional(object(JOB) as Check<JobsOptions>, {}),
};

const notInMap: Check<undefined> = (option, value) =>
  value === undefined
    ? value
    : reject(option, 'nothing in a map, where it would be the same for every item', value);

const MAP_CHECKS = {
  ...CHECKS,
  jobId: notInMap,
  deduplication: notInMap,
  concurrency: optional((name, value) => integer(name, value, 1, Number.MAX_SAFE_INTEGER), 500),
  ordered: optional(flag, true),
};

/** Checks of the options as stored in a job, which other programs may have written. */
const OWN_CHECKS = {
  call: optional(text),
  timeoutMs: CHECKS.timeoutMs,
  key: CHECKS.key,
  encoding: optional(encodingOption),
  module: optional(text),
};

/** Checks the options under `threadwise` of a job. Throws ERR_OPTION. */
export function resolveOwn(given: unknown): OwnOptions {
  return given === undefined ? {} : (checked('threadwise', given, OWN_CHECKS) as OwnOptions);
}

/** Throws ERR_OPTION. @param id the id of this call, and of its job unless `jobId` is given */
export function resolveCall(given: unknown, defaults: CallDefaults, id: string) {
  const { signal, onProgress, job, jobId, retries, priority, ...options } = checkedRun(given, CHECKS);
  const { encoding, keepMs } = defaults;
  const ended = { age: Math.ceil(keepMs / 1000) };
  const { timeoutMs, key, delayMs: delay, deduplication, backoff } = options;
  const opts: FleetJobOptions & { jobId: string } = {
    removeOnComplete: ended,
    removeOnFail: ended,
    ...job,
    jobId: jobId ?? id,
    attempts: retries + 1,
    priority: PRIORITY_ZERO - priority,
    ...defined({ delay, backoff, deduplication }),
    threadwise: { call: id, encoding, ...defined({ timeoutMs, key }) },
  };
  // The job may exist already and have other callers, so aborting one call must not end it.
  const isShared = deduplication !== undefined || jobId !== undefined;
  return { signal, onProgress, isShared, opts };
}

/** The properties that are not undefined. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Throws ERR_OPTION. Returns options of a call, too. */
export const resolveMap = (given: unknown) => checkedRun(given, MAP_CHECKS);

function checkedRun<C extends typeof CHECKS | typeof MAP_CHECKS>(given: unknown, checks: C) {
  for (const [name, value] of Object.entries((given ?? {}) as object)) {
    const why = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
    if (why !== undefined) reject(name, `to be left out on a fleet (${why})`, value);
  }
  return checked('options', given === undefined ? {} : given, checks);
}

function key(option: string, value: unknown): string | number {
  if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return reject(option, 'a string or a number, which another machine can compare', value);
}

function jobId(option: string, value: unknown): string {
  const id = carriedText(option, value);
  const expected =
    "a string that is no whole number, has no ':' and is no name such as 'meta', which BullMQ keeps for itself";
  return /^(-?\d+|NaN)$|:/.test(id) || Object.hasOwn(QUEUE_KEYS, id) ? reject(option, expected, value) : id;
}

/** Half of a surrogate pair is another character when it comes back from Redis: what has that name would never be found again. */
export function carriedText(option: string, value: unknown): string {
  const name = text(option, value);
  return Buffer.from(name).toString() === name
    ? name
    : reject(option, 'a string that UTF-8 can carry', value);
}

function backoff(option: string, value: unknown): number | BackoffOptions {
  if (typeof value === 'number') return finiteMs(0)(option, value);
  const checks = { type: text, delay: optional(finiteMs(0)), jitter: optional(share) };
  return object(checks)(option, value) as BackoffOptions;
}

function share(option: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  return reject(option, 'a number from 0 to 1', value);
}
