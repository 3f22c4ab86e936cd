/** What was measured of a function. Plain JSON; durations in milliseconds, memory in bytes, rates in calls a second, shares from 0 to 1. */
import type { Ending } from '../../../experiment/child.js';
import type { Measured } from '../../../experiment/session.js';
import type { Series, Spread } from '../../../experiment/statistics.js';

export interface Subject {
  readonly module: string;
  /** Whether it is CommonJS, and so the code to paste beside it. */
  readonly isCommonJs?: boolean | undefined;
  readonly export: string;
  readonly inputs: { readonly count: number; readonly used: number; readonly how: string };
}

/** What the function does besides computing, as it is before the first call. Texts are messages for people. */
export function newBehaviour() {
  return {
    returnsPromise: false,
    failures: { calls: 0, failed: 0, first: undefined as string | undefined },
    /** After how many milliseconds a call that did not settle was given up. */
    neverSettled: undefined as number | undefined,
    /** How a call ended its process. */
    ended: undefined as Ending | undefined,
    /** The number, from 1, of the input of the call that ended its process or did not settle; undefined: not known. */
    atInput: undefined as number | undefined,
    /** How a call in a worker ended it or the process, though not on the main thread: code that only the main thread may run. */
    endedInWorker: undefined as Ending | undefined,
    /** Why its module does not load in a worker, or every call fails there, though not on the main thread. */
    failsInWorker: undefined as string | undefined,
    /** Whether the same input gave the same result when it was given again. */
    repeats: 'unknown' as 'same' | 'different' | 'unknown',
    remembers: false, // whether calls with inputs that came before were far sooner over
    changesItsArgument: false,
    /** Why its arguments, or its results, cannot cross. */
    uncloneable: { argument: undefined as string | undefined, result: undefined as string | undefined },
    /** Whether its results are iterators, such as that of a generator: they cannot cross, but their values can, one by one. */
    returnsStream: false,
    hasSetup: false,
    /** The classes whose instances in results arrive as plain objects in another thread; `Buffer`, which arrives as a Uint8Array. */
    plainClasses: [] as readonly string[],
  };
}

export type Samples = Readonly<ReturnType<typeof newSamples>> & Measured;

export function newSamples(subject: Subject, machine: Measured['machine']) {
  return {
    subject,
    machine,
    behaviour: newBehaviour(),
    /** The samples of the calling thread, without a pool. */
    inline: {
      /** The first call of all, with code that was not compiled. */
      coldMs: undefined as number | undefined,
      bytesIn: undefined as Spread | undefined,
      bytesOut: undefined as Spread | undefined,
      /** Times of single warm calls; means of many where calls are too short to be timed singly. */
      callMs: undefined as Spread | undefined,
      /** Rate of each round, over all inputs that are used. */
      rate: NOTHING,
      /** CPU time of a call, mean of each round. */
      cpuMs: NOTHING,
      /** How late a timer was, 99th percentile of each round. */
      loopDelayMs: NOTHING,
      /** Share of the time that went into collecting garbage, of each round. */
      garbageShare: NOTHING,
      /** How many cores the calls used or waited for, mean of each round; not a number where the system does not tell. */
      wantedCores: NOTHING,
      /** Mean time of a call by size of the input, smallest first; empty where all are about as large. */
      bySize: [] as readonly { readonly bytes: number; readonly ms: Series }[],
      residentBytes: undefined as number | undefined,
    },
    /** The samples of the library's pool, one for each number of threads, ascending; all other options have their defaults. */
    threads: [] as readonly PoolSamples[],
    /** Other ways of calling the pool, each with as many threads as cores. */
    variants: [] as readonly VariantSamples[],
    /**
     * Calls that do nothing, on each transport, with values as large as the function's own: the CPU time of one, all threads together, with
     * many outstanding, and the time of one at a time.
     */
    crossings: [] as readonly {
      readonly transport: Transport;
      readonly cpuMs: Series;
      readonly loneMs: Series;
    }[],
    /** Rates of tasks that only compute, on values as large as the function's own, shortest first: they give the break-even. Measured in turn. */
    spins: [] as readonly { readonly runMs: number; readonly inline: Series; readonly pool: Series }[],
    /** Rates by numbers of cores and threads; empty where no process can be bound to fewer cores. */
    cores: [] as readonly { readonly cores: number; readonly threads: number; readonly rate: Series }[],
    /** How long a worker takes from its start until it has loaded the module; resident memory that one more takes, with the module loaded. */
    start: undefined as { readonly readyMs: Series; readonly bytesPerThread: Series } | undefined,
    /** Rates of the very same run on the calling thread, before everything else and after it: what differs is noise. */
    control: { before: NOTHING, after: NOTHING },
  };
}

const NOTHING: Series = [];

/** Each of these figures is measured once in every round. */
export const POOL_SERIES = [
  'rate',
  /** CPU time of a call, all threads together. */
  'cpuMs',
  'loopDelayMs',
  /** Share of the time in which the calling thread's event loop was busy. */
  'mainUtilization',
  /** Share of the workers' time in which they ran tasks. */
  'busyShare',
  'residentBytes',
  /** How many cores its threads had or waited for, on average; not a number where the system does not tell. */
  'wantedCores',
] as const;

export type PoolSamples = Readonly<Record<(typeof POOL_SERIES)[number], Series>> & {
  readonly threads: number;
};

/** auto: `placement: 'auto'`. batch: several inputs a call. lease: the caller reads a file into shared memory. read: the worker reads it. */
export type VariantName = 'auto' | 'batch' | 'lease' | 'read';

/** `size`: how many inputs in one call, of 'batch', and of 'read' where calls are short. */
export type VariantSamples = PoolSamples & { readonly name: VariantName; readonly size?: number };

export const TRANSPORTS = ['shared', 'message'] as const;

export type Transport = (typeof TRANSPORTS)[number];
