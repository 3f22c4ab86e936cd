/**
 * Simulated measurements of a function, a machine and a pool: rates follow from what each part of them can do, and noise is added from a
 * seed. It shares no arithmetic with the analysis, which has to find the model again.
 */
import type { Series } from '../../../experiment/statistics.js';
import { noiseFrom, QUIET } from './noise.test.fake.js';
import { newBehaviour, newSamples, type PoolSamples, type Samples } from './samples.js';

const PLAIN = {
  /** How long one call takes alone, without a pool. */
  runMs: 3,
  /** The share of `runMs` in which the call computes. */
  computing: 1,
  isPromise: false,
  /** How many calls are in progress at a time without a pool: 1, or more for promises. */
  atOnce: 1,
  /** CPU time that handing over costs, and the part of it on the calling thread. */
  crossingMs: 0.004,
  mainMs: 0.002,
  cores: 2,
  /** The share of a call's work that cannot run at the same time as that of another. */
  serial: 0,
  /** How many calls at a time memory can feed at full speed. */
  memory: Number.POSITIVE_INFINITY,
  threads: [1, 2] as readonly number[],
  spinMs: [0.001, 0.003, 0.01, 0.03, 0.1] as readonly number[],
  /** Replaces the arithmetic: the gain of each number of threads. */
  gainWith: undefined as ((threads: number) => number) | undefined,
  rounds: 9,
  /** How many control runs there are before, and as many after. */
  controls: 4,
  /** How many other programs there are, each of which wants a core all the time. */
  others: 0,
  /** By which factor other programs raise the CPU time of handing over. */
  dearer: 1,
  ...QUIET,
};

export type Model = Readonly<typeof PLAIN>;

export function model(changes: Partial<Model> = {}): Model {
  return { ...PLAIN, ...changes };
}

/** What would be measured without noise and without other programs. */
export interface Truth {
  /** Calls a second. */
  readonly inline: number;
  /** The gain of the best number of threads over one thread that is used as well as it can be. */
  readonly gain: number;
}

export function truthOf(given: Model): Truth {
  const alone = given.isPromise ? 1000 / cpuOf(given) : inlineRate({ ...given, others: 0 });
  const free = { ...given, others: 0 };
  const best = Math.max(...given.threads.map((threads) => poolRate(free, threads)));
  return { inline: inlineRate(free), gain: best / alone };
}

function cpuOf({ runMs, computing }: Model): number {
  return runMs * computing;
}

function inlineRate(given: Model): number {
  const perMs = Math.min(given.atOnce / given.runMs, 1 / cpuOf(given));
  return 1000 * perMs * shareBeside(given, perMs * cpuOf(given));
}

/** CPU milliseconds of a call, which grow where more calls read memory than it can feed. */
function stretched(given: Model, threads: number): number {
  const atATime = Math.min(threads, given.cores);
  return cpuOf(given) * Math.max(1, atATime / given.memory);
}

/** How many milliseconds a call holds its worker. */
function heldMs(given: Model, threads: number): number {
  return given.runMs - cpuOf(given) + stretched(given, threads) + given.crossingMs - given.mainMs;
}

/** Calls per millisecond that so many workers can make. */
function byWorkers(given: Model, threads: number): number {
  return threads / (1 + (threads - 1) * given.serial) / heldMs(given, threads);
}

/** Calls per second, as many as the slowest of workers, calling thread and cores can do. */
function poolRate(given: Model, threads: number): number {
  if (given.gainWith !== undefined) return inlineRate(given) * given.gainWith(threads);
  const byMain = 1 / given.mainMs;
  const taken = 1 + 0.02 * Math.max(0, threads - given.cores);
  const byCores = given.cores / (stretched(given, threads) + given.crossingMs) / taken;
  const perMs = Math.min(byWorkers(given, threads), byMain, byCores);
  return 1000 * perMs * shareBeside(given, perMs * (stretched(given, threads) + given.crossingMs));
}

/** The share of its work that a program which wants `busy` cores gets done beside others: each thread gets an equal part of the cores. */
function shareBeside({ cores, others }: Model, busy: number): number {
  return Math.min(1, cores / Math.max(1, busy + others));
}

/** The share of all cores' time that other programs had beside one that wants `busy` cores. */
function takenBeside(given: Model, busy: number): number {
  const { cores, others } = given;
  return Math.min(others, cores - busy * shareBeside(given, busy)) / cores;
}

const SUBJECT = { module: 'tasks.js', export: 'work', inputs: { count: 100, used: 100, how: 'all' } };

/** The samples as they are measured, beside other programs. */
export function simulate(free: Model, changes: Partial<Samples> = {}): Samples {
  const { dearer } = free;
  const given = { ...free, crossingMs: free.crossingMs * dearer, mainMs: free.mainMs * dearer };
  const noise = noiseFrom(given);
  const repeat = (value: number): Series => noise.rounds(given.rounds, value);
  const calm = (value: number): Series => noise.calm(given.rounds, value);
  const cpuMs = cpuOf(given);
  return {
    ...newSamples(SUBJECT, machineOf(given)),
    behaviour: { ...WELL_BEHAVED, returnsPromise: given.isPromise },
    inline: {
      coldMs: 4 * given.runMs,
      callMs: spreadOf(given.runMs),
      rate: repeat(inlineRate(given)),
      cpuMs: calm(cpuMs),
      loopDelayMs: repeat(given.runMs),
      garbageShare: calm(0.01),
      wantedCores: calm(1),
      bytesIn: spreadOf(1024),
      bytesOut: spreadOf(32),
      bySize: [],
      residentBytes: 60 * 2 ** 20,
    },
    threads: given.threads.map((threads): PoolSamples => {
      const rate = poolRate(given, threads);
      const callMs = stretched(given, threads) + given.crossingMs;
      return {
        threads,
        rate: repeat(rate),
        cpuMs: calm(callMs),
        loopDelayMs: repeat(given.mainMs),
        mainUtilization: calm(Math.min(1, (rate * given.mainMs) / 1000)),
        busyShare: calm(Math.min(1, (rate * heldMs(given, threads)) / 1000 / threads)),
        residentBytes: calm((60 + 12 * threads) * 2 ** 20),
        wantedCores: calm(Math.min(byWorkers(given, threads), 1 / given.mainMs) * callMs),
      };
    }),
    crossings: [{ transport: 'shared', cpuMs: calm(given.crossingMs), loneMs: repeat(0.02) }],
    spins: given.spinMs.map((runMs) => {
      const spin = { ...given, runMs, computing: 1, atOnce: 1, serial: 0, memory: Number.POSITIVE_INFINITY };
      return { runMs, inline: repeat(inlineRate(spin)), pool: repeat(poolRate(spin, given.cores)) };
    }),
    start: { readyMs: repeat(30), bytesPerThread: calm(12 * 2 ** 20) },
    control: {
      before: noise.rounds(given.controls, inlineRate(given)),
      after: noise.rounds(given.controls, inlineRate(given)),
    },
    skipped: [],
    isCutShort: false,
    ...changes,
  };
}

function machineOf(given: Model): Samples['machine'] {
  const { cores, others } = given;
  return {
    ...(others > 0 ? { othersShare: takenBeside(given, 1) } : {}),
    cpu: 'a processor',
    cores,
    availableThreads: cores,
    memoryBytes: 8 * 2 ** 30,
    node: 'v20.20.2',
    platform: 'linux-x64',
    loadBefore: 0.1 + others,
  };
}

export const WELL_BEHAVED: Samples['behaviour'] = {
  ...newBehaviour(),
  failures: { calls: 100, failed: 0, first: undefined },
  repeats: 'same',
};

export function spreadOf(value: number): NonNullable<Samples['inline']['callMs']> {
  return { count: 100, mean: value, p50: value, p90: value, p99: value, max: value };
}
