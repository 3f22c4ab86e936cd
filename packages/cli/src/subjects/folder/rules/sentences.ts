/** The sentences about a class of sizes, and about all of them together: they say only what the comparison allows. */
import { extent } from 'd3-array';
import { ENOUGH_ROUNDS, WHAT_WOULD_TELL } from '../../../experiment/rules.js';
import { bytes, duration, noiseInWords, times, timesAfter, timesFromTo } from '../../../format/figures.js';
import type { FolderAnswer, Weighed } from './analyze.js';
import type { Comparison } from './compare.js';
import { type ClassSamples, WAYS } from './samples.js';

/** `below 4 KiB`, `4 KiB to 64 KiB`, `16 MiB and more`. */
export function sizesInWords({
  fromBytes,
  belowBytes,
}: Pick<ClassSamples, 'fromBytes' | 'belowBytes'>): string {
  if (belowBytes === undefined) return `${bytes(fromBytes)} and more`;
  return fromBytes === 0 ? `below ${bytes(belowBytes)}` : `${bytes(fromBytes)} to ${bytes(belowBytes)}`;
}

export function sentenceOf(comparison: Comparison): string {
  const { place, how, workersGain, workersWay, processesGain, isLikely } = comparison;
  const probably = isLikely ? 'probably ' : '';
  const bring = workersGain === undefined ? 'no more' : `${timesFromTo(workersGain)} the files`;
  switch (place) {
    case 'workers': {
      const way = workersWay === 'workers-read-files' ? 'with `readFiles`' : 'synchronously';
      const which = how === 'async' ? ', which is asynchronous' : '';
      return `${probably}in workers, ${way}: ${times(workersGain!)} the best of one thread${which}`;
    }
    case 'processes':
      return `${probably}in processes, each with a loop of readFileSync: ${times(processesGain!)} the best of one thread; workers bring ${bring}`;
    case 'one-thread':
      return `${probably}${onOneThread(comparison)}; ${beforeStart(comparison) ?? `workers bring ${bring}`}`;
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
  return `on one thread, ${ADVERBS[how]}: ${WAYS[asyncWay!].title} reads ${times(asyncGain!)} the files of a loop of readFileSync`;
}

/** The reason if no thread is worth it, however much it brings, because the folder is small. */
function beforeStart({ wholeMs }: Comparison): string | undefined {
  if (wholeMs === undefined) return undefined;
  return `all files of the folder are read in ${duration(wholeMs)}, before a thread has started`;
}

function unclear({ rounds, workersGain, noise }: Comparison): string {
  if (rounds === 0) return 'nothing was measured';
  const tooFew = rounds === 1 ? 'one round is too few' : `${rounds} rounds are too few`;
  if (workersGain === undefined || noise === undefined) {
    return rounds < ENOUGH_ROUNDS ? tooFew : 'not enough was measured';
  }
  // An interval of so few rounds is so wide that it says nothing.
  if (rounds < ENOUGH_ROUNDS)
    return `${tooFew}; workers read ${timesAfter('about', workersGain)} the files of one thread`;
  return `workers read ${timesFromTo(workersGain)} the files of one thread, and two runs of the very same differ by ${noiseInWords(noise)}`;
}

/** The first sentence of the report. Neighbouring classes with the same answer share a part of it, with the range of their gains. */
export function folderSentence(classes: readonly Weighed[]): string {
  const [only, ...others] = grouped(classes).map((group) => ({
    sizes: sizesInWords({ ...group[0]!.samples, belowBytes: group.at(-1)!.samples.belowBytes }),
    advice: adviceOf(group.map(({ comparison }) => comparison)),
    known: asFarAsKnown(group[0]!.comparison),
  }));
  if (only === undefined) return 'Cannot tell: no file could be measured';
  if (others.length === 0) {
    const which = classes.length > 1 ? 'files of all these sizes' : `files (${only.sizes})`;
    return only.advice === undefined
      ? `Cannot tell${only.known}: ${unclear(classes.at(-1)!.comparison)}. ${WHAT_WOULD_TELL}`
      : `Read ${which} ${only.advice}`;
  }
  const all = [only, ...others];
  const advised = all.filter(({ advice }) => advice !== undefined).map((of) => `${of.sizes} ${of.advice}`);
  const unknown = all
    .filter(({ advice }) => advice === undefined)
    .map(({ sizes, known }) => `of files ${sizes}${known || ' how they are read best'}`);
  if (advised.length === 0) return `Cannot tell ${unknown.join('; ')}. ${WHAT_WOULD_TELL}`;
  const rest = unknown.length === 0 ? '' : `; it cannot be told ${unknown.join(', and ')}`;
  return `Read files ${advised.join('; ')}${rest}`;
}

/** Groups neighbouring classes that have the same answer. */
function grouped(classes: readonly Weighed[]): Weighed[][] {
  const groups: Weighed[][] = [];
  let last: string | undefined;
  for (const each of classes) {
    const kind = kindOf(each.comparison);
    const answer = kind === 'unknown' ? kind + asFarAsKnown(each.comparison) : kind;
    if (answer === last) groups.at(-1)!.push(each);
    else groups.push([each]);
    last = answer;
  }
  return groups;
}

/** What one thread does best may be known even if it is unknown whether workers pay. */
function asFarAsKnown({ how }: Comparison): string {
  if (how !== 'sync' && how !== 'async') return '';
  return ` whether workers pay (on one thread, ${ADVERBS[how]} is better)`;
}

export function kindOf({ place, how }: Comparison): Exclude<FolderAnswer, 'mixed'> {
  if (place === 'workers' || place === 'processes') return place;
  // While workers may still pay, how one thread does best is no answer to where to read.
  return place === 'one-thread' ? how : 'unknown';
}

/** Undefined if no advice can be given. */
function adviceOf(comparisons: readonly Comparison[]): string | undefined {
  const gains = (of: 'asyncGain' | 'workersGain' | 'processesGain'): string => {
    const [low, high] = extent(comparisons, (each) => each[of]!.value) as [number, number];
    return timesFromTo({ value: low, low, high });
  };
  const [small] = comparisons.flatMap((each) => beforeStart(each) ?? []);
  const why = (otherwise: string): string => (small === undefined ? otherwise : `: ${small}`);
  const probably = comparisons.some(({ isLikely }) => isLikely) ? 'probably ' : '';
  switch (kindOf(comparisons[0]!)) {
    case 'workers':
      return `${probably}in workers: ${gains('workersGain')} what one thread does`;
    case 'processes':
      return `${probably}in several processes: ${gains('processesGain')} what one thread does`;
    case 'sync':
      return `${probably}synchronously on one thread${why(' (on the main thread of a server with `readFiles`)')}`;
    case 'async':
      return `${probably}asynchronously on one thread${why(`: ${gains('asyncGain')} a loop of readFileSync`)}`;
    case 'either':
      return `${probably}on one thread, synchronously or not${why('')}`;
    case 'unknown':
      return undefined;
  }
}
