/** The options of `serve`: defaults, checks. */
import type { WorkerOptions } from 'bullmq';
import type { PoolOptions } from 'threadwise';
import {
  callback,
  checked,
  duration,
  integer,
  optional,
  record,
  reject,
  text,
  texts,
} from 'threadwise/internal';
import type { FleetConnection } from '../connection.js';
import { queueName } from '../fleet.js';

export interface ServiceOptions {
  /** The name of the BullMQ queue. No ':'. */
  queue: string;
  connection: FleetConnection;
  /** Before all keys in Redis. Default 'bull', as with BullMQ. */
  prefix?: string;
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

/** Longer, and BullMQ's own timers would not hold it. */
const finiteMs = (least: number) => (name: string, value: unknown) =>
  duration(name, value, least) ?? reject(name, 'a finite time', value);

const CHECKS = {
  queue: queueName,
  connection: (_: string, value: unknown) => value,
  prefix: optional(text, 'bull'),
  name: optional(text),
  pool: (name: string, value: unknown = {}) => poolOptions(name, value),
  maxBytes: optional((name, value) => integer(name, value, 1, 2 ** 29), 2 ** 20),
  limiter: optional(limiter),
  lockMs: optional(finiteMs(100), 30_000),
  stalledCheckMs: optional(finiteMs(10), 15_000),
  maxLost: optional((name, value) => integer(name, value, 0, Number.MAX_SAFE_INTEGER), 10),
  signals: optional((name, value) => texts(name, value) as readonly NodeJS.Signals[], [
    'SIGTERM',
    'SIGINT',
  ] as const),
  closeTimeoutMs: optional(finiteMs(0), 25_000),
  onError: optional((name, value) => callback(name, value) as (error: Error) => void, warn),
  worker: optional((name, value) => record(name, value, PASSED) as Partial<WorkerOptions>, {}),
};

/** Throws ERR_OPTION. */
export function resolveService(options: unknown) {
  return checked('options', options, CHECKS);
}
export type ResolvedService = ReturnType<typeof resolveService>;

function warn(error: Error): void {
  process.emitWarning(error);
}

function limiter(option: string, value: unknown): { max: number; duration: number } {
  const { max, duration: ms } = record(option, value, ['max', 'duration']);
  return {
    max: integer(`${option}.max`, max, 1, Number.MAX_SAFE_INTEGER),
    duration: integer(`${option}.duration`, ms, 1, Number.MAX_SAFE_INTEGER),
  };
}

/** The pool checks the rest. */
function poolOptions(option: string, value: unknown): Omit<PoolOptions, 'queue' | 'retries'> {
  if (typeof value !== 'object' || value === null) return reject(option, 'an object', value);
  for (const name of ['queue', 'retries'] as const) {
    if (name in value)
      reject(
        `${option}.${name}`,
        'to be left out: jobs wait in Redis, and BullMQ tries again',
        (value as PoolOptions)[name],
      );
  }
  return value;
}
