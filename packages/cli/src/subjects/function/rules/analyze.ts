/** Samples in, findings out: whether threads pay, for which calls, how many, and what limits them. The JSON of a report is described in docs/analyze.md. */
import { applying, busyWarning, leftOutWarnings } from '../../../experiment/rules.js';
import { estimate } from '../../../experiment/statistics.js';
import * as say from '../../../format/figures.js';
import { otherWaysOf, recommendedFor } from './alternatives.js';
import { disagrees } from './break-even.js';
import { type Facts, factsOf } from './facts.js';
import { limitsOf } from './limits.js';
import type { Samples } from './samples.js';
import { isTested } from './scaling.js';
import { type Answer, verdictOf } from './verdict.js';

/** What the analysis says: the input of every view. Plain JSON. */
export type Findings = ReturnType<typeof analyze>;

export function analyze(samples: Samples) {
  const facts = factsOf(samples);
  const { breakEven, best, knee, noise, fit } = facts;
  const decision = verdictOf(facts);
  const { row: _, ...verdict } = decision;
  const { alternatives, way, sentence } = otherWaysOf(facts, verdict.answer);
  const limits = limitsOf(facts);
  return {
    schemaVersion: 1 as const,
    verdict: { ...verdict, sentence: `${verdict.sentence}${sentence}` },
    breakEven,
    recommended: recommendedFor(facts, decision, way),
    /** How many times as many calls the best number of threads makes as the calling thread alone. */
    gain: best?.gain,
    /** The fewest threads with at least 0.95 times the best rate; undefined: it cannot be told. */
    knee,
    /** Half the range of repeated runs of the same, as a share of their median: smaller effects are not seen. */
    noise,
    reasons: applying([
      ...limits.map(({ why }) => why),
      loopDelay(facts),
      ...alternatives.map((each) => each.sentence),
      dependsOn(facts, verdict.answer),
    ]),
    warnings: warningsOf(facts),
    limits,
    /** Amdahl's law, fitted to the rates: the serial part, and the RMS error; no error where only two numbers were compared, which any part fits. */
    amdahl: fit && { ...fit, error: isTested(samples) ? fit.error : undefined },
    /** The alternative that makes the most calls comes first. The first one that changes the verdict is recommended. */
    alternatives,
    samples,
  };
}

/** Whether a call may hold up the event loop. The delay that was measured with shorter calls is that of the analysis, which makes many in a row. */
export function mayHoldUp({ inline: { callMs } }: Samples): boolean {
  return (callMs?.p99 ?? say.HARDLY_LATE_MS) >= say.HARDLY_LATE_MS;
}

/** Even where threads are no faster, they leave the calling thread free. */
function loopDelay({ samples, fast, hasEnough }: Facts): string | undefined {
  if (!hasEnough) return undefined;
  const [before, after] = [estimate(samples.inline.loopDelayMs), estimate(fast?.loopDelayMs ?? [])];
  if (before === undefined || after === undefined || after.high >= before.low) return undefined;
  if (before.value < say.HARDLY_LATE_MS || !mayHoldUp(samples)) return undefined;
  const less = after.value < say.HARDLY_LATE_MS ? '' : `: ${say.part(1 - after.value / before.value)} less`;
  return `the event loop is held up for ${say.lateness(after.value)} (p99) instead of ${say.duration(before.value)}${less}`;
}

/** Calls that run for this many times the break-even will not fall below it with other inputs. */
const FAR_BEYOND = 100;

/** Says how long a call must run for threads to pay: with smaller inputs the verdict may be another. */
function dependsOn({ samples, breakEven: { runMs, inputBytes } }: Facts, answer: Answer): string | undefined {
  const { callMs } = samples.inline;
  if (answer !== 'threads' || runMs === undefined || callMs === undefined) return undefined;
  if (callMs.mean <= runMs.high || callMs.mean > FAR_BEYOND * runMs.value) return undefined;
  const size = inputBytes === undefined ? '' : `, or with an input of ${say.bytes(inputBytes.value)}`;
  return `it depends on how much a call does: a call runs for ${say.duration(callMs.mean)}, and threads begin to pay at about ${say.duration(runMs.value)}${size}`;
}

/** Calls are uneven if their 99th percentile is more than this many times their median. */
const UNEVEN = 20;

function warningsOf(facts: Facts): string[] {
  const { samples } = facts;
  const { subject, behaviour, inline, machine } = samples;
  const { failures, repeats, remembers, changesItsArgument, hasSetup, plainClasses } = behaviour;
  const { callMs } = inline;
  const others = plainClasses.filter((name) => name !== 'Buffer');
  return applying([
    contradiction(facts),
    failures.failed > 0 &&
      `${failures.failed} of ${say.counted(failures.calls, 'call')} failed: ${failures.first ?? 'no message'}`,
    repeats === 'different' &&
      'the same input gave another result when it was given again: it keeps state, or is random. Each worker has a state of its own',
    remembers &&
      'with an input that came before, a call takes less than a tenth of the time: its result, or what it reads, is kept. All figures are of inputs that come again and again',
    changesItsArgument &&
      'it changes its argument: in a worker that is a copy, and the caller does not see it',
    plainClasses.includes('Buffer') &&
      'its results have Buffers, which arrive as a `Uint8Array`: `toString`, for one, then does something else',
    others.length > 0 &&
      `its results have instances of ${others.join(', ')}, which arrive as plain objects, without methods, unless their classes are registered: the option \`classes\``,
    hasSetup &&
      'the module has a setup or teardown of its own: without a pool it was called once, by the analysis',
    subject.inputs.count === 1 &&
      inline.rate.length > 0 &&
      'there is one input: the figures are of many calls with it at a time, and threads make no single call faster',
    callMs !== undefined &&
      callMs.p99 > UNEVEN * callMs.p50 &&
      `calls are uneven: half of them run for ${say.duration(callMs.p50)} or less, one of a hundred for ${say.duration(callMs.p99)} or more`,
    busyWarning(machine),
    inline.residentBytes !== undefined &&
      machine.memoryBytes > 0 &&
      inline.residentBytes > machine.memoryBytes / 2 &&
      `a process with this function takes ${say.bytes(inline.residentBytes)} of memory, ${say.perCent(inline.residentBytes / machine.memoryBytes)} of what there is`,
    ...leftOutWarnings(samples),
  ]);
}

/** Warns where threads gain far less with the function than with tasks that only compute for as long. */
function contradiction({ samples, best, breakEven, isBusy }: Facts): string | undefined {
  const other = disagrees(samples, best?.gain);
  if (other === undefined || best === undefined || breakEven.runMs === undefined) return undefined;
  return `two figures disagree: threads bring ${say.times(best.gain)} the calls of this function, but ${say.times(other)} those of a function that only computes for as long. This function needs more than cores${isBusy ? ', or other programs had them' : ''}`;
}
