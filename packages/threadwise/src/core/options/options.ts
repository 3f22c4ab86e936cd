/** The options of a pool: their types, their defaults and their validation, each in this one place. */

import {
  budget,
  callback,
  checked,
  duration,
  finite,
  fromEnvironment,
  group,
  integer,
  isObject,
  MAX_TIMER_MS,
  oneOf,
  optional,
  record,
  reject,
  text,
  texts,
  type Check,
} from './checks.js';
import { type ClassEntry, registeredClasses } from './classes.js';
import type { Choice, Platform, TaskView, WorkerView } from '../contracts.js';
import {
  type Refusal,
  isolationOf,
  MAX_THREADS,
  NO_SIZE,
  placementOfProcesses,
  resolveIsolation,
} from './isolation.js';
import { retryCount } from '../calls/run-options.js';
import type { TaskEnd, TaskStart } from '../events/hooks.js';

/** Picks one of `candidates` for `task`. If it returns anything else, or throws, the default strategy takes over from then on. */
export type ChooseFunction = (task: TaskView, candidates: readonly WorkerView[]) => WorkerView;

/** Bounds between which the pool sizes itself. */
export interface ThreadBounds {
  /** The fewest workers, from 0 on. Default 1. */
  min?: number | undefined;
  /** The most workers. Default: what the machine and its container allow, and never less than `min`. */
  max?: number | undefined;
}

/** Options of `createPool`. */
export interface PoolOptions {
  /** Appears in stats, events and thread names. Default: `pool-1`, `pool-2`, … */
  name?: string | undefined;
  /** How many workers. Default 'auto': from 1 to what the machine and its container allow, and more where tasks wait more than they compute. */
  threads?: number | ThreadBounds | 'auto' | undefined;
  /** How tasks cross. Default 'auto': 'shared' where memory can be shared, else 'message'. */
  transport?: 'auto' | 'shared' | 'message' | undefined;
  /**
   * Who gives a task to a worker. 'shared-queue': workers take it by themselves. 'coordinator': a thread of its own chooses, by a built-in strategy.
   * 'direct': the main thread chooses. Default 'shared-queue', or 'direct' where there is no shared memory or `choose` is given.
   */
  dispatch?: 'shared-queue' | 'coordinator' | 'direct' | undefined;
  /**
   * Where tasks run. 'inline': on the calling thread. 'auto': each function where its calls are measured to cost less; the
   * module is then loaded on the calling thread, too, if nothing speaks against it. Default 'threads'.
   */
  placement?: 'threads' | 'auto' | 'inline' | undefined;
  /** How many milliseconds calls may run in one turn of the calling thread's event loop, with placement 'auto' or 'inline'. Default 5. */
  loopBudgetMs?: number | undefined;
  /**
   * What holds a worker. 'thread': a thread. 'process': a process of its own, which a crash of native code ends alone; arguments and
   * results are copied, and no memory is shared; not on Windows, nor in Electron. An object: a process that several workers share. Default 'thread'.
   */
  isolation?: 'thread' | 'process' | SharedProcessOptions | undefined;
  /** The strategy: a name, a value such as `leastBusy`, or a function. Default 'least-busy'. */
  choose?: string | Choice | ChooseFunction | undefined;
  /** How many tasks may run on one worker at a time; more than 1 is for tasks that await. Default 1. */
  tasksPerWorker?: number | undefined;
  /** `limit`: how many tasks may wait; one more is rejected with ERR_QUEUE_FULL. Default Infinity. */
  queue?: { limit?: number | undefined } | undefined;
  /** How many milliseconds a task may run; waiting does not count. Default Infinity. */
  timeoutMs?: number | undefined;
  /** How often a task is run again when its worker died under it. Default 0. */
  retries?: number | undefined;
  worker?: WorkerOptions | undefined;
  /** After how many milliseconds an idle worker above `min` is released. Default 30,000. */
  idleTimeoutMs?: number | undefined;
  /**
   * Called within `run`, in the caller's async context: the place to begin a span. What it returns goes with the task, cloned,
   * as `task.context`: a `traceparent`, for instance. Default none.
   */
  onTaskStart?: ((task: TaskStart) => unknown) | undefined;
  /** Called when the call has settled, with what `onTaskStart` returned. Default none. */
  onTaskEnd?: ((task: TaskEnd) => void) | undefined;
  /**
   * The classes whose instances arrive as instances, in tasks and from tasks: the same as those of the task module's `export const threadwise =
   * { classes: […] }`, each by its name. 'plain': instances arrive as plain objects, even if the module registers. Default none.
   */
  classes?: readonly ClassEntry[] | 'plain' | undefined;
  /** Functions that tasks may call through `task.host`; they run in the async context of `createPool`. Default none. */
  host?: Record<string, (...args: never[]) => unknown> | undefined;
}

/** Processes with several workers each, every worker on a thread and with an event loop of its own. */
export interface SharedProcessOptions {
  /**
   * How many processes. If it is given, the pool always has this number times `threads` workers, and its own option `threads` must not be
   * given. Default: as many as the workers of the pool need, a number that may change.
   */
  processes?: number | undefined;
  /** How many workers each process has. */
  threads: number;
}

export interface WorkerOptions {
  /** Given to `setup({ data })` and as `workerData`. Must be cloneable. */
  data?: unknown;
  /** The worker's `process.env`. Default: a copy of the parent's. */
  env?: unknown;
  /** The working directory of the worker's process; only with isolation 'process'. Default: the parent's. */
  cwd?: string | undefined;
  /** What the worker's `process.argv` has behind its first two entries. Default: nothing. */
  argv?: readonly string[] | undefined;
  /** Node's options for the worker, its `process.execArgv`. Default: the parent's. */
  execArgv?: readonly string[] | undefined;
  /**
   * V8 limits of the thread, in MiB, as `node:worker_threads` takes them. With isolation 'process' only those of the heap:
   * maxOldGenerationSizeMb and maxYoungGenerationSizeMb. Default: Node's own.
   */
  resourceLimits?:
    | {
        readonly maxOldGenerationSizeMb?: number | undefined;
        readonly maxYoungGenerationSizeMb?: number | undefined;
        readonly codeRangeSizeMb?: number | undefined;
        readonly stackSizeMb?: number | undefined;
      }
    | undefined;
  /** A worker is replaced after `afterTasks` tasks, and when its heap holds more than `aboveMemoryMiB` after a task. Default Infinity. */
  recycle?: { afterTasks?: number | undefined; aboveMemoryMiB?: number | undefined } | undefined;
  /** How many milliseconds loading the module and `setup` may take; on Linux, without the time in which the thread waits for a core. Default 10,000. */
  startTimeoutMs?: number | undefined;
}

/** What can be changed while the pool runs. A new placement is for calls from now on; calls that wait stay, also beyond a new limit. */
export interface PoolChanges extends Pick<PoolOptions, 'threads' | 'placement' | 'queue'> {
  /** The name of a strategy; not with dispatch 'shared-queue', where workers take tasks by themselves. */
  choose?: string | undefined;
}

/** The options of a pool, with what the environment and the defaults say where the code says nothing. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** The bounds between which a pool is sized. */
export interface SizeBounds {
  readonly min: number;
  readonly max: number;
  /** Threads that make sense for tasks that compute; of a fixed number, that. */
  readonly cores: number;
  /** The maximum that 'auto' shows until tasks that wait make the pool grow beyond it. */
  readonly usualMax?: number;
}

/** What validation needs to know of the surroundings. */
export interface OptionContext
  extends ThreadContext, Pick<Platform, 'bind' | 'hasSharedMemory' | 'noProcesses'> {
  /** The names that `choose` can have. The first is the default. */
  readonly choices: readonly string[];
  /** The name of a built-in strategy; undefined for the user's own. */
  builtInName(choose: unknown): string | undefined;
}

type ThreadLimits = Pick<Platform, 'availableThreads' | 'threadCeiling'>;
type ThreadContext = ThreadLimits & Pick<Platform, 'env'>;

/** The largest `tasksPerWorker`, bounded by the claim board of a worker: see transport/message/claim-board.ts. */
const MAX_TASKS_PER_WORKER = 1024;

const TRANSPORTS = ['auto', 'shared', 'message'] as const;
const DISPATCHES = ['shared-queue', 'coordinator', 'direct'] as const;
const placementName = among(['threads', 'auto', 'inline']);

export type CheckedOptions = ReturnType<typeof checkEach>;

/** Checks the options of a pool, each by itself. */
function checkEach(given: unknown = {}, context: OptionContext) {
  return checked('options', given, {
    name: optional(text),
    threads: (_option, value) => value,
    transport: optional(among(TRANSPORTS)),
    dispatch: optional(among(DISPATCHES)),
    placement: optional(placementName, 'threads'),
    loopBudgetMs: optional(budget, 5),
    isolation: optional(isolationOf),
    choose: optional((option, value) => strategy(option, value, context.choices)),
    tasksPerWorker: (option, value = 1) => integer(option, value, 1, MAX_TASKS_PER_WORKER),
    queue: group({ limit: limitFrom(0) }),
    timeoutMs: optional((option, value) => duration(option, value, 1)),
    retries: optional(retryCount, 0),
    worker: group(WORKER),
    idleTimeoutMs: (option, value = 30_000) => duration(option, value, 0),
    classes: (option, value = []) => (value === 'plain' ? value : registeredClasses(option, value)),
    host: (option, value) => hostFunctions(option, value, context),
    onTaskStart: optional(callback),
    onTaskEnd: optional(callback),
  } satisfies Readonly<Record<keyof PoolOptions, Check<unknown>>>);
}

/** Validates the options of a pool and fills in the defaults. Throws ERR_OPTION. */
export function resolveOptions(given: unknown, context: OptionContext) {
  const options = checkEach(given, context);
  const { choices } = context;
  const usual = fromEnvironment(context, 'THREADWISE_CHOOSE', among(choices)) ?? choices[0]!;
  const held = resolveIsolation(options, context);
  const threads = resolveThreads(context, held.fixedSize ?? options.threads);
  const crossing = resolveCrossing(options, held.isolation, context);
  return { ...options, ...held, threads, ...crossing, choose: options.choose ?? usual };
}

const WORKER = {
  data: (_option, value) => value,
  env: optional(environment),
  argv: optional(texts),
  execArgv: optional(texts),
  cwd: optional(text),
  resourceLimits: optional(resourceLimits),
  recycle: group({ afterTasks: limitFrom(1), aboveMemoryMiB: limitFrom(1) }),
  startTimeoutMs: (option, value = 10_000) => duration(option, value, 1) ?? MAX_TIMER_MS,
} satisfies Readonly<Record<keyof WorkerOptions, Check<unknown>>>;

/** Validates changes of a pool; undefined: the option stays as it is. Throws ERR_OPTION. */
export function checkChanges(
  given: unknown,
  { dispatch, isolation, fixedSize }: Pick<ResolvedOptions, 'dispatch' | 'isolation' | 'fixedSize'>,
  { platform, choices }: { readonly platform: ThreadContext; readonly choices: readonly string[] },
) {
  const taken = `no strategy with dispatch '${dispatch}': workers take tasks by themselves`;
  return checked('changes', given, {
    threads: optional((option, value) =>
      fixedSize === undefined ? resolveThreads(platform, value) : reject(option, NO_SIZE, value),
    ),
    choose: optional((option, value) =>
      dispatch === 'shared-queue' ? reject(option, taken, value) : oneOf(option, value, choices),
    ),
    placement: optional((option, value) =>
      isolation === 'process' ? placementOfProcesses(option, value) : placementName(option, value),
    ),
    queue: group({ limit: optional(limitFrom(0)) }),
  } satisfies Readonly<Record<keyof PoolChanges, Check<unknown>>>);
}

/** Resolves how tasks cross, and who decides where they go: what the code leaves open, the environment or the default decides. */
function resolveCrossing(
  { transport, dispatch, choose }: CheckedOptions,
  isolation: 'thread' | 'process',
  context: OptionContext,
) {
  const { choices, hasSharedMemory } = context;
  const way = transport ?? fromEnvironment(context, 'THREADWISE_TRANSPORT', among(TRANSPORTS));
  const wish = dispatch ?? fromEnvironment(context, 'THREADWISE_DISPATCH', among(DISPATCHES));
  if (isolation === 'process') return { transport: 'message', dispatch: 'direct' } as const;
  if (way === 'shared' && !hasSharedMemory)
    reject('transport', "'message': this runtime has no shared memory", way);
  const crossing = hasSharedMemory && way !== 'message' ? 'shared' : 'message';
  const whyNot = (wanted: string): Refusal | undefined => {
    if (wanted === 'shared-queue' && crossing === 'message')
      return ['dispatch', "'direct' with transport 'message'", wanted];
    if (wanted !== 'coordinator') return undefined;
    if (!hasSharedMemory) return ['dispatch', "'direct': this runtime has no shared memory", wanted];
    if (choose === undefined || context.builtInName(choose) !== undefined) return undefined;
    const known = `one of ${choices.join(', ')} with dispatch 'coordinator': it is a thread of its own`;
    return ['choose', known, choose];
  };
  const why = dispatch && whyNot(dispatch);
  if (why !== undefined) reject(...why);
  // With 'shared-queue' workers take tasks by themselves, and no strategy is asked.
  const usual = crossing === 'shared' && choose === undefined ? 'shared-queue' : 'direct';
  const wanted = wish ?? usual;
  return { transport: crossing, dispatch: whyNot(wanted) === undefined ? wanted : 'direct' } as const;
}

function among<T extends string>(known: readonly T[]): Check<T> {
  return (option, value) => oneOf(option, value, known);
}

/** `threads`, or the environment's THREADWISE_THREADS where the code leaves it open. */
function resolveThreads(context: ThreadContext, given: unknown = 'auto'): SizeBounds {
  const boundsIn = (option: string, value: string) => {
    if (value === 'auto') return undefined;
    const match = /^(\d+)(?:-(\d+))?$/.exec(value) ?? reject(option, "'auto', 'n' or 'min-max'", value);
    const [min, max] = match.slice(1).map(Number);
    return threadBounds(option, match[2] === undefined ? min : { min, max }, context);
  };
  const own = given === 'auto' ? fromEnvironment(context, 'THREADWISE_THREADS', boundsIn) : undefined;
  return own ?? threadBounds('threads', given, context);
}

/** A number or bounds of threads, or 'auto', checked. Also used by `pool.resize`. */
export function threadBounds(option: string, given: unknown, context: ThreadLimits): SizeBounds {
  if (typeof given === 'number') {
    const n = integer(option, given, 1, MAX_THREADS);
    return { min: n, max: n, cores: n };
  }
  const cores = Math.min(MAX_THREADS, context.availableThreads());
  if (given === 'auto') {
    const max = Math.max(cores, Math.min(MAX_THREADS, context.threadCeiling()));
    return { min: 1, max, cores, usualMax: cores };
  }
  if (!isObject(given)) return reject(option, "a number, { min, max } or 'auto'", given);
  const from = (least: number) => optional((name, value) => integer(name, value, least, MAX_THREADS));
  const { min = 1, max = Math.max(min, cores) } = checked(option, given, { min: from(0), max: from(1) });
  if (min > max) return reject(option, 'min not larger than max', `${min} > ${max}`);
  return { min, max, cores };
}

function strategy(option: string, given: unknown, choices: readonly string[]) {
  if (typeof given === 'function') return given as ChooseFunction;
  if (typeof given === 'string') return oneOf(option, given, choices);
  if (typeof (given as Choice | null)?.choose === 'function') return given as Choice;
  return reject(option, 'a strategy, its name, or a function', given);
}

/** Checks a whole number from `min` on; Infinity, or nothing, means no limit. */
function limitFrom(min: number): Check<number> {
  return (option, value = Number.POSITIVE_INFINITY) =>
    value === Number.POSITIVE_INFINITY ? value : integer(option, value, min, Number.MAX_SAFE_INTEGER);
}

/** An object of variables, or the runtime's own symbol for sharing the parent's. */
function environment(option: string, value: unknown): unknown {
  if (typeof value === 'symbol' || isObject(value)) return value;
  return reject(option, 'an object or SHARE_ENV', value);
}

function resourceLimits(option: string, given: unknown): Readonly<Record<string, number>> {
  const known = ['maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb', 'codeRangeSizeMb', 'stackSizeMb'];
  const limits = record(option, given, known);
  for (const [key, value] of Object.entries(limits)) {
    if (value === undefined) delete limits[key];
    else if (finite(`${option}.${key}`, value) <= 0)
      reject(`${option}.${key}`, 'a number above 0 (MiB)', value);
  }
  return limits as Record<string, number>;
}

/** Bound, or a function would run in the context of whichever call its worker was started for. */
function hostFunctions(option: string, given: unknown = {}, { bind }: Pick<Platform, 'bind'>) {
  if (!isObject(given)) return reject(option, 'an object of functions', given);
  return new Map(Object.entries(given).map(([name, fn]) => [name, bind(callback(`${option}.${name}`, fn))]));
}
