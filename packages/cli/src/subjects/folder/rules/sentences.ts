/** The sentences about a class of sizes, and about all of them together: they say only what the comparison allows. */
import { max, min } from 'd3-array';
import { ENOUGH_ROUNDS, WHAT_WOULD_TELL } from '../../../experiment/rules.js';
import type { Estimate } from '../../../experiment/statistics.js';
import { bytes, duration, perCent, times, timesFromTo } from '../../../format/figures.js';
import type { ClassFinding, FolderAnswer, Weighed } from './analyze.js';
import type { Comparison } from './compare-ways.js';
import { titleOf } from './samples.js';

type Sizes = Pick<ClassFinding, 'fromBytes' | 'belowBytes'>;

/** `below 4 KiB`, `4 KiB to 64 KiB`, `16 MiB and more`. */
export function sizesInWords({ fromBytes, belowBytes }: Sizes): string {
  if (belowBytes === undefined) return `${bytes(fromBytes)} and more`;
  return fromBytes === 0 ? `below ${bytes(belowBytes)}` : `${bytes(fromBytes)} to ${bytes(belowBytes)}`;
}

export function sentenceOf(comparison: Comparison): string {
  const sentence = plainly(comparison);
  return comparison.isLikely && comparison.place !== 'unknown' ? `probably ${sentence}` : sentence;
}

function plainly(comparison: Comparison): string {
  const { place, how, workersGain, workersWay, processesGain } = comparison;
  const bring = workersGain === undefined ? 'no more' : `${timesFromTo(workersGain)} of that`;
  switch (place) {
    case 'workers': {
      const way = workersWay === 'workers-read-files' ? 'with `readFiles`' : 'synchronously';
      const which = how === 'async' ? ', which is asynchronous' : '';
      return `in workers, ${way}: ${times(workersGain!)} the best of one thread${which}`;
    }
    case 'processes':
      return `in processes, each with a loop of readFileSync: ${times(processesGain!)} the best of one thread; workers bring ${bring}`;
    case 'one-thread':
      return `${onOneThread(comparison)}; ${beforeStart(comparison) ?? `workers bring ${bring}`}`;
    case 'unknown':
      return how === 'unknown'
        ? `cannot tell: ${unclear(comparison)}`
        : `${onOneThread(comparison)}; whether workers pay cannot be told: ${unclear(comparison)}`;
  }
}

const ADVERBS = { sync: 'synchronously', async: 'asynchronously' } as const;

function onOneThread({ how, asyncGain, asyncWay }: Comparison): string {
  if (how === 'either') return 'on one thread, synchronously or not makes no difference';
  if (how === 'unknown') return 'on one thread; whether synchronously or not cannot be told';
  return `on one thread, ${ADVERBS[how]}: ${titleOf(asyncWay!)} does ${times(asyncGain!)} of what a loop of readFileSync does`;
}

/** The reason if no thread is worth it, however much it brings, because the folder is small. */
function beforeStart({ wholeMs }: Comparison): string | undefined {
  return wholeMs === undefined
    ? undefined
    : `all files of the folder are read in ${duration(wholeMs)}, before a thread has started`;
}

function unclear({ rounds, workersGain, noise }: Comparison): string {
  if (rounds === 0) return 'nothing was measured';
  const tooFew = rounds === 1 ? 'one round is too few' : `${rounds} rounds are too few`;
  if (workersGain === undefined || noise === undefined) {
    return rounds < ENOUGH_ROUNDS ? tooFew : 'not enough was measured';
  }
  const found = `workers bring ${timesFromTo(workersGain)}`;
  if (rounds < ENOUGH_ROUNDS) return `${tooFew}; ${found}`;
  return `${found}, and two runs of the very same differ by ${noiseInWords(noise)}`;
}

export function noiseInWords(noise: number): string {
  return noise > 0.995 ? 'more than 100 %' : `up to ${perCent(noise)}`;
}

/** Neighbouring classes with the same answer. */
interface Group {
  readonly fromBytes: number;
  belowBytes: number | undefined;
  readonly comparisons: [Comparison, ...Comparison[]];
}

/** The first sentence of the report. Neighbouring classes with the same answer share a part of it, with the range of their gains. */
export function folderSentence(classes: readonly Weighed[]): string {
  const groups = grouped(classes);
  const [only, ...others] = groups;
  if (only === undefined) return 'Cannot tell: no file could be measured';
  if (others.length === 0) {
    const advice = adviceOf(only);
    const { comparisons } = only;
    if (advice === undefined) {
      return `Cannot tell${asFarAsKnown(comparisons[0])}: ${unclear(comparisons.at(-1)!)}. ${WHAT_WOULD_TELL}`;
    }
    return `Read ${classes.length > 1 ? 'files of all these sizes' : `files (${sizesInWords(only)})`} ${advice}`;
  }
  const known = groups.flatMap((group) => {
    const advice = adviceOf(group);
    return advice === undefined ? [] : `${sizesInWords(group)} ${advice}`;
  });
  const unknown = groups
    .filter((group) => adviceOf(group) === undefined)
    .map((group) => {
      const what = asFarAsKnown(group.comparisons[0]) || ' how they are read best';
      return `of files ${sizesInWords(group)}${what}`;
    });
  if (known.length === 0) return `Cannot tell ${unknown.join('; ')}. ${WHAT_WOULD_TELL}`;
  const rest = unknown.length === 0 ? '' : `; it cannot be told ${unknown.join(', and ')}`;
  return `Read files ${known.join('; ')}${rest}`;
}

function grouped(classes: readonly Weighed[]): Group[] {
  const groups: Group[] = [];
  for (const { comparison, finding } of classes) {
    const { fromBytes, belowBytes } = finding;
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last.comparisons[0], comparison)) {
      last.belowBytes = belowBytes;
      last.comparisons.push(comparison);
    } else groups.push({ fromBytes, belowBytes, comparisons: [comparison] });
  }
  return groups;
}

function isAlike(a: Comparison, b: Comparison): boolean {
  return kindOf(a) === kindOf(b) && (kindOf(a) !== 'unknown' || asFarAsKnown(a) === asFarAsKnown(b));
}

/** What one thread does best may be known even if it is unknown whether workers pay. */
function asFarAsKnown({ how }: Comparison): string {
  if (how !== 'sync' && how !== 'async') return '';
  return ` whether workers pay (on one thread, ${ADVERBS[how]} is better)`;
}

export function kindOf({ place, how }: Comparison): FolderAnswer {
  if (place === 'workers' || place === 'processes') return place;
  // While workers may still pay, how one thread does best is no answer to where to read.
  return place === 'one-thread' ? how : 'unknown';
}

/** Undefined if no advice can be given. */
function adviceOf({ comparisons }: Group): string | undefined {
  const [reason] = comparisons.flatMap((each) => beforeStart(each) ?? []);
  const gains = (of: (each: Comparison) => Estimate | undefined): string => {
    const values = comparisons.map((each) => of(each)!.value);
    return timesFromTo({ value: values[0]!, low: min(values)!, high: max(values)! });
  };
  const why = (otherwise: string): string => (reason === undefined ? otherwise : `: ${reason}`);
  const probably = comparisons.some(({ isLikely }) => isLikely) ? 'probably ' : '';
  switch (kindOf(comparisons[0])) {
    case 'workers':
      return `${probably}in workers: ${gains((each) => each.workersGain)} what one thread does`;
    case 'processes':
      return `${probably}in several processes: ${gains((each) => each.processesGain)} what one thread does`;
    case 'sync':
      return `${probably}synchronously on one thread${why(' (on the main thread of a server with `readFiles`)')}`;
    case 'async':
      return `${probably}asynchronously on one thread${why(`: ${gains((each) => each.asyncGain)} a loop of readFileSync`)}`;
    case 'either':
      return `${probably}on one thread, synchronously or not${why('')}`;
    default:
      return undefined;
  }
}
