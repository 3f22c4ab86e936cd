/**
 * Which options of `createPool` did best of those that were measured: those that the verdict speaks of, and no others. Where nothing did better
 * than the calling thread, none; a call there needs no pool.
 */
import { computesLessThan, loopShare, MOSTLY_WAITS } from './busy.js';
import type { Recommended } from './findings.js';
import type { Samples, VariantSamples } from './samples.js';
import type { Decision } from './verdict.js';

/** @param way of calling that changes the verdict, or automatic placement that did clearly more than threads alone */
export function recommendedFor(
  samples: Samples,
  { verdict: { answer }, row }: Decision,
  way: VariantSamples | undefined,
): Recommended {
  if (way !== undefined && way.name !== 'auto') return { threads: way.threads };
  if (answer === 'unknown') return {};
  if (answer !== 'threads' || row === undefined) return { placement: 'inline' };
  if (way !== undefined) return { placement: 'auto', threads: way.threads };
  const atOnce = tasksPerWorker(samples);
  return { threads: row.threads, ...(atOnce > 1 ? { tasksPerWorker: atOnce } : {}) };
}

/** Calls that await leave their worker idle for the rest of their time: so many of them fill it. */
function tasksPerWorker(samples: Samples): number {
  const share = loopShare(samples)?.value ?? 1;
  if (!samples.behaviour.returnsPromise || !computesLessThan(MOSTLY_WAITS, samples) || share <= 0) return 1;
  return Math.ceil(1 / share);
}
