/** The figures that sentences are made of: what each way brings against the app as it is, and how sure that is. */
import { directionOf, isWorthIt, usableCores, WORTH_IT } from '../../../experiment/rules.js';
import {
  confidenceOfEach,
  middleOf,
  noiseOf,
  pairwise,
  ratio,
  real,
} from '../../../experiment/statistics.js';
import type { Series } from '../../../experiment/statistics.js';
import { counted } from '../../../format/figures.js';
import type { ErrorSamples, LaneSamples, ServerSamples, ServerSubject } from './samples.js';

export type Figures = ReturnType<typeof figuresOf>;

/** A way of running the app that can be compared: it was measured, without errors, and did not end. */
export type Way = Figures['ways'][number];

/** A way whose p99 is at most this share of the app's as it is pays, even without more requests. */
const WORTH_SOONER = 0.67;
/** Nobody notices an answer that comes fewer milliseconds sooner. */
const NOTICED_MS = 2;
/** One in this many answers may be bad: a connection is lost now and then. */
const ANSWERS_PER_ERROR = 1000;

export function figuresOf(samples: ServerSamples) {
  const { asIs, control, machine, subject } = samples;
  /** The share by which two measurements of the unchanged server differ. A smaller effect cannot be seen. */
  const noise = {
    requests: noiseBetween(control.rate, asIs.rate),
    p99: noiseBetween(control.p99Ms, asIs.p99Ms),
  };
  const usable = [
    { lane: samples.offloaded, ...offloadWords(subject) },
    { lane: samples.cluster, ...clusterWords(subject) },
  ].flatMap(({ lane, ...words }) =>
    lane === undefined || lane.ended !== undefined || isFailing(lane.errors) ? [] : { lane, ...words },
  );
  const confidence = confidenceOfEach(usable.length);
  const ways = usable.map((way) => {
    const { lane } = way;
    const requests = real(ratio(lane.rate, asIs.rate, confidence));
    const p99 = real(ratio(lane.p99Ms, asIs.p99Ms, confidence));
    const memory = real(ratio(lane.residentBytes, asIs.residentBytes));
    const soonerMs = (middleOf(asIs.p99Ms) ?? 0) - (middleOf(lane.p99Ms) ?? 0);
    const isNoticed = p99 !== undefined && soonerMs >= NOTICED_MS;
    const isSooner = isNoticed && p99.value <= WORTH_SOONER && directionOf(p99, noise.p99) === -1;
    const isNoLess = requests !== undefined && requests.low > 1 / WORTH_IT;
    const bringsMore = requests !== undefined && isWorthIt(requests, noise.requests);
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
  const wayOf = (of: Words['answer']) => ways.find(({ answer }) => answer === of);
  const [offloaded, cluster] = [wayOf('offload'), wayOf('cluster')];
  return { samples, cores: usableCores(machine), ways, offloaded, cluster, noise };
}

type Words = ReturnType<typeof clusterWords> | ReturnType<typeof offloadWords>;

function clusterWords({ processes }: ServerSubject) {
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

function offloadWords({ against, offload, threads }: ServerSubject) {
  const [answer, brings] = ['offload', 'offloading brings'] as const;
  if (against.length > 0) {
    const title = against.join(', ');
    return { answer, advice: `Offload, as ${title} does`, title, brings, by: '' };
  }
  const functions = offload.map((each) => each.slice(each.lastIndexOf('#') + 1)).join(', ');
  const all = counted(threads, 'thread');
  return {
    answer,
    advice: `Offload ${functions}`,
    title: `offloading to ${all}`,
    brings,
    by: ` with ${all}`,
  };
}

export function processesOf(count: number): string {
  return counted(count, 'process', 'processes');
}

/** The noise of two runs of the same app: half the range of their ratio from round to round, plus the distance of its median from 1. */
function noiseBetween(again: Series, first: Series): number | undefined {
  const ratios = pairwise(again, first, (a, b) => a / b);
  const spread = noiseOf(ratios);
  return spread === undefined ? undefined : spread + Math.abs(middleOf(ratios)! - 1);
}

export function failuresOf({ bad, sockets, timeouts }: ErrorSamples): number {
  return bad + sockets + timeouts;
}

/** Whether too many answers are errors: error pages are no work to compare. */
export function isFailing(errors: ErrorSamples): boolean {
  return failuresOf(errors) * ANSWERS_PER_ERROR > errors.answers;
}

/** From this share on, all cores count as used: measuring and switching between programs take the rest. */
const FULL = 0.9;

export type Room = ReturnType<typeof roomOf>;

/** How many cores the app, the load generator and other programs had while the app was run that way; and whether these are all. */
export function roomOf({ cpuShare, loadShare, otherShare }: LaneSamples, cores: number) {
  const [app, load, others] = [cpuShare, loadShare, otherShare].map((share) => middleOf(share) ?? 0);
  return { app: app!, load: load!, others: others!, isFull: app! + load! + others! >= FULL * cores };
}
