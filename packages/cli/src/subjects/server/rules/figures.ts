/** The figures that sentences are made of: what each way brings against the app as it is, and how sure that is. */
import { directionOf, isWorthIt, usableCores, WORTH_IT } from '../../../experiment/rules.js';
import {
  confidenceOfEach,
  type Estimate,
  middleOf,
  noiseOf,
  pairwise,
  ratio,
  real,
  type Series,
} from '../../../experiment/statistics.js';
import type { ErrorSamples, LaneSamples, ServerSamples } from './samples.js';

/** Another way of running the app against the app as it is: how many times as much. Undefined: it came to no number. */
export interface Gain {
  readonly requests: Estimate | undefined;
  readonly p99: Estimate | undefined;
  readonly memory: Estimate | undefined;
}

/** By what share the very same differs when it is run twice: effects below that are not seen. */
export interface Noise {
  readonly requests: number | undefined;
  readonly p99: number | undefined;
}

/** A way of running the app that can be compared: it was measured, without errors, and did not end. */
export interface Way {
  readonly name: 'offloaded' | 'cluster';
  readonly lane: LaneSamples;
  readonly gain: Gain;
  /** The intervals, and what the very same differs by, leave no doubt that more requests are answered. */
  readonly bringsMore: boolean;
  /** As many requests or more, and the slowest of them are answered much sooner. */
  readonly answersSooner: boolean;
  /** The slowest look as if they were answered a little sooner: too much so to say that they are not. */
  readonly mayAnswerSooner: boolean;
}

export interface Figures {
  readonly samples: ServerSamples;
  readonly cores: number;
  readonly ways: readonly Way[];
  readonly cluster: Way | undefined;
  readonly noise: Noise;
  /** The rounds in which the app as it is was compared with its control. */
  readonly rounds: number;
}

/** Answers that take at most this share of the time are worth having, with no more requests. */
const WORTH_SOONER = 0.67;
/** Nobody notices less. Milliseconds. */
const NOTICED_MS = 2;
/** One of how many answers may be bad: a connection is lost now and then. */
const ANSWERS_PER_ERROR = 1000;

export function figuresOf(samples: ServerSamples): Figures {
  const { asIs, control, offloaded, cluster, machine } = samples;
  const noise = {
    requests: noiseBetween(control.rate, asIs.rate),
    p99: noiseBetween(control.p99Ms, asIs.p99Ms),
  };
  const lanes = Object.entries({ offloaded, cluster }) as [Way['name'], LaneSamples | undefined][];
  const usable = lanes.flatMap(([name, lane]) =>
    lane === undefined || lane.ended !== undefined || isFailing(lane.errors) ? [] : { name, lane },
  );
  const confidence = confidenceOfEach(usable.length);
  const ways = usable.map(({ name, lane }) => {
    const gain = {
      requests: real(ratio(lane.rate, asIs.rate, confidence)),
      p99: real(ratio(lane.p99Ms, asIs.p99Ms, confidence)),
      memory: real(ratio(lane.residentBytes, asIs.residentBytes)),
    };
    return { name, lane, gain, ...effectsOf(gain, soonerMs(lane, asIs), noise) };
  });
  return {
    samples,
    cores: usableCores(machine),
    ways,
    cluster: ways.find(({ name }) => name === 'cluster'),
    noise,
    rounds: Math.min(asIs.rate.length, control.rate.length),
  };
}

/** @param soonerMs how much sooner the slowest are answered */
function effectsOf({ requests, p99 }: Gain, soonerMs: number, noise: Noise) {
  const isNoticed = p99 !== undefined && soonerMs >= NOTICED_MS;
  const isSooner = isNoticed && p99.value <= WORTH_SOONER && directionOf(p99, noise.p99) === -1;
  const isNoLess = requests !== undefined && requests.low > 1 / WORTH_IT;
  return {
    bringsMore: requests !== undefined && isWorthIt(requests, noise.requests),
    answersSooner: isSooner && isNoLess && noise.p99 !== undefined,
    mayAnswerSooner: isNoticed && p99.value <= (1 + WORTH_SOONER) / 2,
  };
}

function soonerMs(lane: LaneSamples, asIs: LaneSamples): number {
  return (middleOf(asIs.p99Ms) ?? 0) - (middleOf(lane.p99Ms) ?? 0);
}

/** Half of what the ratio of the very same differs by from round to round, and by how far it is off one altogether. */
function noiseBetween(again: Series, first: Series): number | undefined {
  const ratios = pairwise(again, first, (a, b) => a / b);
  const spread = noiseOf(ratios);
  return spread === undefined ? undefined : spread + Math.abs(middleOf(ratios)! - 1);
}

export function failuresOf({ bad, sockets, timeouts }: ErrorSamples): number {
  return bad + sockets + timeouts;
}

/** Error pages are no work that could be compared. */
export function isFailing(errors: ErrorSamples): boolean {
  return failuresOf(errors) * ANSWERS_PER_ERROR > errors.answers;
}

/** How many cores the load generator and other programs had while the app was run that way; and whether any were left. */
export interface Room {
  readonly app: number;
  readonly load: number;
  readonly others: number;
  readonly isFull: boolean;
}

/** The share of the cores that in use is all of them: what measures and what switches has a part as well. */
const FULL = 0.9;

export function roomOf({ cpuShare, loadShare, otherShare }: LaneSamples, cores: number): Room {
  const [app, load, others] = [cpuShare, loadShare, otherShare].map((share) => middleOf(share) ?? 0);
  return { app: app!, load: load!, others: others!, isFull: app! + load! + others! >= FULL * cores };
}
