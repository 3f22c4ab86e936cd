/**
 * Measurements of a function, a machine and a pool that do not exist: how many calls end in a second follows from what each part
 * of them can do, and noise is added from a seed. It shares nothing with the analysis, which has to find the model again.
 */
import type { Series } from '../../../experiment/statistics.js';
import { type Noise, noiseFrom } from './noise.test.fake.js';
import type { PoolSamples, Samples } from './samples.js';

export interface Model extends Noise {
  /** One call alone, without a pool. */
  readonly runMs: number;
  /** Of `runMs`, the share in which it computes. */
  readonly computing: number;
  readonly isPromise: boolean;
  /** Of those, so many are under way at a time without a pool: 1, or more for promises. */
  readonly atOnce: number;
  /** CPU time that handing over costs, and the part of it on the calling thread. */
  readonly crossingMs: number;
  readonly mainMs: number;
  readonly cores: number;
  /** Of a call's work, the share that does not run beside that of another. */
  readonly serial: number;
  /** So many calls at a time can memory feed at full speed. */
  readonly memory: number;
  readonly threads: readonly number[];
  readonly spinMs: readonly number[];
  /** Takes the place of all arithmetic: how many times as many calls with so many threads. */
  readonly gainWith: ((threads: number) => number) | undefined;
  readonly rounds: number;
  /** Control runs before, and as many after. */
  readonly controls: number;
  /** Other programs, each of which wants a core all the time. */
  readonly others: number;
  /** How many times as much CPU time handing over costs beside them. */
  readonly dearer: number;
}

const PLAIN: Model = {
  runMs: 3,
  computing: 1,
  isPromise: false,
  atOnce: 1,
  crossingMs: 0.004,
  mainMs: 0.002,
  cores: 2,
  serial: 0,
  memory: Number.POSITIVE_INFINITY,
  threads: [1, 2],
  spinMs: [0.001, 0.003, 0.01, 0.03, 0.1],
  gainWith: undefined,
  rounds: 9,
  controls: 4,
  others: 0,
  dearer: 1,
  noise: 0,
  drift: 0,
  outliers: 0,
  seed: 1,
};

export function model(changes: Partial<Model> = {}): Model {
  return { ...PLAIN, ...changes };
}

/** What would be measured without noise, for as long as one likes. */
export interface Truth {
  /** Calls a second. */
  readonly inline: number;
  /** Of the best number of threads: how many times as many calls as one thread could make, however well it is used. */
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

/** Each call takes longer where more of them read memory than it can feed. */
function stretched(given: Model, threads: number): number {
  const atATime = Math.min(threads, given.cores);
  return cpuOf(given) * Math.max(1, atATime / given.memory);
}

/** For how long a call holds its worker. */
function heldMs(given: Model, threads: number): number {
  return given.runMs - cpuOf(given) + stretched(given, threads) + given.crossingMs - given.mainMs;
}

/** Calls per millisecond that so many workers can make. */
function byWorkers(given: Model, threads: number): number {
  return threads / (1 + (threads - 1) * given.serial) / heldMs(given, threads);
}

/** What the slowest of workers, calling thread and cores can do. */
function poolRate(given: Model, threads: number): number {
  if (given.gainWith !== undefined) return inlineRate(given) * given.gainWith(threads);
  const byMain = 1 / given.mainMs;
  const taken = 1 + 0.02 * Math.max(0, threads - given.cores);
  const byCores = given.cores / (stretched(given, threads) + given.crossingMs) / taken;
  const perMs = Math.min(byWorkers(given, threads), byMain, byCores);
  return 1000 * perMs * shareBeside(given, perMs * (stretched(given, threads) + given.crossingMs));
}

/** What a program that keeps so many cores busy does of it beside others: each thread gets an equal part of what there is. */
function shareBeside({ cores, others }: Model, busy: number): number {
  return Math.min(1, cores / Math.max(1, busy + others));
}

/** Of the time of all cores, what other programs had beside one that keeps so many busy. */
function takenBeside(given: Model, busy: number): number {
  const { cores, others } = given;
  return Math.min(others, cores - busy * shareBeside(given, busy)) / cores;
}

/** As it is measured: beside other programs. */
export function simulate(free: Model, changes: Partial<Samples> = {}): Samples {
  const { dearer } = free;
  const given = { ...free, crossingMs: free.crossingMs * dearer, mainMs: free.mainMs * dearer };
  const noise = noiseFrom(given);
  const repeat = (value: number): Series => noise.rounds(given.rounds, value);
  const calm = (value: number): Series => noise.calm(given.rounds, value);
  const cpuMs = cpuOf(given);
  return {
    subject: { module: 'tasks.js', export: 'work', inputs: { count: 100, used: 100, how: 'all' } },
    machine: machineOf(given),
    behaviour: { ...WELL_BEHAVED, returnsPromise: given.isPromise },
    inline: {
      coldMs: 4 * given.runMs,
      callMs: spreadOf(given.runMs),
      rate: repeat(inlineRate(given)),
      cpuMs: calm(cpuMs),
      loopDelayMs: repeat(given.runMs),
      garbageShare: calm(0.01),
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
    variants: [],
    crossings: [{ transport: 'shared', cpuMs: calm(given.crossingMs), loneMs: repeat(0.02) }],
    spins: given.spinMs.map((runMs) => {
      const spin = { ...given, runMs, computing: 1, atOnce: 1, serial: 0, memory: Number.POSITIVE_INFINITY };
      return { runMs, inline: repeat(inlineRate(spin)), pool: repeat(poolRate(spin, given.cores)) };
    }),
    cores: [],
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
  returnsPromise: false,
  failures: { calls: 100, failed: 0, first: undefined },
  neverSettled: undefined,
  ended: undefined,
  endedInWorker: undefined,
  repeats: 'same',
  changesItsArgument: false,
  uncloneable: { argument: undefined, result: undefined },
  hasSetup: false,
  plainClasses: [],
};

export function spreadOf(value: number): NonNullable<Samples['inline']['callMs']> {
  return { count: 100, mean: value, p50: value, p90: value, p99: value, max: value };
}
