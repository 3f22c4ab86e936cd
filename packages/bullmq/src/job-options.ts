/** The options of a call, and what they are in BullMQ; what has no counterpart there is refused by name. */
import type { BackoffOptions, DeduplicationOptions, JobsOptions } from 'bullmq';
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
  record,
  reject,
  text,
} from 'threadwise/internal';
import { type Encoding, ENCODINGS } from './encoding.js';

/** Options of one call on a fleet. */
export interface FleetRunOptions {
  /** Aborts the call: a job that waits is removed, one that runs hears it as `task.signal` on its machine. */
  signal?: AbortSignalLike;
  /** Milliseconds that the task may run, on the machine that runs it. Default Infinity. */
  timeoutMs?: number;
  /** How often a job is run again that failed, for whatever reason: `attempts` of BullMQ, less one. Default 0. */
  retries?: number;
  /** Milliseconds before it is run again, or BullMQ's own `{ type, delay, jitter }`. Default 0. */
  backoff?: number | BackoffOptions;
  /** Higher runs earlier. A whole number from -1,000,000 to 1,000,000; default 0. */
  priority?: number;
  /** Jobs with the same key go to the same worker of the machine that takes them. */
  key?: string | number;
  /** Milliseconds before the job may run. Default 0. */
  delayMs?: number;
  /**
   * The job's id, for calls that are to happen once: a second one with the same id gets the result of the first, as long as that is kept. Default:
   * a random one.
   */
  jobId?: string;
  /** BullMQ's own: a call with the same `id` gets the job that is there. Its abort ends the waiting alone, for others may wait, too. */
  deduplication?: DeduplicationOptions;
  /** Called with what the task gives to `task.progress`: the newest, where they come faster than Redis takes them. */
  onProgress?: (value: unknown) => void;
  /** Further options of a BullMQ job: `lifo`, `keepLogs`, `removeOnComplete`, `removeOnFail`, `stackTraceLimit`, `telemetry`. */
  job?: Pick<JobsOptions, (typeof PASSED)[number]>;
}

const PASSED = [
  'lifo',
  'keepLogs',
  'removeOnComplete',
  'removeOnFail',
  'stackTraceLimit',
  'telemetry',
] as const satisfies readonly (keyof JobsOptions)[];

/** What of a call BullMQ knows no option for: it stands in the job's options under this name. */
export interface OwnOptions {
  /** Tells this call from others with the same id. */
  readonly call?: string;
  readonly timeoutMs?: number;
  readonly key?: string | number;
  readonly encoding?: Encoding;
  /** The hash of the caller's task module. */
  readonly module?: string;
}

/** The options of a job as they are in Redis. */
export interface FleetJobOptions extends JobsOptions {
  threadwise?: OwnOptions;
}

/** What every call of a fleet has. */
export interface CallDefaults {
  readonly encoding: Encoding;
  /** How long results and failures stay in Redis. */
  readonly keepMs: number;
}

/**
 * BullMQ runs lower numbers first, and what has none before all that have one; so each job gets one, around this: half of BullMQ's limit.
 */
const PRIORITY_ZERO = 2 ** 20;
const MAX_PRIORITY = 1_000_000;

/** Why an option of a pool, or of BullMQ, has no place here. */
const REFUSED: Readonly<Record<string, string>> = {
  transfer: 'nothing can be moved to another machine: it is copied; leave it out',
  repeat:
    'a call has one result. For a schedule: fleet.queue.upsertJobScheduler(id, { pattern }, fleet.job(…))',
  parent:
    'a flow is added as a whole: new FlowProducer(…).add({ ...fleet.job(…), children: [fleet.job(…)] })',
  attempts: "is called 'retries' here, and is one less",
  delay: "is called 'delayMs' here",
};

export const encodingOption: Check<Encoding> = (option, value) => oneOf(option, value, ENCODINGS);

/** Longer, and BullMQ's own timers would not hold it. */
export const finiteMs = (least: number) => (option: string, value: unknown) =>
  duration(option, value, least) ?? reject(option, 'a finite time', value);

const CHECKS = {
  signal: optional(abortSignal),
  timeoutMs: optional((name, value) => duration(name, value, 1)),
  retries: optional((name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER - 1), 0),
  backoff: optional(backoff),
  priority: optional((name, value) => integer(name, value, -MAX_PRIORITY, MAX_PRIORITY), 0),
  key: optional(key),
  delayMs: optional((name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER)),
  jobId: optional(jobId),
  deduplication: optional(deduplication),
  onProgress: optional(callback),
  job: optional((name, value) => record(name, value, PASSED) as JobsOptions),
};

/** The same options as they stand in a job, whoever wrote it. */
const OWN_CHECKS = {
  call: optional(text),
  timeoutMs: CHECKS.timeoutMs,
  key: CHECKS.key,
  encoding: optional(encodingOption),
  module: optional(text),
};

/** What stands under `threadwise` in the options of a job. Throws ERR_OPTION. */
export function resolveOwn(given: unknown): OwnOptions {
  return given === undefined ? {} : (checked('threadwise', given, OWN_CHECKS) as OwnOptions);
}

/** @param id of this call, and of its job if no other is asked for. Throws ERR_OPTION. */
export function resolveCall(given: unknown, defaults: CallDefaults, id: string) {
  const { signal, onProgress, job, jobId, retries, priority, ...options } = checkedRun(given);
  const { encoding, keepMs } = defaults;
  const kept = { age: Math.ceil(keepMs / 1000) };
  const { timeoutMs, key, delayMs: delay, deduplication, backoff } = options;
  const opts: FleetJobOptions & { jobId: string } = {
    removeOnComplete: kept,
    removeOnFail: kept,
    ...job,
    jobId: jobId ?? id,
    attempts: retries + 1,
    priority: PRIORITY_ZERO - priority,
    ...defined({ delay, backoff, deduplication }),
    threadwise: { call: id, encoding, ...defined({ timeoutMs, key }) },
  };
  // The job may be there already, and others may wait for it: no abort of one call may end it.
  const isShared = deduplication !== undefined || jobId !== undefined;
  return { signal, onProgress, isShared, opts };
}

/** What of it there is. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The options of every call of a map: each item has a job of its own. Throws ERR_OPTION. */
export function checkMapOptions(given: object): void {
  for (const name of ['jobId', 'deduplication'] as const) {
    const value = (given as FleetRunOptions)[name];
    if (value !== undefined)
      reject(name, 'nothing in a map, where it would be the same for every item', value);
  }
  checkedRun(given);
}

function checkedRun(given: unknown) {
  for (const [name, value] of Object.entries((given ?? {}) as object)) {
    const why = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
    if (why !== undefined) reject(name, `to be left out on a fleet (${why})`, value);
  }
  return checked('options', given ?? {}, CHECKS);
}

function key(option: string, value: unknown): string | number {
  if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return reject(option, 'a string or a number, which another machine can compare', value);
}

function jobId(option: string, value: unknown): string {
  const id = text(option, value);
  const expected = "a string that is no whole number and has no ':', which BullMQ keeps for itself";
  return /^\d+$|:/.test(id) ? reject(option, expected, value) : id;
}

function backoff(option: string, value: unknown): number | BackoffOptions {
  if (typeof value === 'number') return finiteMs(0)(option, value);
  const given = record(option, value, ['type', 'delay', 'jitter']);
  text(`${option}.type`, given.type);
  if (given.delay !== undefined) finiteMs(0)(`${option}.delay`, given.delay);
  return { ...given } as unknown as BackoffOptions;
}

function deduplication(option: string, value: unknown): DeduplicationOptions {
  const given = record(option, value, ['id', 'ttl', 'extend', 'replace', 'reschedule', 'keepLastIfActive']);
  text(`${option}.id`, given.id);
  return { ...given } as unknown as DeduplicationOptions;
}
