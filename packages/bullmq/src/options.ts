/** The options of `connect` and `serve`: defaults and checks. */
import { constants, hostname } from 'node:os';
import type { AdvancedOptions, BackoffStrategy, Telemetry, WorkerOptions } from 'bullmq';
import type { PoolOptions } from 'threadwise';
import { callback, type Check, checked, integer, optional, reject, text, texts } from 'threadwise/internal';
import type { FleetConnection } from './connection.js';
import type { Encoding } from './encoding.js';
import { messageOf } from './failures.js';
import { carriedText, count, encodingOption, finiteMs, kept, object } from './job-options.js';

/** The queue of a fleet, and how to reach it. */
interface Place {
  /** The name of the BullMQ queue, without ':'. */
  queue: string;
  connection: FleetConnection;
  /** The beginning of all keys in Redis. Default 'bull', as BullMQ's. */
  prefix?: string | undefined;
}

export interface FleetOptions extends Place {
  /** How values are encoded in a job. Default 'auto': JSON if it carries the value unchanged, otherwise v8. */
  encoding?: Encoding | undefined;
  /** How many bytes the arguments of a call may take in Redis, up to 512 MiB. Default 1 MiB. */
  maxBytes?: number | undefined;
  /** How many milliseconds results and failures stay in Redis. Default 3,600,000: an hour. */
  keepMs?: number | undefined;
  /** How many milliseconds a call waits for Redis before it rejects; the job itself may take longer. Default 10,000. */
  connectTimeoutMs?: number | undefined;
  /** The task module. Its hash goes with each job, and a machine with another one fails it with ERR_FLEET_MODULE. Default: no check. */
  module?: URL | string | undefined;
}

export interface ServiceOptions extends Place {
  /** The machine's name in statistics and dashboards. Default: the host's name and the process's id. */
  name?: string | undefined;
  /** The options of the pool that runs the tasks, without `queue` and `retries`: Redis has the queue, and BullMQ retries. */
  pool?: Omit<PoolOptions, 'queue' | 'retries'> | undefined;
  /** How many bytes a result, an error or a progress value may take in Redis, up to 512 MiB. Default 1 MiB. */
  maxBytes?: number | undefined;
  /** BullMQ's limiter: at most `max` jobs in `duration` milliseconds, on the whole fleet. Default: no limit. */
  limiter?: { max: number; duration: number } | undefined;
  /** How many milliseconds a machine may be silent before others get its jobs. It renews its locks every third of that. Default 30,000. */
  lockMs?: number | undefined;
  /** How many milliseconds pass between two searches for jobs whose machine has gone silent. Default 15,000. */
  stalledCheckMs?: number | undefined;
  /** How often a job may lose its machine before it fails: this stops a task that ends its whole process each time. Default 10. */
  maxLost?: number | undefined;
  /** Signals that close the service and then end the process. Default SIGTERM and SIGINT; [] for none. */
  signals?: readonly NodeJS.Signals[] | undefined;
  /** How many milliseconds `close` lets tasks run before it gives them back. Default 25,000: less than the 30 s that Kubernetes waits. */
  closeTimeoutMs?: number | undefined;
  /** Called with errors that belong to no job: Redis does not answer, a lock was lost. Default: emits a process warning. */
  onError?: ((error: Error) => void) | undefined;
  /** Further options of the BullMQ worker, such as `backoffStrategy` in `settings`, `telemetry`, `metrics`, `drainDelay` (seconds). */
  worker?: Pick<WorkerOptions, keyof typeof WORKER> | undefined;
}

/** What BullMQ would refuse only after the pool was started, or never. */
const WORKER = {
  settings: optional(
    object({
      backoffStrategy: optional(backoffStrategy),
      repeatStrategy: optional(callback),
      repeatKeyHashAlgorithm: optional(text),
    }) as Check<AdvancedOptions>,
  ),
  telemetry: optional(telemetry),
  metrics: optional(object({ maxDataPoints: optional(count) })),
  drainDelay: optional((option, value) =>
    Number.isFinite(value) && (value as number) > 0
      ? (value as number)
      : reject(option, 'seconds, more than 0', value),
  ),
  maxStartedAttempts: optional(count),
  removeOnComplete: optional(kept),
  removeOnFail: optional(kept),
} satisfies Partial<Record<keyof WorkerOptions, Check<unknown>>>;

const PLACE = {
  queue: (option: string, value: unknown) => {
    const name = carriedText(option, value);
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

/** Redis takes whole milliseconds only. */
const wholeMs =
  (least: number): Check<number> =>
  (option, value) =>
    Math.ceil(finiteMs(least)(option, value));

const SERVICE = {
  ...PLACE,
  name: optional(text, `${hostname()}-${process.pid}`),
  pool: (name: string, value: unknown = {}) => poolOptions(name, value),
  maxBytes: MAX_BYTES,
  limiter: optional(limiter),
  lockMs: optional(wholeMs(100), 30_000),
  stalledCheckMs: optional(wholeMs(10), 15_000),
  maxLost: optional(count, 10),
  signals: optional(signals, ['SIGTERM', 'SIGINT'] as const),
  closeTimeoutMs: optional(finiteMs(0), 25_000),
  onError: optional(callback as Check<(error: Error) => void>, (error: Error) => process.emitWarning(error)),
  worker: (name: string, value: unknown = {}): Partial<WorkerOptions> => object(WORKER)(name, value),
};

/** Throws ERR_OPTION. */
export const resolveFleet = (options: unknown) => checked('options', options, FLEET);

/** Throws ERR_OPTION. */
export const resolveService = (options: unknown) => checked('options', options, SERVICE);
export type ResolvedService = ReturnType<typeof resolveService>;

export function moduleOption(option: string, value: unknown): URL | string {
  if (value instanceof URL || (typeof value === 'string' && URL.canParse(value))) return value;
  const how =
    "new URL('./tasks.js', import.meta.url), in CommonJS pathToFileURL(require.resolve('./tasks.js'))";
  return reject(option, `a URL: ${how}`, value);
}

function limiter(option: string, value: unknown): { max: number; duration: number } {
  const some: Check<number> = (name, given) => integer(name, given, 1, Number.MAX_SAFE_INTEGER);
  return checked(option, value, { max: some, duration: some });
}

function signals(option: string, value: unknown): readonly NodeJS.Signals[] {
  const names = texts(option, value) as readonly NodeJS.Signals[];
  const isOne = (name: NodeJS.Signals) => name in constants.signals && !['SIGKILL', 'SIGSTOP'].includes(name);
  return names.every(isOne) ? names : reject(option, 'names of signals that a program can hear', names);
}

function telemetry(option: string, value: unknown): Telemetry {
  const { tracer, contextManager } = (value ?? {}) as Partial<Telemetry>;
  if (tracer && contextManager) return value as Telemetry;
  return reject(option, "an object with a 'tracer' and a 'contextManager'", value);
}

/** Fails a job whose strategy fails: BullMQ would run it again each time its lock expires, or never end it. */
function backoffStrategy(option: string, value: unknown): BackoffStrategy {
  const strategy = callback(option, value) as BackoffStrategy;
  return async (made, type, error, job) => {
    try {
      const delay = await strategy(made, type, error, job);
      return Number.isFinite(delay) ? delay : reject(option, 'a function that returns milliseconds', delay);
    } catch (thrown) {
      job!.failedReason = `'${option}' failed: ${messageOf(thrown)}; the task had failed: ${error?.message}`;
      return -1; // for BullMQ: not again
    }
  };
}

/** Refuses `queue` and `retries`, and checks what the service puts another one in place of. The pool checks the other options itself. */
function poolOptions(option: string, value: unknown): Omit<PoolOptions, 'queue' | 'retries'> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return reject(option, 'an object', value);
  const expected = 'to be left out: jobs wait in Redis, and BullMQ tries again';
  for (const name of ['queue', 'retries'] as const)
    if (name in value) reject(`${option}.${name}`, expected, (value as PoolOptions)[name]);
  optional(callback)(`${option}.onTaskStart`, (value as PoolOptions).onTaskStart);
  return value;
}
