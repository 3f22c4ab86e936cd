/** The figures that sentences are made of: what each way brings against the app as it is, and how sure that is. */
import { directionOf, isWorthIt, WORTH_IT } from '../../../experiment/rules.js';
import {
  confidenceOfEach,
  middleOf,
  noiseOf,
  pairwise,
  ratio,
  real,
  type Series,
} from '../../../experiment/statistics.js';
import type { Gain, Noise } from './find.js';
import type { ErrorSamples, LaneSamples, ServerSamples } from './samples.js';

export type WayName = 'offloaded' | 'cluster';

/** A way of running the app that was measured. */
export interface Way {
  readonly name: WayName;
  readonly lane: LaneSamples;
  readonly gain: Gain;
}

export interface Figures {
  /** Those that can be compared: without errors, and not ended. */
  readonly ways: readonly Way[];
  readonly noise: Noise;
  /** In which the app as it is was compared with its control. */
  readonly rounds: number;
}

/** Answers that come so much sooner are worth having, with no more requests. */
const WORTH_SOONER = 0.67;
/** Nobody notices less. Milliseconds. */
const NOTICED_MS = 2;
/** Of so many answers one may be bad: a connection is lost now and then. */
const ANSWERS_PER_ERROR = 1000;

export function figuresOf(samples: ServerSamples): Figures {
  const named = [
    { name: 'offloaded', lane: samples.offloaded },
    { name: 'cluster', lane: samples.cluster },
  ] as const;
  const found = named.flatMap(({ name, lane }) =>
    lane === undefined || lane.ended !== undefined || isFailing(lane.errors) ? [] : [{ name, lane }],
  );
  const confidence = confidenceOfEach(found.length);
  const ways = found.map(({ name, lane }) => ({ name, lane, gain: gainOf(lane, samples.asIs, confidence) }));
  const rounds = Math.min(samples.asIs.rate.length, samples.control.rate.length);
  const requests = noise(samples.control.rate, samples.asIs.rate);
  return { ways, noise: { requests, p99: noise(samples.control.p99Ms, samples.asIs.p99Ms) }, rounds };
}

/** Error pages are no work that could be compared. */
export function isFailing({ answers, bad, sockets, timeouts }: ErrorSamples): boolean {
  return (bad + sockets + timeouts) * ANSWERS_PER_ERROR > answers;
}

function gainOf(lane: LaneSamples, asIs: LaneSamples, confidence: number): Gain {
  return {
    requests: real(ratio(lane.rate, asIs.rate, confidence)),
    p99: real(ratio(lane.p99Ms, asIs.p99Ms, confidence)),
    memory: real(ratio(lane.residentBytes, asIs.residentBytes)),
  };
}

/** Half of what the ratio of the very same differs by from round to round, and by how far it is off one altogether. */
function noise(again: Series, first: Series): number | undefined {
  const ratios = pairwise(again, first, (a, b) => a / b);
  const spread = noiseOf(ratios);
  const middle = middleOf(ratios);
  return spread === undefined || middle === undefined ? undefined : spread + Math.abs(middle - 1);
}

/** The intervals, and what the very same differs by, leave no doubt that more requests are answered. */
export function bringsMore({ gain }: Way, { requests: share }: Noise): boolean {
  return gain.requests !== undefined && isWorthIt(gain.requests, share);
}

/** As many requests or more, and the slowest of them are answered much sooner. */
export function answersSooner({ gain, lane }: Way, asIs: LaneSamples, of: Noise): boolean {
  const { requests, p99 } = gain;
  if (requests === undefined || p99 === undefined || of.p99 === undefined) return false;
  const isSure = directionOf(p99, of.p99) === -1 && p99.value <= WORTH_SOONER && isNoticed(lane, asIs);
  return isSure && requests.low > 1 / WORTH_IT;
}

/** It looks a little like it: too much so to say that it is not. */
export function mayAnswerSooner({ gain: { p99 }, lane }: Way, asIs: LaneSamples): boolean {
  return p99 !== undefined && p99.value <= (1 + WORTH_SOONER) / 2 && isNoticed(lane, asIs);
}

function isNoticed(lane: LaneSamples, asIs: LaneSamples): boolean {
  return (middleOf(asIs.p99Ms) ?? 0) - (middleOf(lane.p99Ms) ?? 0) >= NOTICED_MS;
}

/** How many cores the load generator and other programs had while the app was run that way; and whether any were left. */
export interface Room {
  readonly app: number;
  readonly load: number;
  readonly others: number;
  readonly isFull: boolean;
}

/** Of the cores, so much in use is all of them: what measures and what switches has a part as well. */
const FULL = 0.9;

export function roomOf(lane: LaneSamples, cores: number): Room {
  const app = middleOf(lane.cpuShare) ?? 0;
  const load = middleOf(lane.loadShare) ?? 0;
  const others = middleOf(lane.otherShare) ?? 0;
  return { app, load, others, isFull: app + load + others >= FULL * cores };
}
