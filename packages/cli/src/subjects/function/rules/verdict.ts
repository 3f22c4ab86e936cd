/** One sentence that says what to do. It is given only where the intervals allow it; a wrong one is the only failure. */
import {
  AS_MANY,
  directionOf,
  ENOUGH_ROUNDS,
  FEWEST_ROUNDS,
  firstVerdict,
  isBusy,
  isSurelyNotWorthIt,
  isWorthIt,
  usableCores,
  WORTH_IT,
} from '../../../experiment/rules.js';
import { type Estimate, estimate } from '../../../experiment/statistics.js';
import { counted, duration, part, perCent, times, timesFromTo } from '../../../format/figures.js';
import { disagrees } from './break-even.js';
import {
  byCpuTime,
  computesLessThan,
  computingShare,
  loopShare,
  mostByRunTime,
  mostWithoutOthers,
} from './busy.js';
import type { BreakEven, Findings, Verdict } from './findings.js';
import type { Samples } from './samples.js';
import { fastest, type Gain } from './scaling.js';

/** Of its time a call that returns a promise computes for less: it waits. */
const WAITS = 0.25;
/** It mostly waits: whether that decides depends on what threads bring. */
const MOSTLY_WAITS = 0.5;
export interface Figures {
  readonly best: Gain | undefined;
  /** Of all numbers of threads that were measured. */
  readonly gains: readonly Gain[];
  readonly knee: Findings['knee'];
  readonly breakEven: BreakEven;
  readonly noise: number | undefined;
}

type Rule = (samples: Samples, figures: Figures) => Verdict | undefined;

export function verdictOf(samples: Samples, figures: Figures): Verdict {
  const verdict = firstVerdict(RULES, samples, figures);
  return verdict ?? { answer: 'unknown', sentence: `Cannot tell: ${unclear(samples, figures)}` };
}

/** The first that applies. */
const RULES: readonly Rule[] = [cannotRun, waits, cannotCross, pays, doesNotPay, isTooShort];

function cannotRun({ behaviour: { ended, neverSettled, failures } }: Samples): Verdict | undefined {
  const answer = 'unknown';
  if (ended !== undefined) {
    return { answer, sentence: `Cannot tell: a call ends its process (${endOf(ended)})` };
  }
  if (neverSettled !== undefined) {
    return { answer, sentence: `Cannot tell: a call had not settled after ${duration(neverSettled)}` };
  }
  if (failures.calls > 0 && failures.failed === failures.calls) {
    const first = failures.first === undefined ? '' : `: ${failures.first}`;
    return { answer, sentence: `Cannot tell: every call fails${first}` };
  }
  return undefined;
}

function waits(samples: Samples, { gains }: Figures): Verdict | undefined {
  const share = computingShare(samples);
  if (!samples.behaviour.returnsPromise || share === undefined) return undefined;
  const callMs = samples.inline.callMs?.p50;
  const time = callMs === undefined ? 'its time' : `its ${duration(callMs)}`;
  if (computesLessThan(WAITS, samples)) {
    const sentence = `Don't: it waits, it does not compute: a call computes for ${part(share.value)} of ${time}, and the event loop can wait for many at a time`;
    return { answer: 'async', sentence };
  }
  // The loop can fill all the time that a call waits with other calls: so many times as many.
  const alone = 1 / (loopShare(samples)?.high ?? 1);
  const most = mostOf(samples, gains);
  if (!computesLessThan(MOSTLY_WAITS, samples) || alone < WORTH_IT || most >= alone) return undefined;
  const sentence = `Don't: a call computes for ${part(share.value)} of ${time} and waits for the rest: many at a time on one event loop are up to ${times({ value: alone })} the calls, threads bring at most ${times({ value: most })}`;
  return { answer: 'async', sentence };
}

function cannotCross({ behaviour: { endedInWorker, uncloneable } }: Samples): Verdict | undefined {
  if (endedInWorker !== undefined) {
    return { answer: 'inline', sentence: `Don't: ${endingInWorker(endedInWorker)}` };
  }
  const which = uncloneable.argument === undefined ? 'result' : 'argument';
  const why = uncloneable[which];
  if (why === undefined) return undefined;
  return { answer: 'inline', sentence: `Don't: its ${which}s cannot go to another thread: ${why}` };
}

type Ending = NonNullable<Samples['behaviour']['ended']>;

/** A signal is the end of the process. With an exit code it may be the worker's alone: then it is JavaScript that does it. */
function endingInWorker(ending: Ending): string {
  return ending.signal === null
    ? `in a worker it ends (${endOf(ending)}), on the main thread it does not: it calls \`process.exit\` where it is not the main thread, or its native code cannot run in threads`
    : `in a worker it ends the process (${endOf(ending)}), on the main thread it does not: its native code cannot run in threads`;
}

function endOf({ exitCode, signal }: Ending): string {
  return signal === null ? `exit code ${exitCode}` : signal;
}

function pays(samples: Samples, { knee, best, noise }: Figures): Verdict | undefined {
  if (roundsOf(samples) < FEWEST_ROUNDS) return undefined;
  const sure = [knee, best].find((of) => of !== undefined && isWorthIt(overLoop(samples, of.gain), noise));
  if (sure === undefined || isGainOfOthers(samples, sure)) return undefined;
  const isMixed = samples.behaviour.returnsPromise && computesLessThan(MOSTLY_WAITS, samples);
  const fair = isMixed
    ? `, ${times(overLoop(samples, sure.gain))} what one event loop can do with many calls at a time`
    : '';
  const sentence = `Threads pay: ${times(sure.gain)} with ${counted(sure.threads, 'thread')}${fair}`;
  return { answer: 'threads', sentence };
}

/** On cores that are shared, threads take time from other programs: that much more is not worth the name. */
function isGainOfOthers(samples: Samples, { threads }: Gain): boolean {
  if (!isBusy(samples.machine) || computesLessThan(MOSTLY_WAITS, samples)) return false;
  const pool = samples.threads.find((of) => of.threads === threads);
  return (pool === undefined ? 0 : (byCpuTime(samples, pool)?.low ?? 0)) <= 1;
}

/** On such cores threads may bring nothing, and would where they had them for themselves. */
function isLossToOthers(samples: Samples): boolean {
  return isBusy(samples.machine) && mostWithoutOthers(samples) >= WORTH_IT;
}

/** Calls that wait are not helped by threads as far as one event loop, with many of them at a time, would do as well. */
function overLoop(samples: Samples, gain: Estimate): Estimate {
  if (!samples.behaviour.returnsPromise) return gain;
  const { value, low, high } = loopShare(samples) ?? { value: 1, low: 1, high: 1 };
  return { value: gain.value * value, low: gain.low * low, high: gain.high * high };
}

function doesNotPay(samples: Samples, { gains, best, breakEven, noise }: Figures): Verdict | undefined {
  const most = mostOf(samples, gains);
  const isSure = roundsOf(samples) >= FEWEST_ROUNDS && isSurelyNotWorthIt(most, noise);
  if (best === undefined || !isSure || isLossToOthers(samples)) return undefined;
  const { callMs } = samples.inline;
  const costs = samples.crossings.flatMap(({ cpuMs }) => estimate(cpuMs)?.value ?? []);
  const crossing = costs.length === 0 ? '' : `, a crossing costs ${duration(Math.min(...costs))}`;
  const from = breakEven.runMs;
  const parts = [
    samples.machine.cores === 1 && 'there is one core',
    callMs !== undefined && `a call runs for ${duration(callMs.mean)}${crossing}`,
    most < AS_MANY ? `threads bring ${timesFromTo(best.gain)} the calls` : hardlyMore(most),
    // Where a call runs for longer already, it is something else that keeps threads from paying.
    from !== undefined &&
      callMs !== undefined &&
      callMs.mean < from.low &&
      disagrees(samples, best.gain) === undefined &&
      `they begin to pay at about ${duration(from.value)} a call`,
  ];
  return { answer: 'inline', sentence: `Don't: ${parts.filter(Boolean).join('; ')}` };
}

/** What a machine that is busy cannot hide. */
function isTooShort(samples: Samples): Verdict | undefined {
  const { callMs, rate } = samples.inline;
  if (!isBusy(samples.machine) || callMs === undefined || rate.length < FEWEST_ROUNDS) return undefined;
  if (mostByRunTime(samples) >= 1) return undefined;
  const sentence = `Don't: half of the calls run for ${duration(callMs.p50)} or less; to hand one over takes longer than that, whoever else has the cores`;
  return { answer: 'inline', sentence };
}

function hardlyMore(most: number): string {
  return most < 2 - AS_MANY
    ? 'threads bring no more calls'
    : `threads bring at most ${perCent(most - 1)} more calls, which does not pay for their memory`;
}

/** What threads bring at the most, those included that were not tried: each of them as much as one of the others. */
function mostOf(samples: Samples, gains: readonly Gain[]): number {
  const lacking = lackingOf(samples);
  return lacking === Number.POSITIVE_INFINITY
    ? lacking
    : lacking * Math.max(0, ...gains.map(({ gain }) => gain.high));
}

/** How many times as many threads could be of use as were tried; 1: all were. */
function lackingOf(samples: Samples): number {
  const { cores } = samples.machine;
  const tried = Math.max(0, ...samples.threads.filter(({ rate }) => rate.length > 1).map((of) => of.threads));
  // Threads that wait do not need a core.
  const needsMore = computesLessThan(MOSTLY_WAITS, samples) ? cores + 1 : 1;
  if (tried < needsMore) return Number.POSITIVE_INFINITY;
  return Math.max(1, usableCores(samples.machine) / tried);
}

/** In which the fastest number of threads was compared with none. */
function roundsOf(samples: Samples): number {
  return Math.min(samples.inline.rate.length, fastest(samples)?.rate.length ?? 0);
}

function unclear(samples: Samples, { best, noise }: Figures): string {
  if (best === undefined) return 'not enough was measured';
  const { gain } = best;
  const rounds = roundsOf(samples);
  if (rounds < ENOUGH_ROUNDS) {
    return `${counted(rounds, 'round')} of measuring are too few; threads brought about ${times(gain)} the calls`;
  }
  const others = samples.machine.othersShare;
  if (others !== undefined && isBusy(samples.machine)) {
    return `other programs had ${perCent(others)} of the cores while it was measured: threads brought ${timesFromTo(gain)} the calls`;
  }
  if (isWorthIt(gain, noise)) {
    return `threads bring ${times(gain)} the calls, but a call also waits, and one event loop with many at a time may do as well`;
  }
  if (directionOf(gain, noise) === 1) {
    return `threads bring ${percentMore(gain)} more calls; whether that pays for their memory is not for figures to say`;
  }
  if (gain.high < 1 && lackingOf(samples) > 1) {
    return `threads bring ${timesFromTo(gain)} the calls, but more threads might pay, and were not measured`;
  }
  return `the noise is larger than the effect: threads bring ${timesFromTo(gain)} the calls${differenceBy(noise)}`;
}

function differenceBy(noise: number | undefined): string {
  if (noise === undefined) return '';
  const by = noise > 0.5 ? 'more than 100 %' : perCent(2 * noise);
  return `, and repeated runs of the same differ by ${by}`;
}

function percentMore({ low, high }: Estimate): string {
  const [from, to] = [perCent(low - 1), perCent(high - 1)];
  return from === to ? from : `${from.replace(' %', '')} to ${to}`;
}
