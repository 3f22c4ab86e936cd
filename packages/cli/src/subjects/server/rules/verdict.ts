/** What to do with a server, in one sentence and the figures that it is made of: only where the intervals allow it, better none than a wrong one. */
import { greatest } from 'd3-array';
import type { Ended } from '../../../experiment/child.js';
import * as rules from '../../../experiment/rules.js';
import * as statistics from '../../../experiment/statistics.js';
import { estimate, middleOf, pairwise, ratio, real, type Series } from '../../../experiment/statistics.js';
import * as format from '../../../format/figures.js';
import { counted, duration, perCent, times, timesFromTo } from '../../../format/figures.js';
import type { ErrorSamples, LaneSamples, ServerSamples } from './samples.js';

export type ServerAnswer = 'leave' | 'offload' | 'cluster' | 'unknown';

type ServerVerdict = rules.Verdict<ServerAnswer>;
type Maybe = ServerVerdict | undefined;

export type Figures = ReturnType<typeof figuresOf>;

/** A way of running the app that can be compared: it was measured, without errors, and did not end. */
export type Way = Figures['ways'][number];

const WORTH_SOONER = 0.67; // a way whose p99 is at most this share of the app's as it is pays, without more requests, too
const NOTICED_MS = 2; // nobody notices an answer that comes fewer milliseconds sooner
const ANSWERS_PER_ERROR = 1000; // one in this many answers may be bad: a connection is lost now and then

/** What each way brings against the app as it is, and how sure that is. */
export function figuresOf(samples: ServerSamples) {
  const { asIs, control, subject } = samples;
  /** The share by which two measurements of the unchanged server differ. A smaller effect cannot be seen. */
  const noise = {
    requests: noiseBetween(control.rate, asIs.rate),
    p99: noiseBetween(control.p99Ms, asIs.p99Ms),
  };
  const tried = [
    { lane: samples.offloaded, ...offloadWords(subject) },
    { lane: samples.cluster, ...clusterWords(subject) },
  ].flatMap(({ lane, ...words }) =>
    lane === undefined || lane.ended !== undefined || isFailing(lane.errors) ? [] : { lane, ...words },
  );
  const usable = tried.filter(({ lane }) => !isSilent(lane));
  const confidence = statistics.confidenceOfEach(usable.length);
  const ways = usable.map((way) => {
    const { lane } = way;
    const requests = real(ratio(lane.rate, asIs.rate, confidence));
    const p99 = real(ratio(lane.p99Ms, asIs.p99Ms, confidence));
    const memory = real(ratio(lane.residentBytes, asIs.residentBytes));
    const soonerMs = (middleOf(asIs.p99Ms) ?? 0) - (middleOf(lane.p99Ms) ?? 0);
    const isNoticed = p99 !== undefined && soonerMs >= NOTICED_MS;
    const isSooner = isNoticed && p99.value <= WORTH_SOONER && rules.directionOf(p99, noise.p99) === -1;
    const isNoLess = requests !== undefined && requests.low > 1 / rules.WORTH_IT;
    const bringsMore = requests !== undefined && rules.isWorthIt(requests, noise.requests);
    return {
      ...way,
      /** How many times as much it brings as the app as it is; undefined if that is no number. */
      gain: { requests, p99, memory },
      /** Whether it surely answers more requests, by the intervals and the noise. */
      bringsMore,
      /** Whether it brings more, or answers as many requests and the slowest of them much sooner. */
      pays: bringsMore || (isSooner && isNoLess && noise.p99 !== undefined),
      /** Whether the slowest requests may be answered sooner, though not surely. */
      mayAnswerSooner: isNoticed && p99.value <= (1 + WORTH_SOONER) / 2,
    };
  });
  const wayOf = (of: ServerAnswer) => ways.find(({ answer }) => answer === of);
  const [offloaded, cluster] = [wayOf('offload'), wayOf('cluster')];
  const silent = tried.find(({ lane }) => isSilent(lane))?.title;
  return { samples, cores: coresFor(samples), ways, silent, offloaded, cluster, noise };
}

/** How many cores the app and its load can use. Of a CPU quota only the whole cores are known: what they had beyond these is counted, too. */
function coresFor({ asIs, control, offloaded, cluster, machine }: ServerSamples): number {
  const used = [asIs, control, offloaded, cluster].map(
    (lane) => (middleOf(lane?.cpuShare ?? []) ?? 0) + (middleOf(lane?.loadShare ?? []) ?? 0),
  );
  const most = Number(Math.max(...used).toFixed(1)); // as sentences show it
  return Math.min(machine.cores, Math.max(rules.usableCores(machine), most));
}

function clusterWords({ processes }: ServerSamples['subject']) {
  const all = processesOf(processes);
  return {
    /** The answer where it is recommended, and what to do then. */
    answer: 'cluster' as const,
    advice: 'Cluster it',
    title: `a cluster of ${all}`,
    brings: `${all} ${processes === 1 ? 'brings' : 'bring'}`,
    /** What follows the figures: with how many threads or processes they were measured, or nothing. */
    by: ` with ${all}`,
  };
}

function offloadWords({ against, offload, threads }: ServerSamples['subject']) {
  const words = { answer: 'offload' as const, brings: 'offloading brings' };
  const title = against.join(', ');
  if (against.length > 0) return { ...words, advice: `Offload, as ${title} does`, title, by: '' };
  const functions = offload.map((each) => each.slice(each.lastIndexOf('#') + 1)).join(', ');
  const all = counted(threads, 'thread');
  return { ...words, advice: `Offload ${functions}`, title: `offloading to ${all}`, by: ` with ${all}` };
}

export function processesOf(count: number): string {
  return counted(count, 'process', 'processes');
}

/** The noise of two runs of the same app: half the range of their ratio from round to round, plus the distance of its median from 1. */
function noiseBetween(again: Series, first: Series): number | undefined {
  const ratios = pairwise(again, first, (a, b) => a / b);
  const spread = statistics.noiseOf(ratios);
  return spread === undefined ? undefined : spread + Math.abs(middleOf(ratios)! - 1);
}

export function failuresOf({ bad, sockets, timeouts }: ErrorSamples): number {
  return bad + sockets + timeouts;
}

/** Whether too many answers are errors: error pages are no work to compare. */
export function isFailing(errors: ErrorSamples): boolean {
  return failuresOf(errors) * ANSWERS_PER_ERROR > errors.answers;
}

/** Whether it answered nothing in most rounds: a rate of 0 says nothing of how many requests it would answer in more time. */
function isSilent({ rate }: LaneSamples): boolean {
  return middleOf(rate) === 0;
}

export function silence(title: string): string {
  return `${title} answered no request in most rounds: a larger --budget gives more time`;
}

const FULL = 0.9; // from this share on, all cores count as used: measuring and switching between programs take the rest

/**
 * How many cores the app, the load generator and other programs had while the app was run that way; and whether these are all. Cores that a
 * CPU quota takes from the app are there for other programs: only what those had beyond that is counted.
 */
export function roomOf({ cpuShare, loadShare, otherShare }: LaneSamples, { cores, samples }: Figures) {
  const [app = 0, load = 0, all = 0] = [cpuShare, loadShare, otherShare].map(middleOf);
  const others = Math.max(0, all - (samples.machine.cores - cores));
  return { app, load, others, isFull: app + load + others >= FULL * cores };
}

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

function cannotRun({ samples: { asIs } }: Figures): Maybe {
  if (asIs.ended !== undefined) return unknown(`the app ended ${endOf(asIs.ended, asIs)}`);
  return isFailing(asIs.errors)
    ? unknown(`the app answers with errors: ${errorsOf(asIs.errors)}`)
    : undefined;
}

/** `under load (exit code 1): TypeError: …`. */
export function endOf({ exitCode, signal, lastWords }: Ended, { rate, errors }: LaneSamples): string {
  const [first = ''] = lastWords.split('\n');
  const hadLoad = rate.length > 0 || errors.answers + errors.sockets + errors.timeouts > 0;
  return `${hadLoad ? 'under load' : 'at a single request, before there was any load'} (${signal ?? `exit code ${exitCode}`})${first && `: ${first}`}`;
}

export function errorsOf({ answers, bad, sockets, timeouts, first }: ErrorSamples): string {
  const parts = rules.applying([
    bad > 0 && `${bad} of ${counted(answers, 'answer')} had a status that is not 2xx`,
    sockets > 0 && `${counted(sockets, 'connection')} failed`,
    timeouts > 0 && `${counted(timeouts, 'request')} had no answer in time`,
  ]);
  return `${parts.join(', ')}${first === undefined ? '' : ` (the first: ${first})`}`;
}

function isTooLittle({ samples: { asIs, control, skipped }, ways, silent }: Figures): Maybe {
  // Only rounds count in which both the app as it is and its control were measured.
  const rounds = Math.min(asIs.rate.length, control.rate.length);
  if (isSilent(asIs)) return unknown(silence('the app as it is'));
  if (silent !== undefined && ways.length === 0) return unknown(silence(silent));
  if (rounds > 0 && ways.length === 0) {
    const [first] = rules.notMeasured(skipped);
    return unknown(`there is nothing to compare with${first === undefined ? '' : ` (${first})`}`);
  }
  if (rounds >= rules.FEWEST_ROUNDS) return undefined;
  if (rounds === 0) return unknown('no round of measuring was finished');
  const few = rounds === 1 ? '1 round of measuring is' : `${rounds} rounds of measuring are`;
  return unknown(`${few} too few: a larger --budget gives more`);
}

function pays({ samples, ways, noise }: Figures): Maybe {
  const [first, second] = ways.filter((way) => way.pays);
  if (first === undefined) return undefined;
  const way = second === undefined ? first : better(first, second, noise);
  const more = way.bringsMore ? `${times(way.gain.requests!)} the requests` : 'no fewer requests';
  const sentence = `${way.advice}: ${more}${way.by}${lateness(way.lane, samples.asIs)}`;
  return { answer: way.answer, sentence };
}

/** Applies where the interval is above 1, though not by more than the noise. Where the noise hides every effect, nothing is probable. */
function probablyPays({ ways, noise }: Figures): Maybe {
  const best = mostRequests(ways.filter(({ gain }) => rules.directionOf(gain.requests) === 1));
  if (best === undefined || format.isBeyondAll(noise.requests ?? 0)) return undefined;
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

/** On a full machine, where the event loop holds up the requests, their CPU time decides: on free cores each process answers what that allows. */
function likelyPays(figures: Figures): Maybe {
  const { cluster, cores, noise } = figures;
  const { asIs, subject } = figures.samples;
  const requests = cluster?.gain.requests;
  if (cluster === undefined || requests === undefined) return undefined;
  if (!roomOf(cluster.lane, figures).isFull || (middleOf(asIs.loopShare) ?? 0) < BUSY) return undefined;
  const cpuOf = ({ cpuShare, rate }: LaneSamples): number[] =>
    pairwise(cpuShare, rate, (share, each) => (1000 * share) / each);
  const alone = cpuOf(asIs);
  const cheaper = ratio(alone, cpuOf(cluster.lane));
  const most = Math.min(cores, subject.processes);
  const isWorse = rules.directionOf(requests, noise.requests) === -1;
  if (cheaper === undefined || isWorse || most * cheaper.low < rules.SMALL) return undefined;
  const takes = duration(middleOf(alone) ?? Number.NaN);
  // Cores bring no more than their number, though a request seemed to take less CPU time in the cluster.
  const gain = times({ value: most * Math.min(1, cheaper.value) });
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

const BUSY = 0.8; // an event loop that is busy for this share of the time holds up the requests
const NOT_ONLY_WAITING = 0.5; // one that is busy for less waits for something else than a core, also on a full machine
const AT_ITS_LIMIT = 0.85; // a load generator whose event loop is busy for this share cannot send requests any faster
const SURELY_WORSE = 0.7; // with less than this share of the requests a way is worse, even if the load generator held it up

/** The load generator was at its limit, so that the app might have answered more requests. */
function isHeldUpByLoad({ samples: { asIs }, ways }: Figures): Maybe {
  const isAtLimit = (lane: LaneSamples): boolean => (middleOf(lane.loadLoopShare) ?? 0) >= AT_ITS_LIMIT;
  const isHeld = ways.some(
    ({ lane, gain }) => (isAtLimit(lane) || isAtLimit(asIs)) && (gain.requests?.high ?? 1) > SURELY_WORSE,
  );
  const why = 'the load generator is at its limit, it cannot ask for more: the app does little for a request';
  return isHeld ? unknown(why) : undefined;
}

const MUCH_TAKEN = 0.15; // other programs that take more of all cores are more than the usual noise. Chosen by hand
const LEAST_LEFT = 0.1; // how many cores the app is taken to have had at least: with none, no proportion could be told

/** Others had the cores that a second process or thread would have needed. It applies where it does not pay here, or they take much of the cores. */
function isFullOfOthers(figures: Figures): Maybe {
  const { cores, ways } = figures;
  const { asIs } = figures.samples;
  if (cores < rules.WORTH_IT || (middleOf(asIs.loopShare) ?? 1) < NOT_ONLY_WAITING) return undefined;
  const held = ways.find(({ gain, lane }) => {
    const { load, others, isFull } = roomOf(lane, figures);
    const most = gain.requests?.high ?? 1;
    const taken = load + others;
    // How many times as many requests this way would bring if it had all cores, in proportion to the cores that it had here.
    const mostElsewhere = (most * cores) / Math.max(LEAST_LEFT, cores - taken);
    const isMuch = most < rules.WORTH_IT || taken >= MUCH_TAKEN * cores;
    return isFull && mostElsewhere >= rules.WORTH_IT && isMuch;
  });
  if (held === undefined) return undefined;
  const room = roomOf(held.lane, figures);
  const where = room.others > room.load ? 'without other programs' : 'with the load on another machine';
  return unknown(
    `with ${held.title} the machine is full: ${whoFills(room, cores)}; ${where} the app would have these cores, too`,
  );
}

/** `the load generator takes 0.9 of 2 cores`. */
export function whoFills({ load, others }: ReturnType<typeof roomOf>, cores: number): string {
  const too = others > rules.SYSTEM_SHARE * cores ? ` and other programs ${coresOf(others)}` : '';
  return `the load generator takes ${coresOf(load)} of ${counted(cores, 'core')}${too}`;
}

/** With one digit, but where that would read 0.1 or less. */
export function coresOf(share: number): string {
  return share.toFixed(share < 0.095 ? 2 : 1);
}

function doesNotPay(figures: Figures): Maybe {
  const { samples, ways, noise, cluster } = figures;
  const isIdle = waits(samples.asIs);
  const isSure = ways.every(({ gain: { requests } }) => {
    if (requests === undefined) return false;
    const isNot = rules.isSurelyNotWorthIt(requests.high, noise.requests);
    return isNot || (isIdle && requests.value < rules.WORTH_IT);
  });
  // A way may answer fewer requests, and yet the slowest of them sooner: figures cannot say which of the two matters more.
  if (cluster === undefined || !isSure || ways.some(({ mayAnswerSooner }) => mayAnswerSooner)) {
    return undefined;
  }
  return { answer: 'leave', sentence: `Leave it: ${whyLeave(figures)}; ${ways.map(bring).join(', ')}` };
}

/** Whether the event loops of app and load generator have time left: then a second process could answer no more requests, despite all noise. */
function waits({ loopShare, loadLoopShare }: LaneSamples): boolean {
  return [loopShare, loadLoopShare].every((of) => (estimate(of)?.high ?? 1) < NOT_ONLY_WAITING);
}

function bring({ gain, brings }: Way): string {
  const { value, high } = gain.requests!;
  const isAtMost = value >= rules.AS_MANY && high <= rules.WORTH_IT;
  if (isAtMost) return `${brings} at most ${perCent(Math.max(0, high - 1))} more requests`;
  return `${brings} ${timesFromTo(gain.requests!)} the requests`;
}

function whyLeave(figures: Figures): string {
  const { cores } = figures;
  const { asIs, subject, machine } = figures.samples;
  const { app, isFull } = roomOf(asIs, figures);
  const loop = middleOf(asIs.loopShare);
  if (machine.cores === 1) return 'there is one core';
  if (loop !== undefined && loop < BUSY) {
    return `with ${counted(subject.connections.used, 'connection')} its event loop is busy for ${perCent(loop)} of the time, and waits for the rest`;
  }
  if (app > 1.5 && isFull) return `one process keeps ${coresOf(app)} of ${cores} cores busy already`;
  return 'other ways answer hardly more requests, or fewer';
}

function unclear({ ways, noise: { requests }, cluster }: Figures): string {
  const best = mostRequests(ways);
  const gain = best?.gain.requests;
  if (best === undefined || gain === undefined) return 'not enough was measured';
  const brought = `${best.brings} ${timesFromTo(gain)} the requests`;
  if (cluster === undefined) return `a cluster could not be measured, and ${brought}`;
  const differ =
    requests === undefined
      ? ''
      : `, and repeated runs of the same differ by ${format.differenceInWords(requests)}`;
  const late = best.gain.p99 === undefined ? '' : `, ${timesFromTo(best.gain.p99)} the p99`;
  return `the noise is larger than the effect: ${brought}${late}${differ}`;
}
