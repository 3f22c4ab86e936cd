/** The verdict: one sentence that says what to do, where the intervals allow it. No verdict is better than a wrong one. */
import { endedBy } from '../../../experiment/child.js';
import * as rules from '../../../experiment/rules.js';
import { isSurelyNotWorthIt, isWorthIt } from '../../../experiment/rules.js';
import { noiseOf } from '../../../experiment/statistics.js';
import * as say from '../../../format/figures.js';
import { disagrees } from './break-even.js';
import * as busy from './busy.js';
import type { Facts } from './facts.js';
import type { Gain } from './scaling.js';

/** A call that returns a promise counts as one that waits if it computes for a smaller share of its time than this. */
const WAITS = 0.25;

export type Answer = 'threads' | 'inline' | 'async' | 'unknown';

/** `row`: the number of threads that the verdict is about, which is also the one that is recommended. */
export type Decision = rules.Verdict<Answer> & { readonly row?: Gain };

/** The first rule that applies decides: the certain ones come before the likely ones. */
export function verdictOf(facts: Facts): Decision {
  return (
    cannotRun(facts) ??
    waits(facts) ??
    cannotCross(facts) ??
    pays(facts) ??
    doesNotPay(facts) ??
    isTooShort(facts) ??
    probablyPays(facts) ??
    onFreeCores(facts) ??
    unknown(`${unclear(facts)}. ${whatWouldTell(facts)}`)
  );
}

const unknown = (why: string): Decision => ({ answer: 'unknown', sentence: `Cannot tell: ${why}` });
const dont = (answer: 'inline' | 'async', why: string): Decision => ({ answer, sentence: `Don't: ${why}` });
const likely = (answer: Answer, sentence: string): Decision => ({ answer, sentence, isLikely: true });

function cannotRun({ samples }: Facts): Decision | undefined {
  const { ended, neverSettled, failures, atInput } = samples.behaviour;
  const where =
    atInput === undefined || samples.subject.inputs.count === 1 ? '' : ` at input ${say.count(atInput)}`;
  if (ended !== undefined) return unknown(`a call ends its process${where} ${endedBy(ended)}`);
  if (neverSettled !== undefined)
    return unknown(`a call had not settled${where} after ${say.duration(neverSettled)}`);
  if (failures.calls === 0 || failures.failed < failures.calls) return undefined;
  return unknown(`every call fails${failures.first === undefined ? '' : `: ${failures.first}`}`);
}

function waits({ samples, computing, isMixed, loop, most }: Facts): Decision | undefined {
  if (!samples.behaviour.returnsPromise || computing === undefined) return undefined;
  const callMs = samples.inline.callMs?.p50;
  const time = callMs === undefined ? 'its time' : `its ${say.duration(callMs)}`;
  const computes = `a call computes for ${say.part(computing.value)} of ${time}`;
  if (busy.computesLessThan(WAITS, samples)) {
    const why = `it waits, it does not compute: ${computes}, and the event loop can wait for many at a time`;
    return dont('async', why);
  }
  // The gain that one event loop can bring without threads, by making other calls while one waits.
  const alone = 1 / (loop?.high ?? 1);
  if (!isMixed || alone < rules.WORTH_IT || most >= alone) return undefined;
  const without = `one event loop with many calls at a time does up to ${say.times({ value: alone })} the calls`;
  const threads = `threads bring ${say.timesAfter('at most', { value: most })}`;
  return dont('async', `${computes} and waits for the rest: ${without}, ${threads}`);
}

function cannotCross({ samples }: Facts): Decision | undefined {
  const { endedInWorker, failsInWorker, uncloneable, returnsStream } = samples.behaviour;
  // Until a call was timed on the main thread, it is not known whether the function ends that thread, too, a moment after a call.
  if (endedInWorker !== undefined && samples.inline.callMs !== undefined) {
    // A signal ends the whole process: native code. An exit code may be that of the worker alone, and JavaScript's doing.
    const isWhole = endedInWorker.signal !== null;
    const exits =
      'it calls `process.exit` where it is not the main thread, or throws an error there that nothing catches, or ';
    const by = endedBy({ ...endedInWorker, error: undefined });
    const how = `in a worker it ends ${isWhole ? 'the process ' : ''}${by}, on the main thread it does not`;
    return dont('inline', `${how}: ${isWhole ? '' : exits}its native code cannot run in threads`);
  }
  if (failsInWorker !== undefined && samples.inline.callMs !== undefined) {
    return dont('inline', `in a worker it fails, on the main thread it does not: ${failsInWorker}`);
  }
  const { argument, result } = uncloneable;
  if (argument !== undefined) return dont('inline', `its arguments cannot go to another thread: ${argument}`);
  if (returnsStream) {
    const how = 'it returns a generator or a stream, whose values go to another thread one by one';
    return unknown(
      `${how} (\`pool.stream\`), which is not measured. What would tell: a function that returns all of them in an array`,
    );
  }
  return result === undefined
    ? undefined
    : dont('inline', `its results cannot go to another thread: ${result}`);
}

function pays(facts: Facts): Decision | undefined {
  const { rows, noise, hasEnough, isMixed, overLoop } = facts;
  const row = rows.find((of) => isWorthIt(overLoop(of), noise));
  if (!hasEnough || row === undefined || isGainOfOthers(facts, row)) return undefined;
  const fair = `, ${say.times(overLoop(row))} what one event loop can do with many calls at a time`;
  const sentence = `Threads pay: ${say.times(row.gain)} with ${say.counted(row.threads, 'thread')}${isMixed ? fair : ''}`;
  return { answer: 'threads', sentence, row };
}

/** The gain is surely above 1, but not by more than the noise, or too small to be worth it. */
function probablyPays({ rows, hasEnough, isBusy, overLoop }: Facts): Decision | undefined {
  const row = rows.find((of) => overLoop(of).low > 1);
  if (!hasEnough || isBusy || row === undefined) return undefined;
  const { gain, threads } = row;
  const withThreads = `with ${say.counted(threads, 'thread')}`;
  if (overLoop(row).value >= rules.WORTH_IT) {
    return { ...likely('threads', `Threads probably pay: ${say.timesFromTo(gain)} ${withThreads}`), row };
  }
  const more = say.range(gain, (times) => say.perCent(times - 1));
  return gain.high > rules.SMALL
    ? undefined
    : likely('inline', `Hardly worth it: threads bring ${more} more calls ${withThreads}`);
}

/** Other programs alone do not lower the gain of threads below this: if it is lower, something else is in their way. */
const NOT_MUCH_LESS = 0.85;

/** Up to this many times what a call and its crossing cost, the crossing explains what a call costs with threads. */
const EXPLAINED = 1.1;

/** On a busy machine the CPU time of a call decides, since other programs change it least. */
function onFreeCores({ samples, gains, cores, best, ...facts }: Facts): Decision | undefined {
  const free = facts.isBusy && facts.hasEnough ? busy.onFreeCores(samples) : undefined;
  if (free === undefined) return undefined;
  const { callMs, pooledMs } = free;
  // For long calls, what a call costs more with threads is mostly noise: a crossing costs no more than it did when it was measured by itself.
  const crossingMs = Math.min(free.crossingMs, facts.crossingMs ?? Number.POSITIVE_INFINITY);
  // Calls that run at the same time may be in each other's way: then it is not the crossing that they cost more by.
  const isCrossing = pooledMs < EXPLAINED * (callMs + crossingMs);
  // The report also has what a crossing cost when it was measured by itself: beside other programs that may be far more.
  const atLeast = crossingMs < (facts.crossingMs ?? 0) ? 'at least ' : '';
  const price = isCrossing
    ? `a crossing costs ${atLeast}${say.duration(crossingMs)}`
    : `with threads ${say.duration(pooledMs)}`;
  const expected = `a call computes ${say.duration(callMs)}, ${price}: ${say.timesAfter('about', free.gain)} on ${say.counted(cores, 'free core')}`;
  const row = gains.find(({ threads }) => threads === cores);
  // The system shares cores out by threads: beside other programs, a pool with more threads than cores may get more of the cores, and so show a gain.
  const isMuchLess = gains.every(
    ({ threads, gain }) => threads < cores || gain.high < 1 || gain.value < NOT_MUCH_LESS,
  );
  if (row !== undefined && !isMuchLess && free.isParallel && isWorthIt(free.gain)) {
    const here = `here ${say.timesFromTo(row.gain)} with ${say.counted(row.threads, 'thread')}`;
    return { ...likely('threads', `Likely, threads pay: ${expected} (${here})`), row };
  }
  if (best === undefined || facts.mostlyWaits) return undefined;
  // More calls even beside other programs speak against it, as the rounds that were kept may have been bad ones by chance; but not where the
  // function uses all cores by itself, and so can gain nothing but a larger share of them.
  if (best.gain.value >= 1 && !free.usesAll) return undefined;
  // The estimate needs a CPU time that stays the same. That of a call which waits for memory changes with what others do to the caches.
  if (!isSurelyNotWorthIt(free.most, noiseOf(samples.inline.cpuMs))) return undefined;
  return likely('inline', `Likely, threads do not pay: ${expected} (here ${say.timesFromTo(best.gain)})`);
}

/** Whether the gain may only be core time that threads took from other programs. */
function isGainOfOthers({ samples, isBusy, mostlyWaits, cores }: Facts, { threads, gain }: Gain): boolean {
  if (!isBusy || mostlyWaits) return false;
  const pool = samples.threads.find((of) => of.threads === threads);
  if (busy.onFreeCores(samples)?.isParallel !== true) return true;
  const onFree = pool && busy.byCpuTime(samples, pool);
  // Where the CPU time of a call varies from round to round, the upper end of the estimate is more than all cores can bring.
  return onFree === undefined || onFree.low <= 1 || gain.value > Math.min(onFree.high, cores);
}

function doesNotPay(facts: Facts): Decision | undefined {
  const { samples, best, noise, most } = facts;
  // Other programs may have hidden a gain that threads would bring on free cores.
  const mayPay = facts.isBusy && busy.mostWithoutOthers(samples) >= rules.WORTH_IT;
  if (best === undefined || !facts.hasEnough || !isSurelyNotWorthIt(most, noise) || mayPay) return undefined;
  const runMs = samples.inline.callMs?.mean;
  const crossingMs = busy.crossingMsOf(samples);
  const crossing = crossingMs === undefined ? '' : `, a crossing costs ${say.duration(crossingMs)}`;
  const from = facts.breakEven.runMs;
  const hardlyMore =
    most < 2 - rules.AS_MANY
      ? 'threads bring no more calls'
      : `threads bring at most ${say.perCent(most - 1)} more calls, which does not pay for their memory`;
  const parts = [
    samples.machine.cores === 1 && 'there is one core',
    runMs !== undefined && `a call runs for ${say.duration(runMs)}${crossing}`,
    most < rules.AS_MANY ? `threads bring ${say.timesFromTo(best.gain)} the calls` : hardlyMore,
    // If a call runs for longer than that, something else keeps threads from paying.
    from !== undefined &&
      runMs !== undefined &&
      runMs < from.low &&
      disagrees(samples, best.gain) === undefined &&
      `they begin to pay at about ${say.duration(from.value)} a call`,
  ];
  const why = parts.filter(Boolean).join('; ');
  const isNear = most < 1 && most * (1 + (noise ?? 0)) >= 1;
  return isNear ? likely('inline', `Probably don't: ${why}`) : dont('inline', why);
}

/** Threads do not pay for calls shorter than any crossing, however busy the machine. */
function isTooShort({ samples, isBusy }: Facts): Decision | undefined {
  const { callMs, rate } = samples.inline;
  if (!isBusy || callMs === undefined || rate.length < rules.FEWEST_ROUNDS) return undefined;
  if (callMs.p50 >= busy.LEAST_CROSSING_MS || busy.mostByRunTime(samples) >= 1) return undefined;
  const half = `half of the calls run for ${say.duration(callMs.p50)} or less`;
  return dont('inline', `${half}; to hand a call over takes longer than that, even on free cores`);
}

function unclear({ samples, best, noise, rounds, isBusy, lacking }: Facts): string {
  if (best === undefined) return 'not enough was measured';
  const { gain } = best;
  if (rounds < rules.ENOUGH_ROUNDS) {
    return `${say.counted(rounds, 'round')} of measuring are too few; threads brought ${say.timesAfter('about', gain)} the calls`;
  }
  const others = samples.machine.othersShare;
  if (others !== undefined && isBusy) {
    return `other programs had ${say.perCent(others)} of the cores while it was measured: threads brought ${say.timesFromTo(gain)} the calls`;
  }
  if (isWorthIt(gain, noise)) {
    return `threads bring ${say.times(gain)} the calls, but a call also waits, and one event loop with many at a time may do as well`;
  }
  const brings = `threads bring ${say.timesFromTo(gain)} the calls`;
  if (gain.high < 1 && lacking > 1) return `${brings}, but more threads might pay, and were not measured`;
  const differ =
    noise === undefined ? '' : `, and repeated runs of the same differ by ${say.differenceInWords(noise)}`;
  return `the noise is larger than the effect: ${brings}${differ}`;
}

function whatWouldTell({ samples, isBusy, lacking, hasEnough }: Facts): string {
  const { subject, behaviour, threads } = samples;
  if (hasEnough && behaviour.returnsPromise && busy.computesLessThan(1, samples)) {
    return 'Start many calls before you await the first, then measure that';
  }
  const wanted = rules.applying([
    isBusy && 'a quieter machine',
    threads.some(({ rate }) => rate.length > 1) && lacking > 1 && 'more threads (`--threads`)',
    subject.inputs.count === 1 && 'more inputs',
    'more time (`--budget 3m`)',
  ]);
  return `What would tell: ${wanted.join(', or ')}`;
}
