/** What the rounds of one class say: where and how its files are read best, as far as the intervals and the noise allow it. */
import { greatest, least } from 'd3-array';
import { directionOf, FEWEST_ROUNDS, isSurelyNotWorthIt, isWorthIt } from '../../../experiment/rules.js';
import { confidenceOfEach, type Estimate, estimate, noiseOf, ratio } from '../../../experiment/statistics.js';
import type { ClassSamples, RoundSamples, WayName } from './samples.js';

/** Where files are read best: in several workers, in several processes (which are more trouble), or on one thread. */
export type Place = 'workers' | 'processes' | 'one-thread' | 'unknown';
/** How one thread reads best. 'either': it makes no difference that could be seen. */
export type How = 'sync' | 'async' | 'either' | 'unknown';

/** A gain that surely differs from 1 by no more than this share is no difference. */
const ALIKE = 0.1;
/** The ways that are compared, out of all that are measured. */
const SYNC: WayName = 'sync-loop';
const ASYNC: readonly WayName[] = ['async-all', 'async-chain'];
const WORKERS: readonly WayName[] = ['workers', 'workers-read-files'];
const PROCESSES: WayName = 'processes';
/** How many comparisons decide: each has to hold. */
const COMPARISONS = 6;
/**
 * A folder that one thread reads in fewer milliseconds is not worth another thread, which takes longer to start. Chosen by hand: about a
 * quarter of the 50 to 66 ms that `analyze` measured on two cores of a server.
 */
const THREAD_START_MS = 15;

export type Comparison = ReturnType<typeof compareWays>;

/**
 * @param wholeMs how many milliseconds one thread takes for all files of the folder: if that is less than another takes to start, it is
 * the answer, even if workers could not be told from it
 */
export function compareWays(round: RoundSamples, wholeMs = Number.POSITIVE_INFINITY) {
  const noise = noiseOfLoop(round);
  const [asyncWay, workersWay] = [fastest(round, ASYNC), fastest(round, WORKERS)];
  const asyncGain = gainOver(round, asyncWay, SYNC);
  const overOne = (way: WayName | undefined): OverOne =>
    [SYNC, asyncWay].flatMap((one) => gainOver(round, way, one) ?? []);
  const [workers, processes] = [overOne(workersWay), overOne(PROCESSES)];
  const overWorkers = gainOver(round, PROCESSES, workersWay);
  const rounds = seriesOf(round, SYNC).filter(Number.isFinite).length;
  const isEnough = rounds >= FEWEST_ROUNDS && noise !== undefined;
  const how = isEnough ? howOf(asyncGain, noise) : 'unknown';
  const placeAt = (much: number): Place => placeOf(workers, processes, overWorkers, much);
  const sure = isEnough ? placeAt(noise) : 'unknown';
  const place = isEnough && sure === 'unknown' ? placeAt(0) : sure;
  const isSmall = place === 'unknown' && how !== 'unknown' && wholeMs <= THREAD_START_MS;
  return {
    rounds,
    place: isSmall ? 'one-thread' : place,
    how,
    /** How many times as many files the better asynchronous way reads as the synchronous loop. */
    asyncGain,
    asyncWay,
    /** How many times as many files workers, and processes, read as the better way of one thread. */
    workersGain: lower(workers),
    workersWay,
    processesGain: lower(processes),
    noise,
    /** Whether `place` is an estimate: the intervals have a direction, but the effect is no larger than the noise. */
    isLikely: isEnough && sure === 'unknown' && !isSmall,
    /** Set if the small folder decided: how many milliseconds one thread takes to read all of its files. */
    wholeMs: isSmall ? wholeMs : undefined,
  };
}

/** How many milliseconds a loop of readFileSync takes for all files of these classes; undefined: not known. */
export function wholeMsOf(classes: readonly ClassSamples[]): number | undefined {
  const each = classes.map(({ files, warm }) => (1000 * files) / (estimate(seriesOf(warm, SYNC))?.low ?? 0));
  const whole = each.reduce((all, ms) => all + ms, 0);
  return Number.isFinite(whole) ? whole : undefined;
}

/** By how much two processes differ that run the same loop, up or down: 1 is twice as much, or half. */
function noiseOfLoop(round: RoundSamples): number | undefined {
  const own = seriesOf(round, SYNC);
  const same = ratio(round.control, own);
  if (same === undefined) return noiseOf(own);
  return Math.max(same.high, 1 / same.low) - 1;
}

/** The gains over the synchronous loop and over the better asynchronous way; fewer than two if one of them was not measured. */
type OverOne = readonly Estimate[];

/** Processes are more trouble than workers: where both pay, processes have to be worth that. */
function placeOf(
  workers: OverOne,
  processes: OverOne,
  overWorkers: Estimate | undefined,
  noise: number,
): Place {
  const [inWorkers, inProcesses] = [payOff(workers, noise), payOff(processes, noise)];
  const isMore = overWorkers !== undefined && isWorthIt(overWorkers, noise);
  if (inProcesses === 'pays' && (isMore || inWorkers === 'does not')) return 'processes';
  if (inWorkers === 'pays') return 'workers';
  return inWorkers === 'does not' && inProcesses !== 'unknown' ? 'one-thread' : 'unknown';
}

/** Reading in parallel pays if it surely beats both ways of one thread, and does not if there is one that it surely does not beat. */
function payOff(over: OverOne, noise: number): 'pays' | 'does not' | 'unknown' | 'not measured' {
  if (over.length < 2) return 'not measured';
  if (over.every((gain) => isWorthIt(gain, noise))) return 'pays';
  return over.some(({ high }) => isSurelyNotWorthIt(high * (1 + noise))) ? 'does not' : 'unknown';
}

function howOf(asyncGain: Estimate | undefined, noise: number): How {
  if (asyncGain === undefined) return 'unknown';
  const direction = directionOf(asyncGain, noise);
  if (direction !== 0) return direction === 1 ? 'async' : 'sync';
  return asyncGain.low >= 1 - ALIKE && asyncGain.high <= 1 + ALIKE ? 'either' : 'unknown';
}

export function seriesOf({ ways }: RoundSamples, name: WayName | undefined): readonly number[] {
  return ways.find((way) => way.name === name)?.rate ?? [];
}

export function gainOver(round: RoundSamples, of: WayName | undefined, to: WayName | undefined) {
  return ratio(seriesOf(round, of), seriesOf(round, to), confidenceOfEach(COMPARISONS));
}

function fastest(round: RoundSamples, names: readonly WayName[]): WayName | undefined {
  return greatest(names, (name) => estimate(seriesOf(round, name))?.value);
}

function lower(over: OverOne): Estimate | undefined {
  return over.length < 2 ? undefined : least(over, ({ value }) => value);
}
