/** The options of a pool: their types, their defaults and their validation, each in this one place. */

import {
  callback,
  duration,
  finite,
  integer,
  MAX_TIMER_MS,
  oneOf,
  record,
  reject,
  text,
  texts,
} from './checks.js';
import type { Choice, TaskView, WorkerSettings, WorkerView } from '../contracts.js';
import { resolveCrossing } from './crossing-options.js';
import { retryCount } from '../calls/run-options.js';
import { resolveTracing, type TaskEnd, type TaskStart, type TracingHooks } from '../events/tracing.js';

/** Picks one of `candidates` for `task`. Whatever else it returns, or throws, the default takes over. */
export type ChooseFunction = (task: TaskView, candidates: readonly WorkerView[]) => WorkerView;

/** A number, or bounds between which the pool sizes itself. */
export interface ThreadBounds {
  /** Default: 1. */
  min?: number;
  /** Default: what the machine and its container allow, and never less than `min`. */
  max?: number;
}

export type PlacementName = 'threads' | 'auto' | 'inline';

/** Options of `createPool`. */
export interface PoolOptions {
  /** Appears in stats, events and thread names. Default: `pool-1`, `pool-2`, … */
  name?: string;
  /**
   * How many workers. Default 'auto': from 1 to what CPU affinity, cgroup quota and memory limit allow, and more where tasks
   * are measured to wait more than they compute.
   */
  threads?: number | ThreadBounds | 'auto';
  /** How tasks cross. Default 'auto': 'shared' where memory can be shared, else 'message'. */
  transport?: 'auto' | 'shared' | 'message';
  /**
   * Who gives a task to a worker. 'shared-queue': workers take it by themselves. 'coordinator': a thread of its own
   * chooses, with a strategy that is named. 'direct': the main thread chooses. Default 'shared-queue', or 'direct' where
   * there is no shared memory or `choose` is given.
   */
  dispatch?: 'shared-queue' | 'coordinator' | 'direct';
  /**
   * Where tasks run. 'inline': on the calling thread. 'auto': each function where its calls are measured to cost less; the
   * module is then loaded on the calling thread, too, if nothing speaks against it. Default 'threads'.
   */
  placement?: PlacementName;
  /** With placement 'auto': how long calls may run on the calling thread in one turn of its event loop. Milliseconds, default 5. */
  loopBudgetMs?: number;
  /** What holds a worker. This version has 'thread'. */
  isolation?: 'thread' | 'process';
  /** The strategy: a name, a value such as `leastBusy`, or a function. Default 'least-busy'. */
  choose?: string | Choice | ChooseFunction;
  /** How many tasks may run on one worker at a time; more than 1 is for tasks that await. Default 1. */
  tasksPerWorker?: number;
  queue?: {
    /** How many tasks may wait; one more is rejected with ERR_QUEUE_FULL. Default Infinity. */
    limit?: number;
  };
  /** Milliseconds that a task may run; waiting does not count. Default Infinity. */
  timeoutMs?: number;
  /** How often a task is run again when its worker died under it. Default 0. */
  retries?: number;
  worker?: WorkerOptions;
  /** Milliseconds after which an idle worker above `min` is released. Default 30,000. */
  idleTimeoutMs?: number;
  /**
   * Called within `run`, in the caller's async context: the place to begin a span. What it returns goes with the task, cloned,
   * as `task.context`: a `traceparent`, for instance. Default none.
   */
  onTaskStart?: (task: TaskStart) => unknown;
  /** Called when the call has settled, with what `onTaskStart` returned. Default none. */
  onTaskEnd?: (task: TaskEnd) => void;
  /** Functions that tasks may call through `task.host`. Default none. */
  host?: Record<string, (...args: never[]) => unknown>;
}

export interface WorkerOptions {
  /** Given to `setup({ data })` and as `workerData`. Must be cloneable. */
  data?: unknown;
  /** The worker's `process.env`. Default: a copy of the parent's. */
  env?: unknown;
  argv?: readonly string[];
  execArgv?: readonly string[];
  /** V8 limits of the thread, as `node:worker_threads` takes them. */
  resourceLimits?: Readonly<Record<string, number>>;
  recycle?: {
    /** Replace a worker after that many tasks. */
    afterTasks?: number;
    /** Replace a worker whose heap holds more than that after a task. */
    aboveMemoryMiB?: number;
  };
  /** Milliseconds that loading the module and `setup` may take. Default 10,000. */
  startTimeoutMs?: number;
}

export interface ResolvedOptions {
  readonly name: string | undefined;
  readonly threads: SizeBounds;
  readonly transport: 'shared' | 'message';
  readonly dispatch: 'shared-queue' | 'coordinator' | 'direct';
  readonly placement: PlacementName;
  readonly loopBudgetMs: number;
  readonly choose: string | Choice | ChooseFunction;
  readonly tasksPerWorker: number;
  readonly queueLimit: number;
  readonly timeoutMs: number | undefined;
  readonly retries: number;
  readonly worker: WorkerSettings;
  readonly recycleAfterTasks: number;
  readonly recycleAboveBytes: number;
  readonly startTimeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly tracing: TracingHooks;
  readonly host: ReadonlyMap<string, (...args: unknown[]) => unknown>;
}

/** Between which a pool is sized. */
export interface SizeBounds {
  readonly min: number;
  readonly max: number;
  /** With 'auto': what stands for the maximum as long as there are no more, since only tasks that wait want more. */
  readonly usualMax?: number;
}

/** What validation needs to know of the surroundings. */
export interface OptionContext {
  readonly choices: readonly string[];
  /** The name of a strategy of ours; undefined for the user's own. */
  builtInName(choose: unknown): string | undefined;
  readonly hasSharedMemory: boolean;
  availableThreads(): number;
  threadCeiling(): number;
  env(name: string): string | undefined;
}

/** A bound against mistakes: a thread costs megabytes, and nothing gains from more. */
const MAX_THREADS = 1024;
/** Longer would be no bound: a second is what people call hung. Milliseconds. */
const MAX_BUDGET_MS = 1000;
/** Bounded by the claim board of a worker, see transport/message/claim-board.ts. */
const MAX_TASKS_PER_WORKER = 1024;

const POOL_KEYS = [
  'name',
  'threads',
  'transport',
  'dispatch',
  'placement',
  'loopBudgetMs',
  'isolation',
  'choose',
  'tasksPerWorker',
  'queue',
  'timeoutMs',
  'retries',
  'worker',
  'idleTimeoutMs',
  'host',
  'onTaskStart',
  'onTaskEnd',
] as const satisfies readonly (keyof PoolOptions)[];
const WORKER_KEYS = [
  'data',
  'env',
  'argv',
  'execArgv',
  'resourceLimits',
  'recycle',
  'startTimeoutMs',
] as const satisfies readonly (keyof WorkerOptions)[];
/** Validates the options of a pool and fills in the defaults. Throws ERR_OPTION. */
export function resolveOptions(given: unknown, context: OptionContext): ResolvedOptions {
  const options = record('options', given ?? {}, POOL_KEYS) as PoolOptions;
  checkAvailable(options);
  const worker = record('worker', options.worker ?? {}, WORKER_KEYS) as WorkerOptions;
  const recycle = record('worker.recycle', worker.recycle ?? {}, ['afterTasks', 'aboveMemoryMiB']);
  const queue = record('queue', options.queue ?? {}, ['limit']);
  return {
    name: options.name === undefined ? undefined : text('name', options.name),
    threads: resolveThreads(options.threads, context),
    ...resolveCrossing(options, context),
    placement: options.placement === undefined ? 'threads' : placementName(options.placement),
    loopBudgetMs: resolveBudget(options.loopBudgetMs),
    choose: resolveChoose(options.choose, context),
    tasksPerWorker: integer('tasksPerWorker', options.tasksPerWorker ?? 1, 1, MAX_TASKS_PER_WORKER),
    queueLimit: resolveLimit('queue.limit', queue.limit, 0),
    timeoutMs: resolveTimeout('timeoutMs', options.timeoutMs),
    retries: retryCount('retries', options.retries ?? 0),
    worker: resolveWorker(worker),
    recycleAfterTasks: resolveLimit('worker.recycle.afterTasks', recycle.afterTasks, 1),
    recycleAboveBytes: resolveLimit('worker.recycle.aboveMemoryMiB', recycle.aboveMemoryMiB, 1) * 2 ** 20,
    startTimeoutMs: duration('worker.startTimeoutMs', worker.startTimeoutMs ?? 10_000, 1) ?? MAX_TIMER_MS,
    idleTimeoutMs: duration('idleTimeoutMs', options.idleTimeoutMs ?? 30_000, 0),
    host: resolveHost(options.host),
    tracing: resolveTracing(options),
  };
}

/** Values that the interface names and this version does not have. */
function checkAvailable(options: PoolOptions): void {
  const missing = (option: string, value: string, known: readonly string[]) =>
    reject(option, `${known.map((k) => `'${k}'`).join(' or ')} in this version`, value);
  const check = (option: 'transport' | 'isolation', all: string[], here: string[]) => {
    const value = options[option];
    if (value !== undefined && !here.includes(oneOf(option, value, all))) missing(option, value, here);
  };
  check('transport', ['auto', 'shared', 'message'], ['auto', 'shared', 'message']);
  check('isolation', ['thread', 'process'], ['thread']);
}

/** `threads`, or the environment's THREADWISE_THREADS where the code leaves it open. */
function resolveThreads(given: PoolOptions['threads'], context: OptionContext): SizeBounds {
  if (given !== undefined && given !== 'auto') return threadBounds('threads', given, context);
  const fromEnv = context.env('THREADWISE_THREADS');
  if (fromEnv === undefined || fromEnv === '' || fromEnv === 'auto')
    return threadBounds('threads', 'auto', context);
  const match = /^(\d+)(?:-(\d+))?$/.exec(fromEnv);
  if (!match) return reject('THREADWISE_THREADS (environment)', "'auto', 'n' or 'min-max'", fromEnv);
  const first = Number(match[1]);
  const bounds = match[2] === undefined ? first : { min: first, max: Number(match[2]) };
  return threadBounds('THREADWISE_THREADS (environment)', bounds, context);
}

/** A number or bounds of threads, or 'auto', checked. Also used by `pool.resize`. */
export function threadBounds(
  option: string,
  given: unknown,
  context: Pick<OptionContext, 'availableThreads' | 'threadCeiling'>,
): SizeBounds {
  if (given === 'auto') {
    const usualMax = Math.min(MAX_THREADS, context.availableThreads());
    return { min: 1, max: Math.min(MAX_THREADS, Math.max(usualMax, context.threadCeiling())), usualMax };
  }
  if (typeof given === 'number') {
    const n = integer(option, given, 1, MAX_THREADS);
    return { min: n, max: n };
  }
  if (typeof given !== 'object' || given === null)
    return reject(option, "a number, { min, max } or 'auto'", given);
  const bounds = record(option, given, ['min', 'max']) as ThreadBounds;
  const min = bounds.min === undefined ? undefined : integer(`${option}.min`, bounds.min, 0, MAX_THREADS);
  const most = Math.min(MAX_THREADS, Math.max(min ?? 1, context.availableThreads()));
  const max = integer(`${option}.max`, bounds.max ?? most, 1, MAX_THREADS);
  if (min !== undefined && min > max) return reject(option, 'min not larger than max', `${min} > ${max}`);
  return { min: min ?? 1, max };
}

function resolveChoose(given: unknown, context: OptionContext): string | Choice | ChooseFunction {
  if (given === undefined) {
    const fromEnv = context.env('THREADWISE_CHOOSE');
    if (fromEnv === undefined || fromEnv === '') return context.choices[0]!;
    return oneOf('THREADWISE_CHOOSE (environment)', fromEnv, context.choices);
  }
  if (typeof given === 'function') return given as ChooseFunction;
  const isChoice =
    typeof given === 'object' && given !== null && typeof (given as Choice).choose === 'function';
  if (isChoice) return given as Choice;
  if (typeof given === 'string') return oneOf('choose', given, context.choices);
  return reject('choose', 'a strategy, its name, or a function', given);
}

function resolveLimit(option: string, given: unknown, min: number): number {
  if (given === undefined || given === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  return integer(option, given, min, Number.MAX_SAFE_INTEGER);
}

/** Also used by `pool.configure`. */
export function placementName(given: unknown): PlacementName {
  return oneOf('placement', given, ['threads', 'auto', 'inline'] as const);
}

function resolveBudget(given: unknown): number {
  if (given === undefined) return 5;
  if (typeof given === 'number' && given > 0 && given <= MAX_BUDGET_MS) return given;
  return reject('loopBudgetMs', `milliseconds above 0, up to ${MAX_BUDGET_MS}`, given);
}

function resolveTimeout(option: string, given: unknown): number | undefined {
  return given === undefined ? undefined : duration(option, given, 1);
}

function resolveWorker(worker: WorkerOptions): WorkerSettings {
  return {
    data: worker.data,
    env: worker.env === undefined ? undefined : environment(worker.env),
    argv: worker.argv === undefined ? undefined : texts('worker.argv', worker.argv),
    execArgv: worker.execArgv === undefined ? undefined : texts('worker.execArgv', worker.execArgv),
    resourceLimits: worker.resourceLimits === undefined ? undefined : resourceLimits(worker.resourceLimits),
  };
}

/** An object of variables, or the runtime's own symbol for sharing the parent's. */
function environment(value: unknown): unknown {
  if (typeof value === 'symbol' || (typeof value === 'object' && value !== null)) return value;
  return reject('worker.env', 'an object or SHARE_ENV', value);
}

function resourceLimits(given: unknown): Readonly<Record<string, number>> {
  const known = ['maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb', 'codeRangeSizeMb', 'stackSizeMb'];
  const limits = record('worker.resourceLimits', given, known);
  for (const [key, value] of Object.entries(limits)) {
    if (finite(`worker.resourceLimits.${key}`, value) <= 0) {
      reject(`worker.resourceLimits.${key}`, 'a number above 0 (MiB)', value);
    }
  }
  return limits as Record<string, number>;
}

function resolveHost(given: PoolOptions['host']): ReadonlyMap<string, (...args: unknown[]) => unknown> {
  const host = new Map<string, (...args: unknown[]) => unknown>();
  if (given === undefined) return host;
  if (typeof given !== 'object' || given === null) return reject('host', 'an object of functions', given);
  for (const [name, fn] of Object.entries(given)) host.set(name, callback(`host.${name}`, fn));
  return host;
}
