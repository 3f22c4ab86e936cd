/** What is said of a class of sizes, and of all of them together: only what the comparison allows. */
import { ENOUGH_ROUNDS } from '../../../experiment/rules.js';
import { bytes, duration, perCent, times, timesFromTo } from '../../../format/figures.js';
import type { ClassFinding, FolderAnswer } from './analyze.js';
import type { Comparison } from './compare-ways.js';
import { titleOf } from './samples.js';

export type Sizes = Pick<ClassFinding, 'fromBytes' | 'belowBytes'>;

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
  switch (comparison.place) {
    case 'workers':
      return workersPay(comparison);
    case 'processes':
      return `in processes, each with a loop of readFileSync: ${times(comparison.processesGain!)} the best of one thread; workers bring ${bring(comparison)}`;
    case 'one-thread':
      return `${onOneThread(comparison)}; ${beforeStart(comparison) ?? `workers bring ${bring(comparison)}`}`;
    case 'unknown':
      return comparison.how === 'unknown'
        ? `cannot tell: ${unclear(comparison)}`
        : `${onOneThread(comparison)}; whether workers pay cannot be told: ${unclear(comparison)}`;
  }
}

function workersPay({ workersGain, workersWay, how }: Comparison): string {
  const way = workersWay === 'workers-read-files' ? 'with `readFiles`' : 'synchronously';
  const against =
    how === 'async' ? 'the best of one thread, which is asynchronous' : 'the best of one thread';
  return `in workers, ${way}: ${times(workersGain!)} ${against}`;
}

function onOneThread({ how, asyncGain, asyncWay }: Comparison): string {
  switch (how) {
    case 'sync':
      return `on one thread, synchronously: ${titleOf(asyncWay!)} does ${times(asyncGain!)} of what a loop of readFileSync does`;
    case 'async':
      return `on one thread, asynchronously: ${titleOf(asyncWay!)} does ${times(asyncGain!)} of what a loop of readFileSync does`;
    case 'either':
      return 'on one thread, synchronously or not makes no difference';
    case 'unknown':
      return 'on one thread; whether synchronously or not cannot be told';
  }
}

/** Why no thread is worth it however much it brings, where that is why. */
function beforeStart({ wholeMs }: Comparison): string | undefined {
  return wholeMs === undefined
    ? undefined
    : `all files of the folder are read in ${duration(wholeMs)}, before a thread has started`;
}

function bring({ workersGain }: Comparison): string {
  return workersGain === undefined ? 'no more' : `${timesFromTo(workersGain)} of that`;
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

export interface Spoken extends Sizes {
  readonly comparison: Comparison;
}

/** The first sentence of all. Neighbours with the same answer are told together, with the weakest of their figures. */
export function folderSentence(classes: readonly Spoken[]): string {
  const groups = grouped(classes);
  if (groups.length === 0) return 'Cannot tell: no file could be measured';
  const [only] = groups;
  if (groups.length === 1) {
    const advice = adviceOf(only!);
    return advice === undefined
      ? `Cannot tell${asFarAsKnown(only![0]!.comparison)}: ${unclear(only!.at(-1)!.comparison)}. ${WHAT_WOULD_TELL}`
      : `Read ${classes.length > 1 ? 'files of all these sizes' : `files (${sizesInWords(only![0]!)})`} ${advice}`;
  }
  const [known, unknown]: [string[], string[]] = [[], []];
  for (const group of groups) {
    const sizes = sizesInWords({ fromBytes: group[0]!.fromBytes, belowBytes: group.at(-1)!.belowBytes });
    const advice = adviceOf(group);
    if (advice !== undefined) known.push(`${sizes} ${advice}`);
    else unknown.push(`of files ${sizes}${asFarAsKnown(group[0]!.comparison) || ' how they are read best'}`);
  }
  if (known.length === 0) return `Cannot tell ${unknown.join('; ')}. ${WHAT_WOULD_TELL}`;
  const rest = unknown.length === 0 ? '' : `; it cannot be told ${unknown.join(', and ')}`;
  return `Read files ${known.join('; ')}${rest}`;
}

const WHAT_WOULD_TELL = 'What would tell: a quieter machine, or more time (`--budget 3m`)';

function grouped(classes: readonly Spoken[]): Spoken[][] {
  const groups: Spoken[][] = [];
  for (const each of classes) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last[0]!.comparison, each.comparison)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

function isAlike(a: Comparison, b: Comparison): boolean {
  return kindOf(a) === kindOf(b) && (kindOf(a) !== 'unknown' || asFarAsKnown(a) === asFarAsKnown(b));
}

/** What one thread does best may be known where it is not known whether more of them pay. */
function asFarAsKnown({ how }: Comparison): string {
  if (how === 'sync') return ' whether workers pay (on one thread, synchronously is better)';
  return how === 'async' ? ' whether workers pay (on one thread, asynchronously is better)' : '';
}

export function kindOf({ place, how }: Comparison): FolderAnswer {
  if (place === 'workers' || place === 'processes') return place;
  // As long as workers may pay, how one thread does best is no answer to where to read.
  return place === 'one-thread' ? how : 'unknown';
}

/** Undefined: none can be given. */
function adviceOf(group: readonly Spoken[]): string | undefined {
  const comparisons = group.map(({ comparison }) => comparison);
  const [reason] = comparisons.flatMap((each) => beforeStart(each) ?? []);
  const small = reason === undefined ? undefined : `: ${reason}`;
  switch (kindOf(comparisons[0]!)) {
    case 'workers': {
      const gains = comparisons.map(({ workersGain }) => workersGain!);
      return `${probably(group)}in workers: ${spread(gains.map(({ value }) => value))} what one thread does`;
    }
    case 'processes': {
      const gains = comparisons.map(({ processesGain }) => processesGain!.value);
      return `${probably(group)}in several processes: ${spread(gains)} what one thread does`;
    }
    case 'sync':
      return `${probably(group)}synchronously on one thread${small ?? ' (on the main thread of a server with `readFiles`)'}`;
    case 'async': {
      const gains = comparisons.map(({ asyncGain }) => asyncGain!.value);
      return `${probably(group)}asynchronously on one thread${small ?? `: ${spread(gains)} a loop of readFileSync`}`;
    }
    case 'either':
      return `${probably(group)}on one thread, synchronously or not${small ?? ''}`;
    default:
      return undefined;
  }
}

function probably(group: readonly Spoken[]): string {
  return group.some(({ comparison }) => comparison.isLikely) ? 'probably ' : '';
}

function spread(values: readonly number[]): string {
  return timesFromTo({ value: values[0]!, low: Math.min(...values), high: Math.max(...values) });
}
