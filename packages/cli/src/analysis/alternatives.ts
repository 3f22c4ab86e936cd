/** Other ways of calling the same function, and whether one of them changes the verdict. */
import type { Alternative, Answer, Estimate } from './findings.js';
import { confidenceOfEach, ratio } from './intervals.js';
import type { PoolSamples, Samples, VariantName, VariantSamples } from './samples.js';
import { isWorthIt } from './verdict.js';
import { counted, times } from './words.js';

/** What brings less is not told. */
const WORTH_TELLING = 1.05;

const HOW: Readonly<Record<VariantName, (variant: VariantSamples) => string>> = {
  auto: () => "with `placement: 'auto'`",
  batch: ({ size = 1 }) => `with ${counted(size, 'input')} in one call`,
  lease: () => 'with the bytes in a lease (`pool.lease`), which are not copied',
  read: () => 'where the worker reads the input itself, and only its name crosses',
};

interface Found extends Alternative {
  readonly how: string;
  readonly toInline: Estimate;
}

/** @param best the fastest number of threads without any of them */
export function alternativesOf(
  samples: Samples,
  best: PoolSamples | undefined,
  answer: Answer,
  noise: number | undefined,
): Alternative[] {
  return found(samples, best, answer, noise).map(({ how: _how, toInline: _toInline, ...rest }) => rest);
}

/** For the end of the verdict: the way of calling that changes it, and what it brings. */
export function exceptionOf(
  samples: Samples,
  best: PoolSamples | undefined,
  answer: Answer,
  noise: number | undefined,
): string {
  const [most] = found(samples, best, answer, noise)
    .filter(({ changesVerdict }) => changesVerdict)
    .toSorted((a, b) => b.toInline.value - a.toInline.value);
  return most === undefined ? '' : `. But ${most.how}, threads bring ${times(most.toInline)} the calls`;
}

function found(
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
    const how = HOW[variant.name](variant);
    const sentence = `${how}: ${times(gain)} the calls of the pool without it, ${times(toInline)} those without a pool`;
    return [{ name: variant.name, gain, changesVerdict, sentence, how, toInline }];
  });
}
