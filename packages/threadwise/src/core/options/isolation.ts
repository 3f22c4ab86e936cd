/** Which options go with workers in processes, and which do not. */
import { checked, fromEnvironment, integer, oneOf, optional, reject } from './checks.js';
import type { CheckedOptions, OptionContext } from './options.js';

const WITH = "with isolation 'process'";
/** What is expected of `threads` where `isolation` says how many workers there are. */
export const NO_SIZE = 'nothing with isolation { processes, threads }, which says how many workers there are';
/** The limits that can be set for the heap of a process, too. */
const LIMITS = ['maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb'];
/** The most workers of a pool. A bound against mistakes: a thread costs megabytes, and nothing gains from more. */
export const MAX_THREADS = 1024;

const ISOLATIONS = ['thread', 'process'] as const;

/** What holds workers, and how they are divided among processes, if these do. */
export interface Holders {
  readonly holder: (typeof ISOLATIONS)[number];
  /** How many processes; undefined: as many as the workers need. */
  readonly processes: number | undefined;
  /** Workers per process. */
  readonly threads: number;
}

const THREADS: Holders = { holder: 'thread', processes: undefined, threads: 1 };

export function isolationOf(option: string, value: unknown): Holders {
  if (typeof value !== 'object') return { ...THREADS, holder: oneOf(option, value, ISOLATIONS) };
  const number = (name: string, count: unknown) => integer(name, count, 1, MAX_THREADS);
  const { processes, threads } = checked(option, value, { processes: optional(number), threads: number });
  if ((processes ?? 1) * threads > MAX_THREADS)
    return reject(option, `at most ${MAX_THREADS} workers`, `${processes} × ${threads}`);
  return { holder: 'process', processes, threads };
}

/** THREADWISE_ISOLATION: one of the names, or 'process:2' for two threads in each process. */
function isolationOfText(option: string, value: string): Holders {
  const threads = /^process:(\d+)$/.exec(value)?.[1];
  if (threads !== undefined) return isolationOf(option, { threads: Number(threads) });
  if (ISOLATIONS.some((name) => name === value)) return isolationOf(option, value);
  return reject(option, "'thread', 'process', or 'process:2' for two threads in each process", value);
}

/** What the code says, else what THREADWISE_ISOLATION says if the other options allow that. Throws ERR_OPTION. */
export function resolveIsolation(options: CheckedOptions, context: OptionContext) {
  const { isolation, worker } = options;
  const wanted = isolation ?? fromEnvironment(context, 'THREADWISE_ISOLATION', isolationOfText) ?? THREADS;
  const why = wanted.holder === 'process' ? whyNot(options, context) : undefined;
  if (isolation !== undefined && why !== undefined) return reject(...why);
  const { holder, processes, threads } = why === undefined ? wanted : THREADS;
  if (holder === 'thread' && worker.cwd !== undefined)
    return reject('worker.cwd', "nothing with isolation 'thread': threads share one", worker.cwd);
  return {
    isolation: holder,
    /** How workers are divided among processes. */
    division: { processes: processes ?? Number.POSITIVE_INFINITY, threads },
    /** How many workers there always are; undefined: another option says how many. */
    fixedSize: processes && processes * threads,
  };
}

export type Refusal = readonly [option: string, expected: string, value: unknown];

/** Why workers cannot be in processes, if they cannot. */
function whyNot(
  { isolation, threads, transport, dispatch, placement, worker }: CheckedOptions,
  { noProcesses }: OptionContext,
): Refusal | undefined {
  const { env, resourceLimits = {} } = worker;
  const where = noProcesses();
  if (where !== undefined) return ['isolation', `'thread' ${where}`, isolation?.holder];
  if (isolation?.processes !== undefined && threads !== undefined) return ['threads', NO_SIZE, threads];
  if (transport === 'shared') return ['transport', `'message' ${WITH}: processes share no memory`, transport];
  if (dispatch !== undefined && dispatch !== 'direct') return ['dispatch', `'direct' ${WITH}`, dispatch];
  if (placement !== 'threads') return ['placement', `'threads' ${WITH}`, placement];
  if (typeof env === 'symbol') return ['worker.env', `an object ${WITH}`, env];
  const limit = Object.keys(resourceLimits).find((key) => !LIMITS.includes(key));
  return limit === undefined ? undefined : ['worker.resourceLimits', `${LIMITS.join(', ')} ${WITH}`, limit];
}

export function placementOfProcesses(option: string, value: unknown): 'threads' {
  return value === 'threads' ? value : reject(option, `'threads' ${WITH}`, value);
}
