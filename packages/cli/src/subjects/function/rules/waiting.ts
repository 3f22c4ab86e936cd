/** Whether a call computes, or waits for something: threads are for computing, an event loop can wait for many at a time. */
import { type Estimate, estimate, pairwise } from '../../../experiment/statistics.js';
import type { Samples } from './samples.js';

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
