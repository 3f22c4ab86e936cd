/**
 * Hill climbing on measured throughput: tries another size, keeps it if more tasks end in a second, goes back if not. The
 * idea is that of .NET's thread pool (Hellerstein, Morrison, Eilebrecht: "Applying control theory in the real world", 2009);
 * instead of its slow ramp, steps are as large as what was measured allows. Pure: it makes a new state from the old one.
 */
import type { LoadView } from '../../core/contracts.js';
import type { Workload } from './workload.js';

/** The measurements of a size that has not been judged. */
interface Level extends Pick<Workload, 'elapsedMs' | 'completed'> {
  readonly size: number;
  /** Tasks per millisecond, of each measurement. */
  readonly rates: readonly number[];
}

interface Judged {
  readonly size: number;
  /** Tasks per millisecond, and the standard error of that. */
  readonly rate: number;
  readonly error: number;
}

export interface Climb {
  readonly level?: Level | undefined;
  /** What the size that is being tried has to beat; undefined: nothing is being tried. */
  readonly base?: Judged | undefined;
  /** The size that was kept last, and its throughput: as long as that stays about the same, nothing is tried until `holdUntil`. */
  readonly held?: Judged | undefined;
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

/** The sizes that may be tried. */
export interface Room extends Pick<LoadView, 'now' | 'current'> {
  /** The fewest and the most workers that make sense. */
  readonly least: number;
  readonly most: number;
  /** The larger size to try next; `current` if there is none. */
  readonly next: number;
  /** Whether fewer workers are worth a try. */
  readonly mayShrink: boolean;
}

/** A size is judged after this time if enough tasks have ended, and after LONG_MS in any case. Milliseconds. */
const SHORT_MS = 200;
const LONG_MS = 1000;
/** How many tasks are enough, beside two for each worker. */
const ENOUGH = 16;
/** The least gain in throughput that counts as one. */
const MIN_GAIN = 0.02;
/** The most doubt that counts, as a share of the throughput: else no gain would ever count where measurements are noisy. */
const MAX_DOUBT = 0.1;
/** The most throughput that fewer workers may lose and still count as equally fast. */
const FREE_LOSS = 0.01;
const FIRST_HOLD_MS = 2000;
const LONGEST_HOLD_MS = 60_000;
/** The load is another one when its throughput differs from the held one by this factor. */
const OTHER_LOAD = 1.3;
/** How many measurements in a row must agree that the load is another one. */
const AGREEING = 3;

export const START: Climb = { holdUntil: 0, holdMs: FIRST_HOLD_MS, wentDown: false };

/** Takes the next step, after each measurement in which all workers were busy and tasks waited. */
export function climb(state: Climb, work: Workload, room: Room): Step {
  // A measurement during which the size changed belongs to neither size.
  const before = state.level;
  if (before?.size !== room.current) return stay({ ...state, level: emptyLevel(room.current) }, room);
  const elapsedMs = before.elapsedMs + work.elapsedMs;
  const level = { ...before, elapsedMs, completed: before.completed + work.completed };
  const { held, base } = state;
  if (held !== undefined && base === undefined) return hold(state, level, held, room);
  const seen = { ...level, rates: [...level.rates.slice(-99), work.completed / work.elapsedMs] };
  const judged = judge(seen);
  const next = { ...state, level: seen };
  if (judged === undefined) return stay(next, room);
  return base === undefined ? tryNext(next, judged, room) : compare(next, base, judged, room);
}

function emptyLevel(size: number): Level {
  return { size, elapsedMs: 0, completed: 0, rates: [] };
}

/** The throughput of a size, and its standard error, from its measurements. Undefined: they are too few to say. */
function judge({ size, elapsedMs, completed, rates }: Level): Judged | undefined {
  const hasEnough = elapsedMs >= SHORT_MS && completed >= enoughTasks(size) && rates.length > 1;
  if (completed === 0 || (!hasEnough && elapsedMs < LONG_MS)) return undefined;
  const rate = completed / elapsedMs;
  const variance = rates.reduce((sum, each) => sum + (each - rate) ** 2, 0) / Math.max(1, rates.length - 1);
  return { size, rate, error: Math.sqrt(variance / rates.length) };
}

function stay(state: Climb, room: Room): Step {
  return { climb: state, target: room.current, why: undefined };
}

/** Tries another size than the current one, which was judged as `base`. If none is worth a try, keeps the current one. */
function tryNext(state: Climb, base: Judged, room: Room): Step {
  if (room.next > room.current)
    return attempt(state, base, room.next, 'tries whether more workers get more done');
  const fewer = room.current - Math.max(1, room.current >> 3);
  if (room.mayShrink && !state.wentDown && fewer >= Math.max(2, room.least))
    return attempt(state, base, fewer, 'tries whether fewer workers get as much done');
  return settle(state, base, room, undefined);
}

function attempt({ holdUntil, holdMs }: Climb, base: Judged, target: number, why: string): Step {
  return { climb: { base, holdUntil, holdMs, wentDown: target < base.size }, target, why };
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
  if (gain < Math.max(MIN_GAIN, doubt)) {
    // Perhaps the step was too large: half of it is tried, unless it was small already.
    const step = tried.size - base.size;
    if (step <= Math.max(1, base.size >> 3)) return settle(state, base, room, change);
    return attempt(state, base, base.size + Math.floor(step / 2), `${change}: tries a smaller step`);
  }
  const better: Climb = { ...state, base: undefined, holdMs: FIRST_HOLD_MS };
  const next = tryNext(better, tried, room);
  return next.target > room.current ? { ...next, why: `${change}: ${next.why}` } : next;
}

/** Keeps a size, for longer each time that nothing better was found. */
function settle(state: Climb, best: Judged, room: Room, why: string | undefined): Step {
  const holdUntil = room.now + state.holdMs;
  const holdMs = Math.min(LONGEST_HOLD_MS, 2 * state.holdMs);
  return {
    climb: { ...state, level: undefined, base: undefined, held: best, holdUntil, holdMs },
    target: Math.max(room.least, Math.min(room.most, best.size)),
    why,
  };
}

function hold(state: Climb, level: Level, held: Judged, room: Room): Step {
  const { size, elapsedMs, completed } = level;
  // If tasks are long, some measurements see none of them end: they are added up until enough tasks have ended, or should have.
  const isEnough = Math.max(completed, elapsedMs * held.rate) >= enoughTasks(size);
  const rates = isEnough ? [...level.rates.slice(1 - AGREEING), completed / elapsedMs] : level.rates;
  const seen: Level = isEnough ? { ...emptyLevel(size), rates } : level;
  const isOther = (rate: number) => rate > held.rate * OTHER_LOAD || rate * OTHER_LOAD < held.rate;
  const hasChanged = rates.length === AGREEING && rates.every(isOther);
  if (!hasChanged && room.now < state.holdUntil) return stay({ ...state, level: seen }, room);
  const anew = hasChanged ? START : { ...state, held: undefined };
  return stay({ ...anew, level: emptyLevel(size) }, room);
}

/** How many tasks have to end before they say how fast `size` workers are. */
function enoughTasks(size: number): number {
  return ENOUGH + 2 * size;
}
