/** Which options go with workers in processes, and which do not. */
import { checked, integer, oneOf, optional, reject } from './checks.js';

const WITH = "with isolation 'process'";
const NO_SIZE = 'nothing with isolation { processes, threads }, which says how many workers there are';
/** What a process can be told of its heap, and a thread of its own memory. */
const LIMITS = ['maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb'];

/** The options that isolation has to do with, checked one by one. */
interface Given {
  readonly isolation: Wanted | undefined;
  /** The option as it was given. */
  readonly threads: unknown;
  readonly transport: string | undefined;
  readonly dispatch: string | undefined;
  readonly placement: string;
  readonly worker: {
    readonly env: unknown;
    readonly cwd: string | undefined;
    readonly resourceLimits: Readonly<Record<string, number>> | undefined;
  };
}

const ISOLATIONS = ['thread', 'process'] as const;

/** What holds workers; and of processes, how they are divided among them. */
interface Wanted {
  readonly holder: (typeof ISOLATIONS)[number];
  /** Undefined: as many as it takes. */
  readonly processes: number | undefined;
  /** Workers of one process. */
  readonly threads: number;
}

const THREADS: Wanted = { holder: 'thread', processes: undefined, threads: 1 };

/** What holds the workers of a pool. */
export interface Isolation {
  readonly isolation: Wanted['holder'];
  /** The division of workers among processes. */
  readonly division: { readonly processes: number; readonly threads: number };
  /** How many workers there always are; undefined: that is another option. */
  readonly fixedSize: number | undefined;
}

/** @param most workers of a pool */
export function isolationOf(option: string, value: unknown, most: number): Wanted {
  if (typeof value !== 'object') return { ...THREADS, holder: oneOf(option, value, ISOLATIONS) };
  const number = (name: string, count: unknown) => integer(name, count, 1, most);
  const { processes, threads } = checked(option, value, { processes: optional(number), threads: number });
  if ((processes ?? 1) * threads > most)
    return reject(option, `at most ${most} workers`, `${processes} × ${threads}`);
  return { holder: 'process', processes, threads };
}

/** THREADWISE_ISOLATION: one of the names, or 'process:2' for two threads in each process. */
export function isolationOfText(option: string, value: string, most: number): Wanted {
  const threads = /^process:(\d+)$/.exec(value)?.[1];
  return isolationOf(option, threads === undefined ? value : { threads: Number(threads) }, most);
}

/**
 * What the code says, or else the environment (THREADWISE_ISOLATION), as far as the other options allow. Throws ERR_OPTION.
 * @param fromEnvironment what a variable says
 */
export function resolveIsolation(
  given: Given,
  { hasProcesses }: { readonly hasProcesses: boolean },
  fromEnvironment: (name: string) => Wanted | undefined,
): Isolation {
  const { isolation, worker } = given;
  const why = hasProcesses
    ? whyNot(given)
    : refusal('isolation', "'thread' on this system", isolation?.holder);
  if (isolation?.holder === 'process' && why !== undefined) return reject(...why);
  const wanted = isolation ?? fromEnvironment('THREADWISE_ISOLATION') ?? THREADS;
  const { holder, processes, threads } = why === undefined ? wanted : THREADS;
  if (holder === 'thread' && worker.cwd !== undefined)
    reject('worker.cwd', `nothing ${WITH.replace('process', 'thread')}: threads share one`, worker.cwd);
  const division = { processes: processes ?? Number.POSITIVE_INFINITY, threads };
  return { isolation: holder, division, fixedSize: processes && processes * threads };
}

type Refusal = readonly [option: string, expected: string, value: unknown];

const refusal = (...of: Refusal): Refusal => of;

function whyNot({ isolation, threads, transport, dispatch, placement, worker }: Given): Refusal | undefined {
  const { env, resourceLimits = {} } = worker;
  if (isolation?.processes !== undefined && threads !== undefined)
    return refusal('threads', NO_SIZE, threads);
  if (transport === 'shared')
    return refusal('transport', `'message' ${WITH}: processes share no memory`, transport);
  if (dispatch !== undefined && dispatch !== 'direct')
    return refusal('dispatch', `'direct' ${WITH}`, dispatch);
  if (placement !== 'threads') return refusal('placement', `'threads' ${WITH}`, placement);
  if (typeof env === 'symbol') return refusal('worker.env', `an object ${WITH}`, env);
  const limit = Object.keys(resourceLimits).find((key) => !LIMITS.includes(key));
  return limit === undefined
    ? undefined
    : refusal('worker.resourceLimits', `${LIMITS.join(', ')} ${WITH}`, limit);
}

export function placementOfProcesses(option: string, value: unknown): 'threads' {
  return value === 'threads' ? value : reject(option, `'threads' ${WITH}`, value);
}

export function sizeOfProcesses(option: string, value: unknown): never {
  return reject(option, NO_SIZE, value);
}
