/** The options of `connect` and `serve`: defaults, checks. */
import type { WorkerOptions } from 'bullmq';
import type { PoolOptions } from 'threadwise';
import {
  callback,
  type Check,
  checked,
  integer,
  optional,
  record,
  reject,
  text,
  texts,
} from 'threadwise/internal';
import type { FleetConnection } from './connection.js';
import type { Encoding } from './encoding.js';
import { encodingOption, finiteMs } from './job-options.js';

/** Where a fleet is. */
interface Place {
  /** The name of the BullMQ queue. No ':'. */
  queue: string;
  connection: FleetConnection;
  /** Before all keys in Redis. Default 'bull', as with BullMQ. */
  prefix?: string;
}

export interface FleetOptions extends Place {
  /** How values stand in a job. Default 'auto': JSON where it carries them, else v8. */
  encoding?: Encoding;
  /** Bytes that the arguments of a call may take in Redis. Default 1 MiB. */
  maxBytes?: number;
  /** How long results and failures stay in Redis. Milliseconds, default 3,600,000: an hour. */
  keepMs?: number;
  /** How long a call waits for Redis before it is refused; it does not limit how long the job may take. Milliseconds, default 10,000. */
  connectTimeoutMs?: number;
  /** The task module: its hash goes with each job, and a machine that has another one fails it with ERR_FLEET_MODULE. */
  module?: URL | string;
}

export interface ServiceOptions extends Place {
  /** Of the machine, in statistics and dashboards. Default: the host's name and the process's id. */
  name?: string;
  /** The options of the pool that runs the tasks, without `queue` and `retries`, which are Redis's here. */
  pool?: Omit<PoolOptions, 'queue' | 'retries'>;
  /** Bytes that a result, an error or a progress value may take in Redis. Default 1 MiB. */
  maxBytes?: number;
  /** No more than `max` jobs in `duration` milliseconds, on the whole fleet: BullMQ's own. Default: no limit. */
  limiter?: { max: number; duration: number };
  /** How long a machine may be silent before its jobs are given to others. It says that it is there in each third of it. Milliseconds, default 30,000. */
  lockMs?: number;
  /** How often machines look for jobs whose machine has gone silent. Milliseconds, default 15,000. */
  stalledCheckMs?: number;
  /** How often a job may lose its machine before it fails: what stops a task that takes its whole process down. Default 10. */
  maxLost?: number;
  /** Signals that close the service, and then end the process. Default SIGTERM and SIGINT; [] for none. */
  signals?: readonly NodeJS.Signals[];
  /** How long `close` lets tasks run on before it gives them back. Milliseconds, default 25,000: less than the 30 s that Kubernetes waits. */
  closeTimeoutMs?: number;
  /** Told what is wrong and belongs to no job: Redis is away, a lock was lost. Default: a warning of the process. */
  onError?: (error: Error) => void;
  /** Further options of the BullMQ worker: `backoffStrategy` in `settings`, `telemetry`, `metrics`, `drainDelay`, `maxStartedAttempts`. */
  worker?: Pick<WorkerOptions, (typeof PASSED)[number]>;
}

const PASSED = [
  'settings',
  'telemetry',
  'metrics',
  'drainDelay',
  'maxStartedAttempts',
  'removeOnComplete',
  'removeOnFail',
] as const satisfies readonly (keyof WorkerOptions)[];

const PLACE = {
  queue: (option: string, value: unknown) => {
    const name = text(option, value);
    return name.includes(':') ? reject(option, "a name without ':'", value) : name;
  },
  connection: (_: string, value: unknown) => value,
  prefix: optional(text, 'bull'),
};
const MAX_BYTES = optional((name, value) => integer(name, value, 1, 2 ** 29), 2 ** 20);

const FLEET = {
  ...PLACE,
  encoding: optional(encodingOption, 'auto'),
  maxBytes: MAX_BYTES,
  keepMs: optional((name, value) => integer(name, value, 1000, Number.MAX_SAFE_INTEGER), 3_600_000),
  connectTimeoutMs: optional(finiteMs(1), 10_000),
  module: optional(moduleOption),
};

const SERVICE = {
  ...PLACE,
  name: optional(text),
  pool: (name: string, value: unknown = {}) => poolOptions(name, value),
  maxBytes: MAX_BYTES,
  limiter: optional(limiter),
  lockMs: optional(finiteMs(100), 30_000),
  stalledCheckMs: optional(finiteMs(10), 15_000),
  maxLost: optional((name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER), 10),
  signals: optional(texts as Check<readonly NodeJS.Signals[]>, ['SIGTERM', 'SIGINT'] as const),
  closeTimeoutMs: optional(finiteMs(0), 25_000),
  onError: optional(callback as Check<(error: Error) => void>, (error: Error) => process.emitWarning(error)),
  worker: (name: string, value: unknown = {}) => workerOptions(name, value),
};

/** Throws ERR_OPTION. */
export const resolveFleet = (options: unknown) => checked('options', options, FLEET);

/** Throws ERR_OPTION. */
export const resolveService = (options: unknown) => checked('options', options, SERVICE);
export type ResolvedService = ReturnType<typeof resolveService>;

export function moduleOption(option: string, value: unknown): URL | string {
  if (value instanceof URL || (typeof value === 'string' && URL.canParse(value))) return value;
  return reject(option, "a URL: new URL('./tasks.js', import.meta.url)", value);
}

function limiter(option: string, value: unknown): { max: number; duration: number } {
  const { max, duration: ms } = record(option, value, ['max', 'duration']);
  return {
    max: integer(`${option}.max`, max, 1, Number.MAX_SAFE_INTEGER),
    duration: integer(`${option}.duration`, ms, 1, Number.MAX_SAFE_INTEGER),
  };
}

/** What BullMQ would refuse, but only when the pool has been started. */
function workerOptions(option: string, value: unknown): Partial<WorkerOptions> {
  const given = record(option, value, PASSED) as Partial<WorkerOptions>;
  const { drainDelay, maxStartedAttempts: most } = given;
  if (drainDelay !== undefined && !(drainDelay > 0))
    reject(`${option}.drainDelay`, 'seconds, more than 0', drainDelay);
  if (most !== undefined) integer(`${option}.maxStartedAttempts`, most, 0, Number.MAX_SAFE_INTEGER);
  return given;
}

/** The pool checks the rest. */
function poolOptions(option: string, value: unknown): Omit<PoolOptions, 'queue' | 'retries'> {
  if (typeof value !== 'object' || value === null) return reject(option, 'an object', value);
  const expected = 'to be left out: jobs wait in Redis, and BullMQ tries again';
  for (const name of ['queue', 'retries'] as const)
    if (name in value) reject(`${option}.${name}`, expected, (value as PoolOptions)[name]);
  return value;
}
