/**
 * What figures mean where other programs use the same cores. A process with more threads gets more of a shared core, and waking a thread
 * takes longer there: both change rates, and neither is due to the function. The CPU time of a call changes little.
 */
import { min } from 'd3-array';
import { FEWEST_ROUNDS, mostCores, usableCores } from '../../../experiment/rules.js';
import { clamp } from '../../../experiment/session.js';
import { estimate, mapped, middleOf, pairwise, ratio } from '../../../experiment/statistics.js';
import type { Estimate } from '../../../experiment/statistics.js';
import type { PoolSamples, Samples } from './samples.js';
import { fastest } from './scaling.js';

/** The gain that all cores could bring with threads, if they were free and nothing had to be waited for: by the CPU time of a call. */
export function byCpuTime(
  samples: Samples,
  { cpuMs }: Pick<PoolSamples, 'cpuMs'>,
  cores = usableCores(samples.machine),
): Estimate | undefined {
  const share = ratio(samples.inline.cpuMs, cpuMs);
  return share && mapped(share, (of) => cores * of);
}

/** CPU milliseconds of a crossing on the cheapest transport; undefined: not measured. */
export function cheapestOf(crossings: Samples['crossings']): number | undefined {
  return min(crossings, ({ cpuMs }) => middleOf(cpuMs));
}

/** The same; undefined also if it is more than a whole call with a crossing takes: then other programs had the cores while it was measured. */
export function crossingMsOf(samples: Samples): number | undefined {
  const crossingMs = cheapestOf(samples.crossings);
  const wholeMs = middleOf(fastest(samples)?.cpuMs ?? []);
  return crossingMs === undefined || crossingMs <= (wholeMs ?? crossingMs) ? crossingMs : undefined;
}

/** Where other programs had a larger share, handing over a call was seen to cost thirty times as much: the figures mean nothing. */
const MOSTLY_OTHERS = 0.25;
/** The factor by which other programs with a smaller share raise the cost of a crossing at most, even in the cheapest of all rounds. */
const DEARER = 2;
/** The least CPU milliseconds of a crossing on an idle machine, in all and on the calling thread; a little below those of the benchmark `crossing`. */
export const LEAST_CROSSING_MS = 0.001;
const LEAST_MAIN_MS = 0.0006;

/** The largest gain that threads could have brought if other programs had not used the cores. */
export function mostWithoutOthers(samples: Samples): number {
  const { othersShare = 1 } = samples.machine;
  if (othersShare > MOSTLY_OTHERS) return mostByRunTime(samples);
  const alone = middleOf(samples.inline.cpuMs) ?? Number.NaN;
  const gains = samples.threads.map(({ cpuMs }) => {
    const withCheaperCrossing = cpuMs.map((ms) => alone + Math.max(0, ms - alone) / DEARER);
    const gain = byCpuTime(samples, { cpuMs: withCheaperCrossing }, mostCores(samples.machine));
    return gain?.high ?? Number.POSITIVE_INFINITY;
  });
  return Math.max(...gains);
}

/** The largest gain by the time of a call on the calling thread alone, if only a crossing of this cost were in the way of threads. */
export function mostByRunTime(samples: Samples, crossingMs = LEAST_CROSSING_MS): number {
  const { callMs, cpuMs } = samples.inline;
  const cpu = estimate(cpuMs);
  if (callMs === undefined || cpu === undefined) return Number.POSITIVE_INFINITY;
  // The larger of two: the median is free of interruptions by other programs, the mean CPU time includes long calls.
  const runMs = Math.max(callMs.p50, cpu.high);
  // Divided by CPU time, since others compute while a call blocks its thread.
  return Math.min((mostCores(samples.machine) * runMs) / (cpu.value + crossingMs), runMs / LEAST_MAIN_MS);
}

/** The share of all rounds that are taken for rounds on free cores: those in which the threads had the most cores. */
const MOST_LIKE_IT = 0.25;
/** Two rounds must have had this many cores: else calls hardly ever ran at the same time, and what they cost then was not seen. */
const OVERLAP = 1.2;
/** How much CPU time makes a call a long one. Milliseconds. */
const LONG_MS = 1;

/**
 * How many free cores the calls would use without a pool, from one to `cores`: more than one where the function computes in threads of its own,
 * as asynchronous functions of `node:zlib` and `node:crypto` do.
 */
function ownCores({ inline }: Samples, cores: number): number {
  const wanted = middleOf(inline.wantedCores) ?? Number.NaN;
  return Number.isFinite(wanted) ? clamp(wanted, 1, cores) : 1;
}

export function onFreeCores(samples: Samples) {
  const { callMs, cpuMs } = samples.inline;
  const cpu = estimate(cpuMs);
  const pools = samples.threads.filter(({ threads, rate }) => threads > 1 && rate.length > 1);
  if (cpu === undefined || callMs === undefined || pools.length === 0) return undefined;
  const slices = pools
    .flatMap(({ rate, cpuMs: each }) =>
      each.map((ms, i) => ({ ms, share: cpuMs[i]! / ms, hadCores: (rate[i]! * ms) / 1000 })),
    )
    .filter(({ share, hadCores }) => Number.isFinite(share + hadCores))
    .sort((a, b) => b.hadCores - a.hadCores);
  const kept = slices.slice(0, Math.max(FEWEST_ROUNDS, Math.ceil(MOST_LIKE_IT * slices.length)));
  const cores = usableCores(samples.machine);
  const own = ownCores(samples, cores);
  // Round by round: what slows down all calls for a while, such as others' use of the memory, changes both figures alike.
  const gain = estimate(kept.map(({ share }) => (cores / own) * Math.min(1, share)));
  if (gain === undefined) return undefined;
  const crossingMs = Math.max(LEAST_CROSSING_MS, Math.min(...slices.map(({ ms }) => ms)) - cpu.high);
  const least = Math.max(LEAST_CROSSING_MS, crossingMs / DEARER);
  const isSeen = (slices[1]?.hadCores ?? 0) >= OVERLAP;
  return {
    /** The gain over the calls without a pool, if only the cores limit the threads. */
    gain,
    /** The most; for short calls by the cheapest crossing seen, part of which may be due to others. A crossing does not matter for long calls. */
    most:
      cpu.value < LONG_MS
        ? mostByRunTime(samples, least)
        : ((gain.high * mostCores(samples.machine)) / cores) * Math.max(1, callMs.p50 / cpu.value),
    /** Whether several threads ran the function at the same time, or would have with all the cores that they waited for. */
    isParallel: isSeen && pools.some((pool) => isSeveralAtOnce(pool, cpu.value)),
    /** Whether the calls would use all of them without a pool. */
    usesAll: own >= cores,
    callMs: cpu.value,
    crossingMs,
    /** The same with threads, crossing included, as the gain has it. */
    pooledMs: ((cores / own) * cpu.value) / gain.value,
  };
}

/** Calls that need this many cores are more than one core can make, beyond any error of measurement. */
const MORE_THAN_ONE = 1.15;
/** How many threads want a core where all need the same lock: its holder, and the one that is woken next. */
const BEHIND_LOCK = 2;
const ALMOST = 0.95;

/**
 * Whether calls ran at the same time, and not one by one behind a lock: CPU time does not tell the two apart. They did if there were more
 * calls than one core can make, or if more threads had or waited for a core than a lock allows. The limit between the two is the geometric
 * mean of the threads that a lock allows and of all threads.
 */
function isSeveralAtOnce(pool: PoolSamples, aloneMs: number): boolean {
  const calls = (middleOf(pool.rate) ?? 0) * (aloneMs / 1000);
  const wanted = middleOf(pool.wantedCores) ?? 0;
  return calls >= MORE_THAN_ONE || wanted >= ALMOST * Math.sqrt(BEHIND_LOCK * pool.threads);
}

/** A call that computes for a smaller share of its time mostly waits; threads may pay for it all the same. */
export const MOSTLY_WAITS = 0.5;
/** Several calls were in progress at a time if a single one takes more than this many times 1 / rate. */
const AT_ONCE = 2;

/** The share of a call's running time in which it computes; undefined: not known. */
export function computingShare({ inline, behaviour }: Samples): Estimate | undefined {
  const { rate, cpuMs, callMs } = inline;
  const between = 1000 / (middleOf(rate) ?? 0);
  const isAtOnce = behaviour.returnsPromise && callMs !== undefined && callMs.p50 > AT_ONCE * between;
  return isAtOnce ? estimate(cpuMs.map((ms) => Math.min(1, ms / callMs.p50))) : loopShare({ inline });
}

/** The share of the time without a pool in which the calling thread computed: in the rest it could make more calls. */
export function loopShare({ inline: { rate, cpuMs } }: Pick<Samples, 'inline'>): Estimate | undefined {
  return estimate(pairwise(rate, cpuMs, (perSecond, ms) => Math.min(1, (perSecond * ms) / 1000)));
}

/** Whether a call surely computes for less than this share, and not for want of a core: on a busy machine computing calls wait as well. */
export function computesLessThan(share: number, samples: Samples): boolean {
  const { cores, loadBefore, othersShare = 0 } = samples.machine;
  const left = Math.min(1, cores / (1 + loadBefore), cores * (1 - othersShare));
  const own = computingShare(samples);
  return own !== undefined && own.high < share * left;
}
