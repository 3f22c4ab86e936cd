/**
 * Which options of `createPool` did best of those that were measured. A call that costs less without a pool may cost more inline in one than
 * across: it has to be captured, dispatched and settled all the same, and nobody has measured that.
 */
import { estimate } from '../../../experiment/statistics.js';
import type { Findings, Recommended, Verdict } from './findings.js';
import type { Samples, VariantSamples } from './samples.js';
import { fastest, roomOf } from './scaling.js';

/** By how much automatic placement has to be faster than threads alone before it is preferred to them. */
const CLEARLY = 1.05;

/** @param exception the way of calling that changes the verdict */
export function recommendedFor(
  samples: Samples,
  { answer }: Verdict,
  knee: Findings['knee'],
  exception: VariantSamples | undefined,
): Recommended {
  const best = fastest(samples);
  // Nothing to gain by threads: what can do without them.
  if (best === undefined || answer === 'async' || cannotUseThreads(samples)) return { placement: 'inline' };
  if (exception !== undefined) return { threads: withRoom(samples, exception.threads) };
  const auto = samples.variants.find(({ name }) => name === 'auto');
  const threadsRate = rateOf(best.rate);
  const autoRate = rateOf(auto?.rate ?? []);
  // Where threads do not pay, placement that is measured all the time is preferred as soon as it is no slower than they are.
  if (auto !== undefined && autoRate > threadsRate * (answer === 'inline' ? 1 : CLEARLY)) {
    return { placement: 'auto', threads: withRoom(samples, auto.threads) };
  }
  return { threads: withRoom(samples, knee?.threads ?? best.threads) };
}

function cannotUseThreads({ behaviour: { ended, endedInWorker, uncloneable } }: Samples): boolean {
  return (
    ended !== undefined ||
    endedInWorker !== undefined ||
    uncloneable.argument !== undefined ||
    uncloneable.result !== undefined
  );
}

function withRoom(samples: Samples, threads: number): number {
  return Math.min(threads, roomOf(samples)?.threads ?? threads);
}

function rateOf(rate: readonly number[]): number {
  return estimate(rate)?.value ?? 0;
}
