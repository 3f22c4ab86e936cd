/** Samples in, findings out: whether threads pay, from where on, how many, and what limits them. */
import { alternativesOf, exceptionOf } from './alternatives.js';
import { breakEvenOf } from './break-even.js';
import type { Findings } from './findings.js';
import { estimate, noiseOf } from './intervals.js';
import { limitsOf } from './limits.js';
import { recommendedFor } from './recommend.js';
import type { Samples } from './samples.js';
import { amdahlOf, fastest, gainsOf, kneeOf } from './scaling.js';
import { verdictOf } from './verdict.js';
import { warningsOf } from './warnings.js';
import { duration, perCent } from './words.js';

export function analyze(samples: Samples): Findings {
  const fast = fastest(samples);
  const gains = gainsOf(samples);
  const best = gains.find(({ threads }) => threads === fast?.threads);
  const control = [...samples.control.before, ...samples.control.after];
  // Without a control run: the rounds repeat the same, too.
  const noise = noiseOf(control) ?? noiseOf(samples.inline.rate);
  const knee = kneeOf(samples, gains);
  const breakEven = breakEvenOf(samples);
  const { answer, sentence } = verdictOf(samples, { best, gains, knee, breakEven, noise });
  const verdict = { answer, sentence: `${sentence}${exceptionOf(samples, fast, answer, noise)}` };
  const amdahl = amdahlOf(samples);
  const limits = limitsOf(samples, amdahl);
  const alternatives = alternativesOf(samples, fast, answer, noise);
  return {
    schemaVersion: 1,
    verdict,
    reasons: [
      ...limits.map(({ why }) => why),
      ...loopDelay(samples, fast),
      ...alternatives.map((alternative) => alternative.sentence),
    ],
    warnings: warningsOf(samples),
    breakEven,
    knee,
    limits,
    amdahl,
    alternatives,
    recommended: recommendedFor(samples, verdict, knee),
    gain: best?.gain,
    noise,
    samples,
  };
}

/** Even where threads are no faster, they leave the calling thread free. */
function loopDelay({ inline }: Samples, best: ReturnType<typeof fastest>): string[] {
  const [before, after] = [estimate(inline.loopDelayMs), estimate(best?.loopDelayMs ?? [])];
  if (before === undefined || after === undefined || after.high >= before.low) return [];
  const share = 1 - after.value / before.value;
  return [
    `the event loop is held up for ${duration(after.value)} (p99) instead of ${duration(before.value)}: ${perCent(share)} less`,
  ];
}
