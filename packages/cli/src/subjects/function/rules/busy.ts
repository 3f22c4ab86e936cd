/**
 * Other programs on the same cores. Who has more threads gets more of a core that is shared, and a thread that must be woken waits
 * longer there: both change rates, and neither has to do with the function. What changes little is the CPU time of a call.
 */
import { usableCores } from '../../../experiment/rules.js';
import { type Estimate, estimate, pairwise, ratio } from '../../../experiment/statistics.js';
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

/** With more for others, calls were seen to cost thirty times as much to hand over: nothing can be made of what is measured. */
const MOSTLY_OTHERS = 0.25;
/** With less, at most so many times as much. */
const DEARER = 2;
/**
 * A call of next to nothing costs that much to hand over on a machine that does nothing else, and that much of it on the calling
 * thread; somewhat below what the benchmark `crossing` gives. Milliseconds.
 */
const LEAST_CROSSING_MS = 0.001;
const LEAST_MAIN_MS = 0.0006;

/** How many times as many calls threads could bring, at the very most, if other programs had not had a part of the cores. */
export function mostWithoutOthers(samples: Samples): number {
  const { othersShare = 1 } = samples.machine;
  if (othersShare > MOSTLY_OTHERS) return mostByRunTime(samples);
  return Math.max(...samples.threads.map((pool) => byCheaperCrossing(samples, pool)));
}

/** From the time alone that a call takes on the calling thread: whatever a busy machine made of the rest. */
export function mostByRunTime(samples: Samples): number {
  const { callMs, cpuMs } = samples.inline;
  const cpu = estimate(cpuMs);
  if (callMs === undefined || cpu === undefined) return Number.POSITIVE_INFINITY;
  // A median has not been interrupted by others, and a mean has the calls that take longer.
  const runMs = Math.max(callMs.p50, cpu.high);
  return Math.min(
    (usableCores(samples.machine) * runMs) / (runMs + LEAST_CROSSING_MS),
    runMs / LEAST_MAIN_MS,
  );
}

function byCheaperCrossing(samples: Samples, pool: Pick<PoolSamples, 'cpuMs'>): number {
  const alone = estimate(samples.inline.cpuMs)?.value ?? Number.NaN;
  const cpuMs = pool.cpuMs.map((ms) => alone + Math.max(0, ms - alone) / DEARER);
  return byCpuTime(samples, { cpuMs })?.high ?? Number.POSITIVE_INFINITY;
}

/** A single call takes that much longer than one divided by the rate: several were under way at a time. */
const AT_ONCE = 2;

/** Of the running time of a call, the part in which it computes; undefined: not known. */
export function computingShare({ inline, behaviour }: Samples): Estimate | undefined {
  const { rate, cpuMs, callMs } = inline;
  const between = 1000 / (estimate(rate)?.value ?? 0);
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
