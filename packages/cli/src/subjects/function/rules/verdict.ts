/** One sentence that says what to do. It is given only where the intervals allow it; a wrong one is the only failure. */
import {
  AS_MANY,
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
  LEAST_CROSSING_MS,
  loopShare,
  mostByRunTime,
  mostWithoutOthers,
  MOSTLY_WAITS,
  type OnFreeCores,
  onFreeCores,
} from './busy.js';
import type { BreakEven, Findings, Verdict } from './findings.js';
import type { Samples } from './samples.js';
import { fastest, type Gain } from './scaling.js';

/** Of its time a call that returns a promise computes for less: it waits. */
const WAITS = 0.25;

/** What is said, and the number of threads that it is said of: what is recommended is no other. */
export interface Decision {
  readonly verdict: Verdict;
  readonly row?: Gain;
}

export interface Figures {
  /** Of those that memory has room for. */
  readonly best: Gain | undefined;
  /** Of all numbers of threads that were measured. */
  readonly gains: readonly Gain[];
  readonly knee: Findings['knee'];
  readonly breakEven: BreakEven;
  readonly noise: number | undefined;
}

type Rule = (samples: Samples, figures: Figures) => Decision | undefined;

export function verdictOf(samples: Samples, figures: Figures): Decision {
  return (
    firstVerdict(RULES, samples, figures) ??
    unknown(`${unclear(samples, figures)}. ${whatWouldTell(samples)}`)
  );
}

function unknown(why: string): Decision {
  return { verdict: { answer: 'unknown', sentence: `Cannot tell: ${why}` } };
}

function dont(answer: 'inline' | 'async', why: string): Decision {
  return { verdict: { answer, sentence: `Don't: ${why}` } };
}

/** The first that applies: what is certain, then what is likely. */
const RULES: readonly Rule[] = [
  cannotRun,
  waits,
  cannotCross,
  pays,
  doesNotPay,
  isTooShort,
  probablyPays,
  likelyPays,
  likelyDoesNotPay,
];

function cannotRun({ behaviour: { ended, neverSettled, failures } }: Samples): Decision | undefined {
  if (ended !== undefined) return unknown(`a call ends its process (${endOf(ended)})`);
  if (neverSettled !== undefined) return unknown(`a call had not settled after ${duration(neverSettled)}`);
  if (failures.calls === 0 || failures.failed < failures.calls) return undefined;
  return unknown(`every call fails${failures.first === undefined ? '' : `: ${failures.first}`}`);
}

function waits(samples: Samples, { gains }: Figures): Decision | undefined {
  const share = computingShare(samples);
  if (!samples.behaviour.returnsPromise || share === undefined) return undefined;
  const callMs = samples.inline.callMs?.p50;
  const time = callMs === undefined ? 'its time' : `its ${duration(callMs)}`;
  if (computesLessThan(WAITS, samples)) {
    return dont(
      'async',
      `it waits, it does not compute: a call computes for ${part(share.value)} of ${time}, and the event loop can wait for many at a time`,
    );
  }
  // The loop can fill all the time that a call waits with other calls: so many times as many.
  const alone = 1 / (loopShare(samples)?.high ?? 1);
  const most = mostOf(samples, gains);
  if (!computesLessThan(MOSTLY_WAITS, samples) || alone < WORTH_IT || most >= alone) return undefined;
  return dont(
    'async',
    `a call computes for ${part(share.value)} of ${time} and waits for the rest: many at a time on one event loop are up to ${times({ value: alone })} the calls, threads bring at most ${times({ value: most })}`,
  );
}

function cannotCross({ behaviour: { endedInWorker, uncloneable } }: Samples): Decision | undefined {
  if (endedInWorker !== undefined) return dont('inline', endingInWorker(endedInWorker));
  const which = uncloneable.argument === undefined ? 'result' : 'argument';
  const why = uncloneable[which];
  return why === undefined ? undefined : dont('inline', `its ${which}s cannot go to another thread: ${why}`);
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

function pays(samples: Samples, { knee, best, noise }: Figures): Decision | undefined {
  if (roundsOf(samples) < FEWEST_ROUNDS) return undefined;
  const row = [knee, best].find((of) => of !== undefined && isWorthIt(overLoop(samples, of.gain), noise));
  if (row === undefined || isGainOfOthers(samples, row)) return undefined;
  const isMixed = samples.behaviour.returnsPromise && computesLessThan(MOSTLY_WAITS, samples);
  const fair = isMixed
    ? `, ${times(overLoop(samples, row.gain))} what one event loop can do with many calls at a time`
    : '';
  const sentence = `Threads pay: ${times(row.gain)} with ${counted(row.threads, 'thread')}${fair}`;
  return { verdict: { answer: 'threads', sentence }, row };
}

/** From here on nobody would call a gain of more calls a small one, however it is told. */
const SMALL = 1.25;

/** The interval is on one side of one, though not as far from it as the very same differs by. */
function probablyPays(samples: Samples, { knee, best }: Figures): Decision | undefined {
  if (roundsOf(samples) < FEWEST_ROUNDS || isBusy(samples.machine)) return undefined;
  const row = [knee, best].find((of) => of !== undefined && overLoop(samples, of.gain).low > 1);
  if (row === undefined) return undefined;
  const { gain, threads } = row;
  const withThreads = `with ${counted(threads, 'thread')}`;
  if (overLoop(samples, gain).value >= WORTH_IT) {
    const sentence = `Threads probably pay: ${timesFromTo(gain)} ${withThreads}`;
    return { verdict: { answer: 'threads', sentence, isLikely: true }, row };
  }
  if (gain.high > SMALL) return undefined;
  const sentence = `Hardly worth it: threads bring ${percentMore(gain)} more calls ${withThreads}`;
  return { verdict: { answer: 'inline', sentence, isLikely: true } };
}

/** Beside others threads bring less than on free cores, but not so much less: then something else is in their way. */
const NOT_MUCH_LESS = 0.85;

/** On a busy machine the CPU time decides: what others take of the cores changes it least. */
function likelyPays(samples: Samples, { gains }: Figures): Decision | undefined {
  const free = isToBeEstimated(samples) ? onFreeCores(samples) : undefined;
  const row = gains.find(({ threads }) => threads === usableCores(samples.machine));
  if (free === undefined || row === undefined || !free.isParallel || !isWorthIt(free.gain)) return undefined;
  if (row.gain.high < 1 || row.gain.value < NOT_MUCH_LESS) return undefined;
  const here = `here ${timesFromTo(row.gain)} with ${counted(row.threads, 'thread')}`;
  const sentence = `Likely, threads pay: ${expected(samples, free)} (${here})`;
  return { verdict: { answer: 'threads', sentence, isLikely: true }, row };
}

function likelyDoesNotPay(samples: Samples, { best }: Figures): Decision | undefined {
  const free = isToBeEstimated(samples) ? onFreeCores(samples) : undefined;
  if (free === undefined || best === undefined || computesLessThan(MOSTLY_WAITS, samples)) return undefined;
  if (free.most >= WORTH_IT) return undefined;
  const sentence = `Likely, threads do not pay: ${expected(samples, free)} (here ${timesFromTo(best.gain)})`;
  return { verdict: { answer: 'inline', sentence, isLikely: true } };
}

function isToBeEstimated(samples: Samples): boolean {
  return isBusy(samples.machine) && roundsOf(samples) >= FEWEST_ROUNDS;
}

function expected({ machine }: Samples, { gain, callMs, crossingMs }: OnFreeCores): string {
  return `a call computes ${duration(callMs)}, a crossing costs ${duration(crossingMs)}: about ${times(gain)} on ${counted(usableCores(machine), 'free core')}`;
}

/** On cores that are shared, threads take time from other programs: that much more is not worth the name. */
function isGainOfOthers(samples: Samples, { threads, gain }: Gain): boolean {
  if (!isBusy(samples.machine) || computesLessThan(MOSTLY_WAITS, samples)) return false;
  const pool = samples.threads.find((of) => of.threads === threads);
  if (onFreeCores(samples)?.isParallel !== true) return true;
  const onFree = pool && byCpuTime(samples, pool);
  return onFree === undefined || onFree.low <= 1 || gain.value > onFree.high;
}

/** Calls that wait are not helped by threads as far as one event loop, with many of them at a time, would do as well. */
function overLoop(samples: Samples, gain: Estimate): Estimate {
  if (!samples.behaviour.returnsPromise) return gain;
  const { value, low, high } = loopShare(samples) ?? { value: 1, low: 1, high: 1 };
  return { value: gain.value * value, low: gain.low * low, high: gain.high * high };
}

function doesNotPay(samples: Samples, { gains, best, breakEven, noise }: Figures): Decision | undefined {
  const most = mostOf(samples, gains);
  const isSure = roundsOf(samples) >= FEWEST_ROUNDS && isSurelyNotWorthIt(most, noise);
  // While other programs had a part of the cores, threads may have brought nothing that they would bring on free cores.
  const isLoss = isBusy(samples.machine) && mostWithoutOthers(samples) >= WORTH_IT;
  if (best === undefined || !isSure || isLoss) return undefined;
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
  const why = parts.filter(Boolean).join('; ');
  const isNear = most < 1 && most * (1 + (noise ?? 0)) >= 1;
  if (!isNear) return dont('inline', why);
  return { verdict: { answer: 'inline', sentence: `Probably don't: ${why}`, isLikely: true } };
}

/** What a machine that is busy cannot hide. */
function isTooShort(samples: Samples): Decision | undefined {
  const { callMs, rate } = samples.inline;
  if (!isBusy(samples.machine) || callMs === undefined || rate.length < FEWEST_ROUNDS) return undefined;
  if (callMs.p50 >= LEAST_CROSSING_MS || mostByRunTime(samples) >= 1) return undefined;
  return dont(
    'inline',
    `half of the calls run for ${duration(callMs.p50)} or less; to hand one over takes longer than that, whoever else has the cores`,
  );
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
  if (gain.high < 1 && lackingOf(samples) > 1) {
    return `threads bring ${timesFromTo(gain)} the calls, but more threads might pay, and were not measured`;
  }
  return `the noise is larger than the effect: threads bring ${timesFromTo(gain)} the calls${differenceBy(noise)}`;
}

/** Of what there was too little, or too much. */
function whatWouldTell(samples: Samples): string {
  const { machine, subject, behaviour } = samples;
  if (behaviour.returnsPromise && computesLessThan(1, samples)) {
    return 'Start many calls before you await the first, then measure that';
  }
  const wanted = [
    isBusy(machine) && 'a quieter machine',
    samples.threads.some(({ rate }) => rate.length > 1) &&
      lackingOf(samples) > 1 &&
      'more threads (`--threads`)',
    subject.inputs.count === 1 && 'more inputs',
    'more time (`--budget 3m`)',
  ].filter(Boolean);
  return `What would tell: ${wanted.join(', or ')}`;
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
