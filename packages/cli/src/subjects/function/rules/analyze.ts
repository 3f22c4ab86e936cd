/** Samples in, findings out: whether threads pay, from where on, how many, and what limits them. */
import { applying, isBusy } from '../../../experiment/rules.js';
import { estimate, noiseOf } from '../../../experiment/statistics.js';
import { bytes, duration, perCent, times } from '../../../format/figures.js';
import { otherWaysOf, recommendedFor } from './alternatives.js';
import { breakEvenOf, disagrees } from './break-even.js';
import { type BreakEven, type Findings, type Verdict, warningsOf } from './findings.js';
import { limitsOf } from './limits.js';
import type { Samples } from './samples.js';
import { amdahlOf, fastest, type Gain, gainsOf, isTested, kneeOf, withRoom } from './scaling.js';
import { verdictOf } from './verdict.js';

export function analyze(samples: Samples): Findings {
  const fast = fastest(samples);
  const gains = gainsOf(samples);
  const fitting = { threads: withRoom(samples) };
  const best = gains.find(({ threads }) => threads === fastest(fitting)?.threads);
  const control = [...samples.control.before, ...samples.control.after];
  // Without control runs the rounds tell the noise, since they repeat the same run, too.
  const noise = noiseOf(control) ?? noiseOf(samples.inline.rate);
  const knee = kneeOf(fitting, gains);
  const breakEven = breakEvenOf(samples);
  const decision = verdictOf(samples, { best, gains, knee, breakEven, noise });
  const { verdict } = decision;
  const ways = otherWaysOf(samples, fast, verdict.answer, noise);
  const fit = amdahlOf(samples);
  const limits = limitsOf(samples, fit);
  return {
    schemaVersion: 1,
    verdict: { ...verdict, sentence: `${verdict.sentence}${ways.sentence}` },
    breakEven,
    recommended: recommendedFor(samples, decision, ways.best),
    gain: best?.gain,
    knee,
    noise,
    reasons: applying([
      ...limits.map(({ why }) => why),
      loopDelay(samples, fast),
      ...ways.alternatives.map(({ sentence }) => sentence),
      dependsOn(samples, verdict, breakEven),
    ]),
    warnings: applying([contradiction(samples, best, breakEven), ...warningsOf(samples)]),
    limits,
    amdahl: fit && { ...fit, error: isTested(samples) ? fit.error : undefined },
    alternatives: ways.alternatives,
    samples,
  };
}

/** Calls that run for this many times the break-even will not fall below it with other inputs. */
const FAR_BEYOND = 100;

/** Says from which running time on threads pay: with smaller inputs the verdict may be another. */
function dependsOn(
  { inline }: Samples,
  { answer }: Verdict,
  { runMs, inputBytes }: BreakEven,
): string | undefined {
  const { callMs } = inline;
  if (answer !== 'threads' || runMs === undefined || callMs === undefined) return undefined;
  if (callMs.mean <= runMs.high || callMs.mean > FAR_BEYOND * runMs.value) return undefined;
  const size = inputBytes === undefined ? '' : `, an input of ${bytes(inputBytes.value)}`;
  return `it depends on how much a call does: a call runs for ${duration(callMs.mean)}, and threads begin to pay at about ${duration(runMs.value)}${size}`;
}

/** Warns where threads gain far less with the function than with tasks that only compute for as long. */
function contradiction(samples: Samples, best: Gain | undefined, { runMs }: BreakEven): string | undefined {
  const other = disagrees(samples, best?.gain);
  if (other === undefined || best === undefined || runMs === undefined) return undefined;
  return `two figures do not go together: threads bring ${times(best.gain)} the calls of this function, and ${times(other)} those of one that only computes for as long. It needs more than cores${isBusy(samples.machine) ? ', or other programs had them' : ''}`;
}

/** Even where threads are no faster, they leave the calling thread free. */
function loopDelay({ inline }: Samples, best: ReturnType<typeof fastest>): string | undefined {
  const [before, after] = [estimate(inline.loopDelayMs), estimate(best?.loopDelayMs ?? [])];
  if (before === undefined || after === undefined || after.high >= before.low) return undefined;
  const share = 1 - after.value / before.value;
  return `the event loop is held up for ${duration(after.value)} (p99) instead of ${duration(before.value)}: ${perCent(share)} less`;
}
