/** One sentence that says what to do with a server. It is given only where the intervals allow it: no verdict is better than a wrong one. */
import { greatest } from 'd3-array';
import type { Ended } from '../../../experiment/child.js';
import * as rules from '../../../experiment/rules.js';
import { estimate, middleOf, pairwise, ratio } from '../../../experiment/statistics.js';
import {
  counted,
  differenceInWords,
  duration,
  isBeyondAll,
  perCent,
  times,
  timesFromTo,
} from '../../../format/figures.js';
import { type Figures, isFailing, processesOf, type Room, roomOf, type Way } from './figures.js';
import type { ErrorSamples, LaneSamples } from './samples.js';

export type ServerAnswer = 'leave' | 'offload' | 'cluster' | 'unknown';

type ServerVerdict = rules.Verdict<ServerAnswer>;

/** The first rule that applies gives the verdict. */
export function serverVerdict(figures: Figures): ServerVerdict {
  return (
    cannotRun(figures) ??
    isTooLittle(figures) ??
    pays(figures) ??
    likelyPays(figures) ??
    isFullOfOthers(figures) ??
    isHeldUpByLoad(figures) ??
    doesNotPay(figures) ??
    probablyPays(figures) ??
    unknown(`${unclear(figures)}. ${rules.WHAT_WOULD_TELL}`)
  );
}

function unknown(why: string): ServerVerdict {
  return { answer: 'unknown', sentence: `Cannot tell: ${why}` };
}

function cannotRun({ samples: { asIs } }: Figures): ServerVerdict | undefined {
  if (asIs.ended !== undefined) return unknown(`the app ended ${endOf(asIs.ended, asIs)}`);
  if (isFailing(asIs.errors)) return unknown(`the app answers with errors: ${errorsOf(asIs.errors)}`);
  return undefined;
}

/** `under load (exit code 1): TypeError: …`. */
export function endOf({ exitCode, signal, lastWords }: Ended, { rate, errors }: LaneSamples): string {
  const [first = ''] = lastWords.split('\n');
  const hadLoad = rate.length > 0 || errors.answers + errors.sockets + errors.timeouts > 0;
  return `${hadLoad ? 'under load' : 'at a single request, before there was any load'} (${signal ?? `exit code ${exitCode}`})${first && `: ${first}`}`;
}

export function errorsOf({ answers, bad, sockets, timeouts, first }: ErrorSamples): string {
  const parts = [
    bad > 0 && `${bad} of ${counted(answers, 'answer')} had a status that is not 2xx`,
    sockets > 0 && `${counted(sockets, 'connection')} failed`,
    timeouts > 0 && `${counted(timeouts, 'request')} had no answer in time`,
  ];
  const said = first === undefined ? '' : ` (the first: ${first})`;
  return `${parts.filter(Boolean).join(', ')}${said}`;
}

function isTooLittle({ samples, ways }: Figures): ServerVerdict | undefined {
  const { asIs, control, skipped } = samples;
  // Only rounds count in which both the app as it is and its control were measured.
  const rounds = Math.min(asIs.rate.length, control.rate.length);
  if (asIs.rate.length > 0 && asIs.errors.answers === 0)
    return unknown('no request was answered in time: a larger --budget gives more time');
  if (rounds > 0 && ways.length === 0) {
    const [first] = rules.notMeasured(skipped);
    return unknown(`there is nothing to compare with${first === undefined ? '' : ` (${first})`}`);
  }
  if (rounds >= rules.FEWEST_ROUNDS) return undefined;
  if (rounds === 0) return unknown('no round of measuring was finished');
  const few = rounds === 1 ? '1 round of measuring is' : `${rounds} rounds of measuring are`;
  return unknown(`${few} too few: a larger --budget gives more`);
}

function pays({ samples, ways, noise }: Figures): ServerVerdict | undefined {
  const [first, second] = ways.filter((way) => way.pays);
  if (first === undefined) return undefined;
  const way = second === undefined ? first : better(first, second, noise);
  const more = way.bringsMore ? `${times(way.gain.requests!)} the requests` : 'no fewer requests';
  const sentence = `${way.advice}: ${more}${way.by}${lateness(way.lane, samples.asIs)}`;
  return { answer: way.answer, sentence };
}

/** Applies where the interval is above 1, though not by more than the noise. Where the noise hides every effect, nothing is probable. */
function probablyPays({ ways, noise }: Figures): ServerVerdict | undefined {
  const best = mostRequests(ways.filter(({ gain }) => rules.directionOf(gain.requests) === 1));
  if (best === undefined || isBeyondAll(noise.requests ?? 0)) return undefined;
  const { answer, advice, gain } = best;
  const { value, high } = gain.requests!;
  const isWorthIt = value >= rules.WORTH_IT;
  if (!isWorthIt && high > rules.SMALL) return undefined;
  const what = isWorthIt ? `Probably ${advice[0]!.toLowerCase()}${advice.slice(1)}` : 'Hardly worth it';
  return { answer: isWorthIt ? answer : 'leave', sentence: `${what}: ${bring(best)}`, isLikely: true };
}

function mostRequests(ways: readonly Way[]): Way | undefined {
  return greatest(ways, ({ gain }) => gain.requests?.value);
}

/**
 * On a full machine, the CPU time of a request decides: processes share nothing, so that on free cores each answers as many requests as
 * that time allows. It applies only where the event loop holds up the requests of the app as it is.
 */
function likelyPays({ samples, cluster, cores, noise }: Figures): ServerVerdict | undefined {
  const { asIs, subject } = samples;
  const requests = cluster?.gain.requests;
  if (cluster === undefined || requests === undefined) return undefined;
  if (!roomOf(cluster.lane, cores).isFull || (middleOf(asIs.loopShare) ?? 0) < BUSY) return undefined;
  const cpuOf = ({ cpuShare, rate }: LaneSamples): number[] =>
    pairwise(cpuShare, rate, (share, each) => (1000 * share) / each);
  const alone = cpuOf(asIs);
  const cheaper = ratio(alone, cpuOf(cluster.lane));
  const most = Math.min(cores, subject.processes);
  if (
    cheaper === undefined ||
    rules.directionOf(requests, noise.requests) === -1 ||
    most * cheaper.low < rules.SMALL
  )
    return undefined;
  const takes = duration(middleOf(alone) ?? Number.NaN);
  const gain = times({ value: most * cheaper.value });
  const sentence = `Likely, cluster it: a request takes ${takes} of CPU time: about ${gain} the requests with ${processesOf(subject.processes)} on ${counted(cores, 'free core')} (here ${timesFromTo(requests)})`;
  return { answer: 'cluster', sentence, isLikely: true };
}

/** The better way: it surely answers more requests, or else the slowest surely sooner, or else takes less memory. */
function better(a: Way, b: Way, noise: Figures['noise']): Way {
  const requests = rules.directionOf(ratio(a.lane.rate, b.lane.rate), noise.requests);
  if (requests !== 0) return requests > 0 ? a : b;
  const late = rules.directionOf(ratio(a.lane.p99Ms, b.lane.p99Ms), noise.p99);
  if (late !== 0) return late < 0 ? a : b;
  return (middleOf(a.lane.residentBytes) ?? 0) <= (middleOf(b.lane.residentBytes) ?? 0) ? a : b;
}

function lateness(lane: LaneSamples, asIs: LaneSamples): string {
  const [from, to] = [middleOf(asIs.p99Ms), middleOf(lane.p99Ms)];
  if (from === undefined || to === undefined) return '';
  const [before, after] = [duration(from), duration(to)];
  return before === after ? `, p99 ${before} as before` : `, p99 from ${before} to ${after}`;
}

/** An event loop that is busy for this share of the time holds up the requests. */
const BUSY = 0.8;
/** An event loop that is busy for less than this share waits for something else than a core, also on a full machine. */
const NOT_ONLY_WAITING = 0.5;

/** A load generator whose one event loop is busy for this share of the time cannot send requests any faster. */
const AT_ITS_LIMIT = 0.85;
/** With less than this share of the requests a way is worse, even if the load generator held it up. */
const SURELY_WORSE = 0.7;

/** The load generator was at its limit, so that the app might have answered more requests. */
function isHeldUpByLoad({ samples: { asIs }, ways }: Figures): ServerVerdict | undefined {
  const isAtLimit = (lane: LaneSamples): boolean => (middleOf(lane.loadLoopShare) ?? 0) >= AT_ITS_LIMIT;
  const isHeld = ways.some(
    ({ lane, gain }) => (isAtLimit(lane) || isAtLimit(asIs)) && (gain.requests?.high ?? 1) > SURELY_WORSE,
  );
  const why = 'the load generator is at its limit, it cannot ask for more: the app does little for a request';
  return isHeld ? unknown(why) : undefined;
}

/** Other programs that take at least this share of all cores are more than the usual noise of a machine. Chosen by hand. */
const MUCH_TAKEN = 0.15;
/** How many cores the app is taken to have had at least: with none, no proportion could be told. */
const LEAST_LEFT = 0.1;

/**
 * The load generator and other programs had the cores that a second process or thread would have needed: where the load comes
 * from another machine it may well pay. It applies where it does not pay here, or others take much of the cores.
 */
function isFullOfOthers({ samples: { asIs }, cores, ways }: Figures): ServerVerdict | undefined {
  if (cores < 2 || (middleOf(asIs.loopShare) ?? 1) < NOT_ONLY_WAITING) return undefined;
  const held = ways
    .map(({ gain, lane, title }) => ({ title, most: gain.requests?.high ?? 1, room: roomOf(lane, cores) }))
    .find(({ most, room }) => {
      const taken = room.load + room.others;
      // How many times as many requests this way would bring if it had all cores, in proportion to the cores that it had here.
      const mostElsewhere = (most * cores) / Math.max(LEAST_LEFT, cores - taken);
      return (
        room.isFull &&
        mostElsewhere >= rules.WORTH_IT &&
        (most < rules.WORTH_IT || taken >= MUCH_TAKEN * cores)
      );
    });
  if (held === undefined) return undefined;
  const full = `with ${held.title} the machine is full: ${whoFills(held.room, cores)}`;
  const where =
    held.room.others > held.room.load ? 'without other programs' : 'with the load on another machine';
  return unknown(`${full}; ${where} the app would have these cores, too`);
}

/** `the load generator takes 0.9 of 2 cores`. */
export function whoFills({ load, others }: Room, cores: number): string {
  const too = others > rules.SYSTEM_SHARE * cores ? ` and other programs ${coresOf(others)}` : '';
  return `the load generator takes ${coresOf(load)} of ${counted(cores, 'core')}${too}`;
}

/** Shares of at least this value are shown with one digit: with two digits, it would read 0.10. */
const ONE_DIGIT_FROM = 0.095;

export function coresOf(share: number): string {
  return share.toFixed(share < ONE_DIGIT_FROM ? 2 : 1);
}

function doesNotPay(figures: Figures): ServerVerdict | undefined {
  const { samples, ways, noise, cluster } = figures;
  const isIdle = waits(samples.asIs);
  const isSure = ways.every(({ gain: { requests } }) => {
    if (requests === undefined) return false;
    return (
      rules.isSurelyNotWorthIt(requests.high, noise.requests) || (isIdle && requests.value < rules.WORTH_IT)
    );
  });
  // A way may answer fewer requests, and yet the slowest of them sooner: figures cannot say which of the two matters more.
  if (cluster === undefined || !isSure || ways.some(({ mayAnswerSooner }) => mayAnswerSooner)) {
    return undefined;
  }
  const brought = ways.map(bring).join(', ');
  return { answer: 'leave', sentence: `Leave it: ${whyLeave(figures)}; ${brought}` };
}

/**
 * Whether the event loops of the app and of the load generator have time left: then a second process could answer no more requests,
 * however much the rates of a busy machine differ.
 */
function waits({ loopShare, loadLoopShare }: LaneSamples): boolean {
  const [app, load] = [estimate(loopShare), estimate(loadLoopShare)];
  return app !== undefined && load !== undefined && Math.max(app.high, load.high) < NOT_ONLY_WAITING;
}

function bring({ gain, brings }: Way): string {
  const { value, high } = gain.requests!;
  const isAtMost = value >= rules.AS_MANY && high <= rules.WORTH_IT;
  if (isAtMost) return `${brings} at most ${perCent(Math.max(0, high - 1))} more requests`;
  return `${brings} ${timesFromTo(gain.requests!)} the requests`;
}

function whyLeave({ samples: { asIs, subject }, cores }: Figures): string {
  const { app, isFull } = roomOf(asIs, cores);
  const loop = middleOf(asIs.loopShare);
  if (cores === 1) return 'there is one core';
  if (loop !== undefined && loop < BUSY) {
    return `with ${counted(subject.connections.used, 'connection')} its event loop is busy for ${perCent(loop)} of the time, and waits for the rest`;
  }
  if (app > 1.5 && isFull) return `one process keeps ${coresOf(app)} of ${cores} cores busy already`;
  return 'other ways answer hardly more requests, or fewer';
}

function unclear({ ways, noise, cluster }: Figures): string {
  const best = mostRequests(ways);
  const gain = best?.gain.requests;
  if (best === undefined || gain === undefined) return 'not enough was measured';
  const brought = `${best.brings} ${timesFromTo(gain)} the requests`;
  if (cluster === undefined) return `a cluster could not be measured, and ${brought}`;
  const differ =
    noise.requests === undefined
      ? ''
      : `, and repeated runs of the same differ by ${differenceInWords(noise.requests)}`;
  const late = best.gain.p99 === undefined ? '' : `, ${timesFromTo(best.gain.p99)} the p99`;
  return `the noise is larger than the effect: ${brought}${late}${differ}`;
}
