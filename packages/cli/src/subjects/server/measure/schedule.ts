/** How the time is split: pure arithmetic. */
import { sliceFor } from '../../../experiment/rounds.js';
import { clamp } from '../../../experiment/session.js';

/** The interval of a median needs seven for what holds of two comparisons at once. */
const WANTED_ROUNDS = 8;
/** Shorter ones are all beginning. Milliseconds. */
const SLICE_MS = { least: 150, most: 3000 } as const;
/** Before it counts, connections are made and queues fill. A share of the slice; milliseconds. */
const RAMP_SHARE = 0.2;
const RAMP_MS = { least: 20, most: 400 } as const;
/** Hand-over between processes, and until the app has nothing more to do, before it is known better. Milliseconds. */
const HAND_OVER_MS = 60;
/** Of the time, so much goes into code that is not compiled yet. */
const WARM_SHARE = 0.2;
const WARM_MS = { least: 100, most: 1000 } as const;
/** A request is answered so many times over in a slice, or its time is not measured but cut off. */
const ANSWERS_IN_SLICE = 4;
/** For each process or thread that there may be, so many connections at least. */
const CONNECTIONS_EACH = 4;

/**
 * How long each of so many is under load in a round.
 * @param handOverMs how long a slice takes beside what is measured: long where the app is slow to react
 */
export function sliceMsFor(timeMs: number, lanes: number, handOverMs = HAND_OVER_MS): number {
  const perSlice = sliceFor({ ms: timeMs, least: 0, most: timeMs }, lanes, WANTED_ROUNDS, handOverMs);
  return clamp(perSlice / (1 + RAMP_SHARE), SLICE_MS.least, SLICE_MS.most);
}

/** Of the connections that fit into a slice each is answered once even then. */
export function leastMsFor(sliceMs: number): number {
  return Math.max(SLICE_MS.least, sliceMs / ANSWERS_IN_SLICE);
}

/** Before a slice counts. */
export function rampMsFor(sliceMs: number): number {
  return clamp(sliceMs * RAMP_SHARE, RAMP_MS.least, RAMP_MS.most);
}

/** How long one of so many is warmed up. */
export function warmMsFor(remainingMs: number, lanes: number): number {
  return clamp((WARM_SHARE * remainingMs) / lanes, WARM_MS.least, WARM_MS.most);
}

/** As many as were asked for, if a slice is long enough for their requests; requests wait for each other where one process does all. */
export function connectionsFor(asked: number, perSecond: number, sliceMs: number, parallel: number): number {
  const fitting = Math.floor((perSecond * sliceMs) / 1000 / ANSWERS_IN_SLICE);
  return Math.min(asked, Math.max(fitting, CONNECTIONS_EACH * parallel));
}
