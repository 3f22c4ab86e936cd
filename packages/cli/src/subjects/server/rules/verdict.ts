/** One sentence that says what to do with a server. It is given only where the intervals allow it; a wrong one is the only failure. */
import {
  AS_MANY,
  directionOf,
  FEWEST_ROUNDS,
  firstVerdict,
  isSurelyNotWorthIt,
  notMeasured,
  usableCores,
  WORTH_IT,
} from '../../../experiment/rules.js';
import { estimate, middleOf, pairwise, ratio } from '../../../experiment/statistics.js';
import { counted, duration, perCent, times, timesFromTo } from '../../../format/figures.js';
import {
  answersSooner,
  bringsMore,
  type Figures,
  isFailing,
  mayAnswerSooner,
  type Room,
  roomOf,
  type Way,
} from './figures.js';
import type { ServerVerdict } from './find.js';
import type { EndedSamples, ErrorSamples, LaneSamples, ServerSamples } from './samples.js';

type Rule = (samples: ServerSamples, figures: Figures) => ServerVerdict | undefined;

export function serverVerdict(samples: ServerSamples, figures: Figures): ServerVerdict {
  return firstVerdict(RULES, samples, figures) ?? unknown(`${unclear(samples, figures)}. ${WHAT_WOULD_TELL}`);
}

const WHAT_WOULD_TELL = 'What would tell: a quieter machine, or more time (`--budget 3m`)';

/** The first that applies. */
const RULES: readonly Rule[] = [
  cannotRun,
  isTooLittle,
  pays,
  likelyPays,
  isFullOfOthers,
  isHeldUpByLoad,
  doesNotPay,
  probablyPays,
];

function unknown(why: string): ServerVerdict {
  return { answer: 'unknown', sentence: `Cannot tell: ${why}` };
}

function cannotRun({ asIs }: ServerSamples): ServerVerdict | undefined {
  if (asIs.ended !== undefined) return unknown(`the app ended ${endOf(asIs.ended)}`);
  if (isFailing(asIs.errors)) return unknown(`the app answers with errors: ${errorsOf(asIs.errors)}`);
  return undefined;
}

/** `under load (exit code 1): TypeError: …`. */
export function endOf({ exitCode, signal, lastWords }: EndedSamples): string {
  const [first = ''] = lastWords.split('\n');
  const said = first === '' ? '' : `: ${first}`;
  return `under load (${signal ?? `exit code ${exitCode}`})${said}`;
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

function isTooLittle(samples: ServerSamples, { rounds, ways }: Figures): ServerVerdict | undefined {
  const { asIs, skipped } = samples;
  if (asIs.rate.length > 0 && asIs.errors.answers === 0) return unknown('no request was answered in time');
  if (rounds > 0 && ways.length === 0) {
    const [first] = notMeasured(skipped);
    return unknown(`there is nothing to compare with${first === undefined ? '' : ` (${first})`}`);
  }
  if (rounds >= FEWEST_ROUNDS) return undefined;
  if (rounds === 0) return unknown('no round of measuring was finished');
  const few = rounds === 1 ? '1 round of measuring is' : `${rounds} rounds of measuring are`;
  return unknown(`${few} too few: a larger --budget gives more`);
}

function pays(samples: ServerSamples, figures: Figures): ServerVerdict | undefined {
  const paying = figures.ways.filter((way) => doesPay(way, samples.asIs, figures));
  const [first, second] = paying;
  if (first === undefined) return undefined;
  const best = second === undefined ? first : better(first, second, figures);
  const answer = best.name === 'cluster' ? 'cluster' : 'offload';
  return { answer, sentence: `${imperative(best, samples)}: ${whatItBrings(best, samples, figures)}` };
}

/** The interval is on one side of one, though not as far from it as the very same differs by. */
function probablyPays(samples: ServerSamples, figures: Figures): ServerVerdict | undefined {
  const above = figures.ways.filter(({ gain: { requests } }) => directionOf(requests) === 1);
  const best = above.toSorted((a, b) => b.gain.requests!.value - a.gain.requests!.value)[0];
  if (best === undefined) return undefined;
  const requests = best.gain.requests!;
  if (requests.value < WORTH_IT) {
    const sentence = `Hardly worth it: ${bring(best, samples)}`;
    return requests.high > SMALL ? undefined : { answer: 'leave', sentence, isLikely: true };
  }
  const answer = best.name === 'cluster' ? 'cluster' : 'offload';
  const what = imperative(best, samples);
  const sentence = `Probably ${what[0]!.toLowerCase()}${what.slice(1)}: ${bring(best, samples)}`;
  return { answer, sentence, isLikely: true };
}

/** From here on nobody would call a gain of more requests a small one. */
const SMALL = 1.25;

/**
 * On a machine that is full of others the CPU time decides: processes share nothing, so that on free cores each of them answers as many as the
 * CPU time of a request allows. Only where the event loop of one is what holds up the requests.
 */
function likelyPays(
  { asIs, machine, subject }: ServerSamples,
  { ways, noise }: Figures,
): ServerVerdict | undefined {
  const cluster = ways.find(({ name }) => name === 'cluster');
  const cores = usableCores(machine);
  if (cluster === undefined || !roomOf(cluster.lane, cores).isFull || (middleOf(asIs.loopShare) ?? 0) < BUSY)
    return undefined;
  const cpuOf = ({ cpuShare, rate }: LaneSamples): number[] =>
    pairwise(cpuShare, rate, (share, each) => (1000 * share) / each);
  const [alone, together] = [cpuOf(asIs), cpuOf(cluster.lane)];
  const cheaper = ratio(alone, together);
  const { requests } = cluster.gain;
  if (cheaper === undefined || requests === undefined || directionOf(requests, noise.requests) === -1)
    return undefined;
  const most = Math.min(cores, subject.processes);
  const gain = { value: most * cheaper.value, low: most * cheaper.low, high: most * cheaper.high };
  if (gain.low < SMALL) return undefined;
  const takes = duration(middleOf(alone) ?? Number.NaN);
  const sentence = `Likely, cluster it: a request takes ${takes} of CPU time: about ${times(gain)} the requests with ${processesOf(subject.processes)} on ${counted(cores, 'free core')} (here ${timesFromTo(requests)})`;
  return { answer: 'cluster', sentence, isLikely: true };
}

export function doesPay(way: Way, asIs: LaneSamples, { noise }: Figures): boolean {
  return bringsMore(way, noise) || answersSooner(way, asIs, noise);
}

/** By requests, else by how late the slowest are, else by what it costs: surely, or it is the same. */
export function better(a: Way, b: Way, { noise }: Figures): Way {
  const requests = directionOf(ratio(a.lane.rate, b.lane.rate), noise.requests);
  if (requests !== 0) return requests > 0 ? a : b;
  const late = directionOf(ratio(a.lane.p99Ms, b.lane.p99Ms), noise.p99);
  if (late !== 0) return late < 0 ? a : b;
  return (middleOf(a.lane.residentBytes) ?? 0) <= (middleOf(b.lane.residentBytes) ?? 0) ? a : b;
}

function imperative({ name }: Way, { subject }: ServerSamples): string {
  if (name === 'cluster') return 'Cluster it';
  if (subject.against.length > 0) return `Offload, as ${subject.against.join(', ')} does`;
  const names = subject.offload.map((each) => each.slice(each.lastIndexOf('#') + 1));
  return `Offload ${names.join(', ')}`;
}

function whatItBrings(way: Way, samples: ServerSamples, { noise }: Figures): string {
  const { gain, lane } = way;
  const { processes, threads } = samples.subject;
  const isOwnPool = samples.subject.against.length > 0;
  const pool = isOwnPool ? '' : ` with ${counted(threads, 'thread')}`;
  const by = way.name === 'cluster' ? ` with ${processesOf(processes)}` : pool;
  const more = bringsMore(way, noise) ? `${times(gain.requests!)} the requests` : 'no fewer requests';
  return `${more}${by}${lateness(lane, samples.asIs)}`;
}

export function processesOf(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}

function lateness(lane: LaneSamples, asIs: LaneSamples): string {
  const [from, to] = [middleOf(asIs.p99Ms), middleOf(lane.p99Ms)];
  if (from === undefined || to === undefined) return '';
  const [before, after] = [duration(from), duration(to)];
  return before === after ? `, p99 ${before} as before` : `, p99 from ${before} to ${after}`;
}

/** From here on an event loop is what holds up the rest. */
const BUSY = 0.8;
/** On a full machine all wait for a core now and then; an event loop that is busy for less waits for something else. */
const NOT_ONLY_WAITING = 0.5;

/** From here on the load generator, which has one thread, asks no faster than it is answered. */
const AT_ITS_LIMIT = 0.85;
/** Whatever held up the rest, so few requests are fewer. */
const SURELY_WORSE = 0.7;

/** The app could have done more, if it had been asked for more. */
function isHeldUpByLoad({ asIs }: ServerSamples, { ways }: Figures): ServerVerdict | undefined {
  const isAtLimit = (lane: LaneSamples): boolean => (middleOf(lane.loadLoopShare) ?? 0) >= AT_ITS_LIMIT;
  const isHeld = ways.some(
    ({ lane, gain }) => (isAtLimit(lane) || isAtLimit(asIs)) && (gain.requests?.high ?? 1) > SURELY_WORSE,
  );
  if (!isHeld) return undefined;
  return unknown(
    'the load generator is at its limit, it cannot ask for more: the app does little for a request',
  );
}

/**
 * The load generator and other programs had the cores that a second process or thread would have needed: where the load comes
 * from elsewhere it may well pay.
 */
function isFullOfOthers(samples: ServerSamples, figures: Figures): ServerVerdict | undefined {
  const cores = usableCores(samples.machine);
  if (cores < 2 || (middleOf(samples.asIs.loopShare) ?? 1) < NOT_ONLY_WAITING) return undefined;
  const held = figures.ways
    .map((way) => ({ way, room: roomOf(way.lane, cores) }))
    .find(({ way, room }) => isHeldBack(way, room, cores));
  if (held === undefined) return undefined;
  return unknown(
    `the machine is full: ${whoFills(held.room, cores)}, which the app would have to itself elsewhere`,
  );
}

/** From here on what others take of the cores is more than the noise of most machines. Of all cores; chosen by hand. */
const MUCH_TAKEN = 0.15;

/** It may well pay where the app has all cores to itself; and here it does not, or others take much of them: else the noise is in the way. */
function isHeldBack(way: Way, room: Room, cores: number): boolean {
  const most = way.gain.requests?.high ?? 1;
  const taken = room.load + room.others;
  // With all cores for the app, as many times as much as it had of them here.
  const mostElsewhere = (most * cores) / Math.max(0.1, cores - taken);
  if (!room.isFull || mostElsewhere < WORTH_IT) return false;
  return most < WORTH_IT || taken >= MUCH_TAKEN * cores;
}

/** `the load generator takes 0.9 of 2 cores`. */
export function whoFills({ load, others }: Room, cores: number): string {
  const who = [
    `the load generator takes ${coresOf(load)} of ${counted(cores, 'core')}`,
    others > 0.1 * cores && `other programs ${coresOf(others)}`,
  ];
  return who.filter(Boolean).join(' and ');
}

export function coresOf(share: number): string {
  return share.toFixed(share < 0.095 ? 2 : 1);
}

function doesNotPay(samples: ServerSamples, { ways, noise }: Figures): ServerVerdict | undefined {
  const cluster = ways.find(({ name }) => name === 'cluster');
  const isIdle = waits(samples.asIs);
  const isSure = ways.every(({ gain: { requests } }) => {
    if (requests === undefined) return false;
    return isSurelyNotWorthIt(requests.high, noise.requests) || (isIdle && requests.value < WORTH_IT);
  });
  // With fewer requests the slowest may still be answered sooner: which of them matters more is not for figures to say.
  const isAnySooner = ways.some((way) => mayAnswerSooner(way, samples.asIs));
  if (cluster === undefined || !isSure || isAnySooner) return undefined;
  const brought = ways.map((way) => bring(way, samples)).join(', ');
  return { answer: 'leave', sentence: `Leave it: ${whyLeave(samples)}; ${brought}` };
}

/**
 * One event loop has time left, and nobody keeps requests from it: a second one could answer no more of them, however much the
 * rates of a busy machine differ.
 */
function waits({ loopShare, loadLoopShare }: LaneSamples): boolean {
  const [app, load] = [estimate(loopShare), estimate(loadLoopShare)];
  return app !== undefined && load !== undefined && Math.max(app.high, load.high) < NOT_ONLY_WAITING;
}

function bring({ name, gain }: Way, { subject }: ServerSamples): string {
  const what = name === 'cluster' ? processesOf(subject.processes) : 'offloading';
  const verb = name === 'cluster' && subject.processes > 1 ? 'bring' : 'brings';
  const { value, high } = gain.requests!;
  if (value < AS_MANY || high > WORTH_IT)
    return `${what} ${verb} ${timesFromTo(gain.requests!)} the requests`;
  return `${what} ${verb} at most ${perCent(Math.max(0, high - 1))} more requests`;
}

function whyLeave({ asIs, machine, subject }: ServerSamples): string {
  const cores = usableCores(machine);
  const { app } = roomOf(asIs, cores);
  const loop = middleOf(asIs.loopShare);
  if (cores === 1) return 'there is one core';
  if (loop !== undefined && loop < BUSY) {
    return `with ${counted(subject.connections.used, 'connection')} its event loop is busy for ${perCent(loop)} of the time, and waits for the rest`;
  }
  if (app > 1.5 && roomOf(asIs, cores).isFull)
    return `one process keeps ${coresOf(app)} of ${cores} cores busy already`;
  return 'other ways answer hardly more requests, or fewer';
}

function unclear(samples: ServerSamples, { ways, noise }: Figures): string {
  const best = ways.toSorted((a, b) => (b.gain.requests?.value ?? 0) - (a.gain.requests?.value ?? 0))[0];
  const gain = best?.gain.requests;
  if (best === undefined || gain === undefined) return 'not enough was measured';
  const what = best.name === 'cluster' ? processesOf(samples.subject.processes) : 'offloading';
  const verb = best.name === 'cluster' ? 'bring' : 'brings';
  const cluster = ways.some(({ name }) => name === 'cluster');
  if (!cluster)
    return `a cluster could not be measured, and ${what} ${verb} ${timesFromTo(gain)} the requests`;
  const differ =
    noise.requests === undefined ? '' : `, and the very same differs by ${perCent(2 * noise.requests)}`;
  const late = best.gain.p99 === undefined ? '' : `, ${timesFromTo(best.gain.p99)} the p99`;
  return `the noise is larger than the effect: ${what} ${verb} ${timesFromTo(gain)} the requests${late}${differ}`;
}
