/**
 * Other programs on the same cores. Who has more threads gets more of a core that is shared, and a thread that must be woken waits
 * longer there: both change rates, and neither has to do with the function. What changes little is the CPU time of a call.
 */
import { FEWEST_ROUNDS, usableCores } from '../../../experiment/rules.js';
import { type Estimate, estimate, middleOf, pairwise, ratio } from '../../../experiment/statistics.js';
import type { PoolSamples, Samples } from './samples.js';

/**
 * How many times as many calls all cores could make with threads as one of them makes without, if nobody else wanted them and nothing
 * had to be waited for: by the CPU time of a call.
 */
export function byCpuTime(samples: Samples, { cpuMs }: Pick<PoolSamples, 'cpuMs'>): Estimate | undefined {
  const share = ratio(samples.inline.cpuMs, cpuMs);
  if (share === undefined) return undefined;
  const cores = usableCores(samples.machine);
  return { value: cores * share.value, low: cores * share.low, high: cores * share.high };
}

/** What a crossing costs the way that costs least, CPU time; undefined: not measured. Milliseconds. */
export function cheapestOf(crossings: Samples['crossings']): number | undefined {
  const costs = crossings.flatMap(({ cpuMs }) => middleOf(cpuMs) ?? []);
  return costs.length === 0 ? undefined : Math.min(...costs);
}

/** Where others have a larger share, calls were seen to cost thirty times as much to hand over: nothing can be made of what is measured. */
const MOSTLY_OTHERS = 0.25;
/** How many times as much it costs at most where they have less, and in the cheapest of all rounds whatever they had. */
const DEARER = 2;
/**
 * A call of next to nothing costs that much to hand over on a machine that does nothing else, and that much of it on the calling
 * thread; somewhat below what the benchmark `crossing` gives. Milliseconds.
 */
export const LEAST_CROSSING_MS = 0.001;
const LEAST_MAIN_MS = 0.0006;

/** How many times as many calls threads could bring, at the very most, if other programs had not had a part of the cores. */
export function mostWithoutOthers(samples: Samples): number {
  const { othersShare = 1 } = samples.machine;
  if (othersShare > MOSTLY_OTHERS) return mostByRunTime(samples);
  const alone = middleOf(samples.inline.cpuMs) ?? Number.NaN;
  const gains = samples.threads.map(({ cpuMs }) => {
    const withCheaperCrossing = cpuMs.map((ms) => alone + Math.max(0, ms - alone) / DEARER);
    return byCpuTime(samples, { cpuMs: withCheaperCrossing })?.high ?? Number.POSITIVE_INFINITY;
  });
  return Math.max(...gains);
}

/** From the time alone that a call takes on the calling thread: with nothing in the way of threads but a crossing that costs so much. */
export function mostByRunTime(samples: Samples, crossingMs = LEAST_CROSSING_MS): number {
  const { callMs, cpuMs } = samples.inline;
  const cpu = estimate(cpuMs);
  if (callMs === undefined || cpu === undefined) return Number.POSITIVE_INFINITY;
  // A median has not been interrupted by others, and a mean has the calls that take longer.
  const runMs = Math.max(callMs.p50, cpu.high);
  // A call that blocks its thread lets others compute meanwhile.
  return Math.min((usableCores(samples.machine) * runMs) / (cpu.value + crossingMs), runMs / LEAST_MAIN_MS);
}

/** What is to be expected of threads that have all cores to themselves. */
interface OnFreeCores {
  /** How many times as many calls as one core makes without threads, if nothing but cores keeps threads from making more. */
  readonly gain: Estimate;
  /** The same at the very most; of short calls with the cheapest crossing that was seen, less what other programs made even that dearer. */
  readonly most: number;
  /** Several threads did this function's work at a time, and would have all the time, if they had got the cores that they waited for. */
  readonly isParallel: boolean;
  /** CPU time. */
  readonly callMs: number;
  readonly crossingMs: number;
}

/** The share of all rounds that are most like free cores: those in which the threads had most of the cores. */
const MOST_LIKE_IT = 0.25;
/** With fewer cores than that in more than one round, calls hardly ever ran at a time: what they cost then, nobody has seen. */
const OVERLAP = 1.2;
/** From how much CPU time on a call is long. Milliseconds. */
const LONG_MS = 1;

export function onFreeCores(samples: Samples): OnFreeCores | undefined {
  const { callMs, cpuMs } = samples.inline;
  const cpu = estimate(cpuMs);
  const pools = samples.threads.filter(({ threads, rate }) => threads > 1 && rate.length > 1);
  if (cpu === undefined || callMs === undefined || pools.length === 0) return undefined;
  const slices = pools
    .flatMap(({ rate, cpuMs: each }) => each.map((ms, i) => ({ ms, hadCores: (rate[i]! * ms) / 1000 })))
    .filter(({ hadCores }) => Number.isFinite(hadCores))
    .sort((a, b) => b.hadCores - a.hadCores);
  const kept = slices.slice(0, Math.max(FEWEST_ROUNDS, Math.ceil(MOST_LIKE_IT * slices.length)));
  const cores = usableCores(samples.machine);
  const gain = estimate(kept.map(({ ms }) => cores * Math.min(1, cpu.value / ms)));
  if (gain === undefined) return undefined;
  const crossingMs = Math.max(LEAST_CROSSING_MS, Math.min(...slices.map(({ ms }) => ms)) - cpu.high);
  const least = Math.max(LEAST_CROSSING_MS, crossingMs / DEARER);
  // Beside calls that take longer, a dearer crossing is not seen: what they cost with threads is what they cost.
  const most =
    cpu.value < LONG_MS ? mostByRunTime(samples, least) : gain.high * Math.max(1, callMs.p50 / cpu.value);
  const isSeen = (slices[1]?.hadCores ?? 0) >= OVERLAP;
  const isParallel = isSeen && pools.some((pool) => isSeveralAtOnce(pool, cpu.value));
  return { gain, most, isParallel, callMs: cpu.value, crossingMs };
}

/** More calls than one core can make: measuring is not as far off. */
const MORE_THAN_ONE = 1.15;
/** Behind a lock one thread wants a core, and the one that is woken next. */
const BEHIND_LOCK = 2;
const ALMOST = 0.95;

/**
 * The CPU time of a call does not tell that only one at a time can run, behind a lock. What tells: more calls than one core can make; or
 * threads that wanted a core, had it or waited for it, more of them than a lock lets want one: halfway between that and all of them, by factors.
 */
function isSeveralAtOnce(pool: PoolSamples, aloneMs: number): boolean {
  const calls = (middleOf(pool.rate) ?? 0) * (aloneMs / 1000);
  const wanted = middleOf(pool.wantedCores) ?? 0;
  return calls >= MORE_THAN_ONE || wanted >= ALMOST * Math.sqrt(BEHIND_LOCK * pool.threads);
}

/** A call that computes for less of its time mostly waits: whether that decides depends on what threads bring. */
export const MOSTLY_WAITS = 0.5;
/** A single call takes that much longer than one divided by the rate: several were under way at a time. */
const AT_ONCE = 2;

/** Of the running time of a call, the part in which it computes; undefined: not known. */
export function computingShare({ inline, behaviour }: Samples): Estimate | undefined {
  const { rate, cpuMs, callMs } = inline;
  const between = 1000 / (middleOf(rate) ?? 0);
  const isAtOnce = behaviour.returnsPromise && callMs !== undefined && callMs.p50 > AT_ONCE * between;
  return isAtOnce ? estimate(cpuMs.map((ms) => Math.min(1, ms / callMs.p50))) : loopShare({ inline });
}

/** Of the time that the calls took without a pool, the part in which the calling thread computed: the rest is still to be had. */
export function loopShare({ inline: { rate, cpuMs } }: Pick<Samples, 'inline'>): Estimate | undefined {
  return estimate(pairwise(rate, cpuMs, (perSecond, ms) => Math.min(1, (perSecond * ms) / 1000)));
}

/**
 * Whether a call computes for less than that share of its time, and it is not for want of a core: on a busy machine also those
 * wait that only compute.
 */
export function computesLessThan(share: number, samples: Samples): boolean {
  const { cores, loadBefore } = samples.machine;
  const left = Math.min(1, cores / (1 + loadBefore));
  const own = computingShare(samples);
  return own !== undefined && own.high < share * left;
}
