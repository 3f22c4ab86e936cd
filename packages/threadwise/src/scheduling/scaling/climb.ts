/**
 * Hill climbing on measured throughput: tries another size, keeps it if more tasks end in a second, goes back if not. The
 * idea is that of .NET's thread pool (Hellerstein, Morrison, Eilebrecht: "Applying control theory in the real world", 2009);
 * its slow ramp is mended by steps as large as what was measured allows. Pure: from what is remembered to what is remembered.
 */
import type { Workload } from './workload.js';

/** What a size came to, while it has not been judged. */
interface Level {
  readonly size: number;
  readonly elapsedMs: number;
  readonly completed: number;
  /** Tasks per millisecond, of each measurement. */
  readonly rates: readonly number[];
}

interface Judged {
  readonly size: number;
  /** Tasks per millisecond, and how far it may be off. */
  readonly rate: number;
  readonly error: number;
}

export interface Climb {
  readonly level: Level | undefined;
  /** What the size that is being tried has to beat; undefined: nothing is being tried. */
  readonly base: Judged | undefined;
  /** The last size that was kept, and what it came to: while that is so, nothing is tried until `holdUntil`. */
  readonly held: Judged | undefined;
  readonly holdUntil: number;
  /** How long the next hold lasts: doubles as long as nothing better is found. Milliseconds. */
  readonly holdMs: number;
  /** Whether the last thing that was tried with this load was fewer workers. */
  readonly wentDown: boolean;
}

export interface Step {
  readonly climb: Climb;
  readonly target: number;
  readonly why: string | undefined;
}

/** What may be tried. */
export interface Room {
  readonly now: number;
  readonly current: number;
  /** The fewest and the most that make sense. */
  readonly least: number;
  readonly most: number;
  /** A larger size that is worth trying next: larger than `current`, or equal to it if there is none. */
  readonly next: number;
  /** Whether fewer are worth a try. */
  readonly mayShrink: boolean;
}

/** A size is judged after that time, if enough tasks have ended; at the latest after LONG_MS. */
const SHORT_MS = 200;
const LONG_MS = 1000;
/** As many as are needed for their number to say something, beside two for each worker. */
const ENOUGH = 16;
/** A gain below that is none. */
const MIN_GAIN = 0.02;
/** What counts as doubt is doubt up to here: else nothing would ever be kept in a noisy place. */
const MAX_DOUBT = 0.1;
/** As fast with fewer, if no slower than that. */
const FREE_LOSS = 0.01;
const FIRST_HOLD_MS = 2000;
const LONGEST_HOLD_MS = 60_000;
/** Throughput that differs by that factor from what was held is that of another load. */
const OTHER_LOAD = 1.3;
/** So many of the last measurements have to agree on it. */
const AGREEING = 3;

export const START: Climb = {
  level: undefined,
  base: undefined,
  held: undefined,
  holdUntil: 0,
  holdMs: FIRST_HOLD_MS,
  wentDown: false,
};

/** To be called after each measurement in which all workers were busy and tasks waited. */
export function climb(state: Climb, work: Workload, room: Room): Step {
  // What was measured while the size changed belongs to neither.
  if (state.level?.size !== room.current) return stay({ ...state, level: emptyLevel(room.current) }, room);
  const level = grown(state.level, work);
  const seen = { ...state, level };
  if (state.held !== undefined && state.base === undefined) return hold(seen, level, state.held, room);
  if (!isJudgeable(level)) return stay(seen, room);
  const judged = judge(level);
  return state.base === undefined ? tryNext(seen, judged, room) : compare(seen, state.base, judged, room);
}

function emptyLevel(size: number): Level {
  return { size, elapsedMs: 0, completed: 0, rates: [] };
}

function grown(level: Level, work: Workload): Level {
  return {
    size: level.size,
    elapsedMs: level.elapsedMs + work.elapsedMs,
    completed: level.completed + work.completed,
    rates: [...level.rates.slice(-99), work.completed / work.elapsedMs],
  };
}

function isJudgeable({ size, elapsedMs, completed, rates }: Level): boolean {
  if (completed === 0) return false;
  if (elapsedMs >= LONG_MS) return true;
  return elapsedMs >= SHORT_MS && completed >= ENOUGH + 2 * size && rates.length > 1;
}

/** The mean and its standard error, from what the single measurements came to. */
function judge({ size, elapsedMs, completed, rates }: Level): Judged {
  const rate = completed / elapsedMs;
  const variance = rates.reduce((sum, each) => sum + (each - rate) ** 2, 0) / Math.max(1, rates.length - 1);
  return { size, rate, error: Math.sqrt(variance / rates.length) };
}

function stay(state: Climb, room: Room): Step {
  return { climb: state, target: room.current, why: undefined };
}

/** Something is known of this size: is there another that is worth a try? */
function tryNext(state: Climb, base: Judged, room: Room): Step {
  if (room.next > room.current)
    return attempt(state, base, room.next, 'tries whether more workers get more done');
  const fewer = room.current - Math.max(1, room.current >> 3);
  const mayShrink = room.mayShrink && !state.wentDown && fewer >= Math.max(2, room.least);
  if (mayShrink) return attempt(state, base, fewer, 'tries whether fewer workers get as much done');
  return settle(state, base, room, undefined);
}

function attempt(state: Climb, base: Judged, target: number, why: string): Step {
  const wentDown = target < base.size;
  return { climb: { ...state, level: undefined, base, held: undefined, wentDown }, target, why };
}

function compare(state: Climb, base: Judged, tried: Judged, room: Room): Step {
  const gain = tried.rate / base.rate - 1;
  const change = `${gain < 0 ? '' : '+'}${Math.round(gain * 100)} % throughput with ${tried.size} workers instead of ${base.size}`;
  const doubt = Math.min(MAX_DOUBT, (2 * Math.hypot(tried.error, base.error)) / base.rate);
  const isLong = state.level!.elapsedMs >= LONG_MS;
  if (tried.size < base.size) {
    if (!isLong && Math.abs(gain) < doubt) return stay(state, room);
    if (gain < -FREE_LOSS) return settle(state, base, room, change);
    return tryNext({ ...state, base: undefined, wentDown: false, holdMs: FIRST_HOLD_MS }, tried, room);
  }
  if (!isLong && gain < doubt && gain > -doubt) return stay(state, room);
  if (gain < Math.max(MIN_GAIN, doubt)) return retreat(state, base, tried, room, change);
  const better: Climb = { ...state, base: undefined, holdMs: FIRST_HOLD_MS };
  const next = tryNext(better, tried, room);
  return next.target > room.current ? { ...next, why: `${change}: ${next.why}` } : next;
}

/** The step was too large, perhaps: tries one of half its size, as long as that is one. */
function retreat(state: Climb, base: Judged, tried: Judged, room: Room, change: string): Step {
  const step = tried.size - base.size;
  if (step <= Math.max(1, base.size >> 3)) return settle(state, base, room, change);
  const half = base.size + Math.floor(step / 2);
  return attempt(state, base, half, `${change}: tries a smaller step`);
}

/** Keeps a size, for longer each time that nothing better was found. */
function settle(state: Climb, best: Judged, room: Room, why: string | undefined): Step {
  const climb: Climb = {
    ...state,
    level: undefined,
    base: undefined,
    held: best,
    holdUntil: room.now + state.holdMs,
    holdMs: Math.min(LONGEST_HOLD_MS, 2 * state.holdMs),
  };
  const target = Math.max(room.least, Math.min(room.most, best.size));
  return { climb, target, why };
}

function hold(state: Climb, level: Level, held: Judged, room: Room): Step {
  const last = level.rates.slice(-AGREEING);
  const isOther = (rate: number) => rate > held.rate * OTHER_LOAD || rate * OTHER_LOAD < held.rate;
  const hasChanged = last.length === AGREEING && last.every(isOther);
  if (hasChanged) return stay({ ...START, level: emptyLevel(room.current) }, room);
  if (room.now < state.holdUntil) return stay(state, room);
  return stay({ ...state, held: undefined, level: emptyLevel(room.current) }, room);
}
