/**
 * What was measured of a user's function: all that the analysis knows. Plain JSON. Durations in milliseconds, memory in
 * bytes, rates in calls per second; a share is from 0 to 1.
 */
import type { Ending } from '../../../experiment/child.js';
import type { Measured } from '../../../experiment/session.js';
import type { Series, Spread } from '../../../experiment/statistics.js';

export interface Samples extends Measured {
  readonly subject: Subject;
  readonly behaviour: Behaviour;
  /** On the calling thread, without a pool. */
  readonly inline: InlineSamples;
  /** The samples of the library's pool, one for each number of threads, ascending; all other options have their defaults. */
  readonly threads: readonly PoolSamples[];
  /** Other ways of calling the pool, each with as many threads as cores. */
  readonly variants: readonly VariantSamples[];
  /** What a call costs beside running, for each way of crossing, with values as large as the function's own. */
  readonly crossings: readonly CrossingSamples[];
  /** Tasks that do nothing but compute for a given time, with values as large as the function's own, shortest first: where crossing begins to pay. */
  readonly spins: readonly SpinSamples[];
  /** With fewer cores; empty where the process cannot be bound to some. */
  readonly cores: readonly CoreSamples[];
  readonly start: StartSamples | undefined;
  /** Rates of the very same run on the calling thread, before everything else and after it: what differs is noise. */
  readonly control: { readonly before: Series; readonly after: Series };
}

export interface Subject {
  /** As the user gave it. */
  readonly module: string;
  readonly export: string;
  readonly inputs: { readonly count: number; readonly used: number; readonly how: string };
}

/** What the function does, beside computing. Text: the error or the value, for people. */
export interface Behaviour {
  readonly returnsPromise: boolean;
  readonly failures: { readonly calls: number; readonly failed: number; readonly first: string | undefined };
  /** A call did not settle within the time that it was given. Milliseconds. */
  readonly neverSettled: number | undefined;
  /** It ended its process. */
  readonly ended: Ending | undefined;
  /** The same in a worker, though not on the calling thread: code that no thread may run beside the main one. */
  readonly endedInWorker: Ending | undefined;
  /** Whether the same input gave the same result when it was given again. */
  readonly repeats: 'same' | 'different' | 'unknown';
  readonly changesItsArgument: boolean;
  /** Why its arguments, or its results, cannot cross. */
  readonly uncloneable: { readonly argument: string | undefined; readonly result: string | undefined };
  readonly hasSetup: boolean;
  /** The classes whose instances in results arrive as plain objects in another thread. */
  readonly plainClasses: readonly string[];
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Of a function that was not called yet. */
export function newBehaviour(): Mutable<Behaviour> {
  return {
    returnsPromise: false,
    failures: { calls: 0, failed: 0, first: undefined },
    neverSettled: undefined,
    ended: undefined,
    endedInWorker: undefined,
    repeats: 'unknown',
    changesItsArgument: false,
    uncloneable: { argument: undefined, result: undefined },
    hasSetup: false,
    plainClasses: [],
  };
}

export interface InlineSamples {
  /** The first call of all, with code that was not compiled. */
  readonly coldMs: number | undefined;
  /** Single calls, once they are warm; for functions of less than a few microseconds, means of many. */
  readonly callMs: Spread | undefined;
  /** Per round, each over all inputs that are used. */
  readonly rate: Series;
  /** CPU time of a call, mean of each round. */
  readonly cpuMs: Series;
  /** How late a timer was, 99th percentile of each round. */
  readonly loopDelayMs: Series;
  /** Share of the time that went into collecting garbage, of each round. */
  readonly garbageShare: Series;
  readonly bytesIn: Spread | undefined;
  readonly bytesOut: Spread | undefined;
  /** Where inputs differ in size: mean time of a call by size, smallest first. */
  readonly bySize: readonly { readonly bytes: number; readonly ms: Series }[];
  readonly residentBytes: number | undefined;
}

/** What each round has one number of. */
export const POOL_SERIES = [
  'rate',
  /** CPU time of a call, all threads together. */
  'cpuMs',
  'loopDelayMs',
  /** Of the calling thread's event loop. */
  'mainUtilization',
  /** Share of the workers' time in which they ran tasks. */
  'busyShare',
  'residentBytes',
  /** How many cores its threads had or waited for, on average; not a number where the system does not tell. */
  'wantedCores',
] as const;

export interface PoolSamples extends Readonly<Record<(typeof POOL_SERIES)[number], Series>> {
  readonly threads: number;
}

/**
 * auto: `placement: 'auto'`. batch: so many inputs in one call. lease: bytes in memory that is shared already. read: the
 * worker reads what the caller would read and send.
 */
export type VariantName = 'auto' | 'batch' | 'lease' | 'read';

export interface VariantSamples extends PoolSamples {
  readonly name: VariantName;
  /** How many inputs in one call: of 'batch', and of 'read' where calls are short. */
  readonly size?: number;
}

export const TRANSPORTS = ['shared', 'message'] as const;

export interface CrossingSamples {
  readonly transport: (typeof TRANSPORTS)[number];
  /** CPU time of a call that does nothing, all threads together, calls outstanding. */
  readonly cpuMs: Series;
  /** Time of a call that does nothing, one at a time. */
  readonly loneMs: Series;
}

interface SpinSamples {
  readonly runMs: number;
  /** In turn, round by round, as everything that is compared. */
  readonly inline: Series;
  readonly pool: Series;
}

export interface CoreSamples {
  readonly cores: number;
  readonly threads: number;
  readonly rate: Series;
}

interface StartSamples {
  /** From its start until a worker has loaded the module. */
  readonly readyMs: Series;
  /** Resident memory that one more worker takes, with the module loaded. */
  readonly bytesPerThread: Series;
}
