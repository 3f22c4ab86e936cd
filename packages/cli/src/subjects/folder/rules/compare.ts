/** What the rounds of one class say: where and how its files are read best, as far as the intervals and the noise allow it. */
import { greatest, least } from 'd3-array';
import { directionOf, FEWEST_ROUNDS, isSurelyNotWorthIt, isWorthIt } from '../../../experiment/rules.js';
import { confidenceOfEach, type Estimate, estimate, noiseOf, ratio } from '../../../experiment/statistics.js';
import type { ClassSamples, RoundSamples, WayName } from './samples.js';

/** Where files are read best: in several workers, in several processes (which are more trouble), or on one thread. */
export type Place = 'workers' | 'processes' | 'one-thread' | 'unknown';
/** How one thread reads best. 'either': it makes no difference that could be seen. */
export type How = 'sync' | 'async' | 'either' | 'unknown';

const ALIKE = 0.1; // a gain that surely differs from 1 by no more than this share is no difference
const COMPARISONS = 6; // how many comparisons decide: each has to hold
/** A folder that is read sooner is worth no thread: a quarter of the 50 to 66 ms that the start of one took on a server. Chosen by hand. */
const THREAD_START_MS = 15;

export type Comparison = ReturnType<typeof compareWays>;

/** @param files how many files are left to measure on. @param wholeMs how many milliseconds one thread takes for all files: in less than another takes to start, even unclear workers do not pay */
export function compareWays(round: RoundSamples, files: number, wholeMs = Number.POSITIVE_INFINITY) {
  const noise = noiseOfLoop(round);
  const fastest = (...names: WayName[]) => greatest(names, (name) => estimate(seriesOf(round, name))?.value);
  const [asyncWay, workersWay] = [
    fastest('async-all', 'async-chain'),
    fastest('workers', 'workers-read-files'),
  ];
  const asyncGain = gainOver(round, asyncWay, 'sync-loop');
  /** The gains over both ways of one thread; undefined: one of them was not measured. */
  const overOne = (way: WayName | undefined): OverOne => {
    const both = [gainOver(round, way, 'sync-loop'), gainOver(round, way, asyncWay)];
    return both.every((gain) => gain !== undefined) ? both : undefined;
  };
  const [workers, processes] = [overOne(workersWay), overOne('processes')];
  const rounds = seriesOf(round, 'sync-loop').filter(Number.isFinite).length;
  const isEnough = rounds >= FEWEST_ROUNDS && noise !== undefined;
  const how = isEnough ? howOf(asyncGain, noise) : 'unknown';
  /** Processes are more trouble than workers: where both pay, processes have to be worth that. */
  const placeAt = (much: number): Place => {
    const [inWorkers, inProcesses] = [payOff(workers, much), payOff(processes, much)];
    const more = gainOver(round, 'processes', workersWay);
    const isMore = more !== undefined && isWorthIt(more, much);
    if (inProcesses === 'pays' && (isMore || inWorkers === 'does not')) return 'processes';
    if (inWorkers === 'pays') return 'workers';
    return inWorkers === 'does not' && inProcesses !== 'unknown' ? 'one-thread' : 'unknown';
  };
  const sure = isEnough ? placeAt(noise) : 'unknown';
  const place = isEnough && sure === 'unknown' ? placeAt(0) : sure;
  const isSmall = place === 'unknown' && how !== 'unknown' && wholeMs <= THREAD_START_MS;
  return {
    rounds,
    /** Whether all files that it was measured on have vanished, or may not be read any more. */
    isGone: files === 0,
    place: isSmall ? ('one-thread' as const) : place,
    how,
    /** How many times as many files the better asynchronous way reads as the synchronous loop. */
    asyncGain,
    asyncWay,
    /** How many times as many files workers, and processes, read as the better way of one thread. */
    workersGain: workers && least(workers, ({ value }) => value),
    workersWay,
    processesGain: processes && least(processes, ({ value }) => value),
    noise,
    /** Whether `place` is an estimate: the intervals have a direction, but the effect is no larger than the noise. */
    isLikely: isEnough && sure === 'unknown' && !isSmall,
    /** Set if the small folder decided: how many milliseconds one thread takes to read all of its files. */
    wholeMs: isSmall ? wholeMs : undefined,
  };
}

/** How many milliseconds a loop of readFileSync takes for all files of these classes; undefined: not known. */
export function wholeMsOf(classes: readonly ClassSamples[]): number | undefined {
  const each = classes.map(
    ({ files, warm }) => (1000 * files) / (estimate(seriesOf(warm, 'sync-loop'))?.low ?? 0),
  );
  const whole = each.reduce((all, ms) => all + ms, 0);
  return Number.isFinite(whole) ? whole : undefined;
}

/** By how much two processes differ that run the same loop, up or down: 1 is twice as much, or half. */
function noiseOfLoop(round: RoundSamples): number | undefined {
  const own = seriesOf(round, 'sync-loop');
  const same = ratio(round.control, own);
  return same === undefined ? noiseOf(own) : Math.max(same.high, 1 / same.low) - 1;
}

type OverOne = readonly Estimate[] | undefined;

/** Reading in parallel pays if it surely beats both ways of one thread, and does not if there is one that it surely does not beat. */
function payOff(over: OverOne, noise: number): 'pays' | 'does not' | 'unknown' | 'not measured' {
  if (over === undefined) return 'not measured';
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
