/** Other ways of calling the same function, whether one of them changes the verdict, and which options are recommended. */
import { isWorthIt } from '../../../experiment/rules.js';
import { confidenceOfEach, type Estimate, ratio } from '../../../experiment/statistics.js';
import { counted, times } from '../../../format/figures.js';
import { computesLessThan, loopShare, MOSTLY_WAITS } from './busy.js';
import type { Alternative, Answer, Recommended } from './findings.js';
import type { PoolSamples, Samples, VariantName, VariantSamples } from './samples.js';
import type { Decision } from './verdict.js';

/** What brings less is not told. */
const WORTH_TELLING = 1.05;
/** What brings so much more than the same threads without it is worth a word in the verdict. */
const MUCH_MORE = 1.25;

const HOW: Readonly<Record<VariantName, (variant: Pick<VariantSamples, 'size'>) => string>> = {
  auto: () => "with `placement: 'auto'`",
  batch: ({ size = 1 }) => `with ${counted(size, 'input')} in one call`,
  lease: () => 'with the bytes in a lease (`pool.lease`), which are not copied',
  read: ({ size }) =>
    size === undefined
      ? 'where the worker reads the input itself, and only its name crosses'
      : `where the worker reads the inputs itself, and ${counted(size, 'name')} cross in one call`,
};

export function howOf(variant: Pick<VariantSamples, 'name' | 'size'>): string {
  return HOW[variant.name](variant);
}

export interface Found extends Alternative {
  readonly variant: VariantSamples;
  readonly toInline: Estimate;
}

/** @param best the fastest number of threads without any of them */
export function findAlternatives(
  samples: Samples,
  best: PoolSamples | undefined,
  answer: Answer,
  noise: number | undefined,
): Found[] {
  if (best === undefined) return [];
  const confidence = confidenceOfEach(samples.variants.length);
  // What waits has not the calling thread to compare with, but an event loop that waits for many.
  const canChange = answer === 'inline' || (answer === 'unknown' && !samples.behaviour.returnsPromise);
  return samples.variants.flatMap((variant) => {
    const gain = ratio(variant.rate, best.rate, confidence);
    const toInline = ratio(variant.rate, samples.inline.rate, confidence);
    if (gain === undefined || toInline === undefined) return [];
    const changesVerdict = canChange && variant.name !== 'auto' && isWorthIt(toInline, noise);
    if (gain.low < WORTH_TELLING && !changesVerdict) return [];
    const sentence = `${howOf(variant)}: ${times(gain)} the calls of the pool without it, ${times(toInline)} those without a pool`;
    return [{ name: variant.name, gain, changesVerdict, sentence, variant, toInline }];
  });
}

export function alternativesOf(found: readonly Found[]): Alternative[] {
  return found.map(({ variant: _variant, toInline: _toInline, ...rest }) => rest);
}

/** Of those that change the verdict the one that brings the most. */
export function exceptionOf(found: readonly Found[]): Found | undefined {
  return mostOf(found.filter(({ changesVerdict }) => changesVerdict));
}

/** Automatic placement, where it did clearly more than threads alone. */
export function automaticOf(found: readonly Found[]): Found | undefined {
  return found.find(({ name }) => name === 'auto');
}

/** For the end of the verdict: the way that changes it, or, where threads pay already, one that is recommended or brings a good deal more. */
export function otherWaySentence(found: readonly Found[], answer: Answer): string {
  const exception = exceptionOf(found);
  if (exception !== undefined) {
    return `. But ${howOf(exception.variant)}, threads bring ${times(exception.toInline)} the calls`;
  }
  if (answer !== 'threads') return '';
  const better = mostOf(found.filter(({ name, gain }) => name !== 'auto' && gain.low >= MUCH_MORE));
  const others = [automaticOf(found), better].filter((each) => each !== undefined);
  return others.map(({ toInline, variant }) => `; ${times(toInline)} ${howOf(variant)}`).join('');
}

function mostOf(found: readonly Found[]): Found | undefined {
  return found.toSorted((a, b) => b.toInline.value - a.toInline.value)[0];
}

/**
 * The options of `createPool` that the verdict speaks of, and no others. Where nothing did better than the calling thread, none: a call there needs no pool.
 * @param way of calling that changes the verdict, or automatic placement that did clearly more than threads alone
 */
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
