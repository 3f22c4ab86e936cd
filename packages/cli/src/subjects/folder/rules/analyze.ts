/** From the samples of a folder to its findings, in sentences that say only what the comparisons allow: pure. */
import { extent, mean } from 'd3-array';
import * as rules from '../../../experiment/rules.js';
import { type Estimate, estimate, ratio } from '../../../experiment/statistics.js';
import * as figures from '../../../format/figures.js';
import { bytes, count, counted, duration, times, timesFromTo } from '../../../format/figures.js';
import { compareWays, gainOver, seriesOf, wholeMsOf } from './compare.js';
import type { Comparison, How, Place } from './compare.js';
import { type ClassSamples, type FolderSamples, type RoundSamples, type WayName, WAYS } from './samples.js';

type Sizes = Pick<ClassSamples, 'fromBytes' | 'belowBytes'>;
type Weighed = ReturnType<typeof weigh>;
export type ClassFinding = Weighed['finding'];

/** 'mixed': it depends on the size. */
export type FolderAnswer = Exclude<Place, 'one-thread'> | How | 'mixed';

export type FolderFindings = ReturnType<typeof analyzeFolder>;

/** The verdict is an estimate if the answer for at least one class is. */
export function analyzeFolder(samples: FolderSamples) {
  const wholeMs = samples.subject.isWalkCut ? undefined : wholeMsOf(samples.classes);
  const classes = samples.classes.map((each) => weigh(each, wholeMs));
  const [answer = 'unknown', ...others] = new Set(classes.map(({ comparison }) => kindOf(comparison)));
  const verdict: rules.Verdict<FolderAnswer> = {
    answer: others.length > 0 ? 'mixed' : answer,
    sentence: folderSentence(classes),
    ...(classes.some(({ comparison }) => comparison.isLikely) ? { isLikely: true } : {}),
  };
  return {
    schemaVersion: 1 as const,
    verdict,
    classes: classes.map(({ finding }) => finding),
    reasons: reasonsOf(classes),
    warnings: warningsOf(samples, classes),
    samples,
  };
}

function weigh(samples: ClassSamples, wholeMs: number | undefined) {
  const { fromBytes, belowBytes, warm, cold, batch, sampled } = samples;
  const comparison = compareWays(warm, sampled.files, wholeMs);
  const findingOf = (round: RoundSamples, compared: Comparison) => ({
    place: compared.place,
    how: compared.how,
    /** The conclusion, with the figures that decide it. */
    sentence: sentenceOf(compared),
    /** How far two runs of the same loop lie apart, as a share of one of them. */
    noise: compared.noise,
    ways: round.ways.flatMap(({ name, rate: series, loopDelayMs, busy }) => {
      /** Files per second. */
      const rate = estimate(series);
      if (rate === undefined) return [];
      return {
        name,
        rate,
        bytesPerSecond: rate.value * (batch.bytes / batch.files),
        /** How many times as many files as a loop of readFileSync on one thread; undefined for that loop. */
        gain: name === 'sync-loop' ? undefined : ratio(series, seriesOf(round, 'sync-loop')),
        loopDelayMs: estimate(loopDelayMs),
        busy: meanBusy(busy),
      };
    }),
  });
  const own = findingOf(warm, comparison);
  // `cold` is about files that come from the disk; undefined: not measured.
  const finding = {
    fromBytes,
    belowBytes,
    ...own,
    cold: cold && findingOf(cold, compareWays(cold, sampled.files)),
  };
  return { samples, comparison, finding };
}

/** The mean busy share of each core. All samples count the same, since they are about equally long. Empty: it ran too briefly to be seen. */
export function meanBusy(samples: readonly (readonly number[])[]): number[] {
  const cores = samples.length === 0 ? 0 : Math.min(...samples.map((shares) => shares.length));
  return Array.from({ length: cores }, (_, core) => mean(samples, (shares) => shares[core]) ?? Number.NaN);
}

function reasonsOf(classes: readonly Weighed[]): string[] {
  return rules.applying([
    ...classes.map(({ finding }) => {
      const read = finding.place === 'unknown' ? '' : 'read them ';
      return `files ${sizesInWords(finding)}: ${read}${finding.sentence}`;
    }),
    ...classes.map(
      ({ finding }) =>
        finding.cold && `files ${sizesInWords(finding)}, from the disk: ${finding.cold.sentence}`,
    ),
    ...classes.map(onServer),
    ...classes.map((of) => {
      const gain = overWorkers(of, 'workers-return', -1);
      return (
        gain &&
        `${sizesInWords(of.samples)}: bytes that are sent back to the main thread come at ${times(gain)} of the rate at which workers read them: work on them where they are read`
      );
    }),
    ...classes.map((of) => {
      const gain = overWorkers(of, 'processes', -1, 1);
      const name = sizesInWords(of.samples);
      return gain && `${name}: as many processes read ${timesFromTo(gain)} as many files as workers do`;
    }),
  ]);
}

/** On the main thread of a server, reads that block are no choice, however fast they are. */
function onServer({ finding, samples, comparison: { rounds } }: Weighed): string | undefined {
  const [ours, loop] = ['read-files', 'sync-loop'].map((of) => finding.ways.find(({ name }) => name === of));
  if (ours?.gain === undefined || ours.loopDelayMs === undefined || loop?.loopDelayMs === undefined) {
    return undefined;
  }
  const [held, late] = [loop, ours].map(({ loopDelayMs }) => duration(loopDelayMs!.value));
  const loops = `a loop of readFileSync holds up the event loop for as long as it runs (a timer was ${held} late with ${counted(samples.batch.files, 'file')})`;
  const does = `${rounds < rules.ENOUGH_ROUNDS ? 'read' : 'reads'} ${timesIn(rounds, ours.gain)}`;
  return `${sizesInWords(finding)}, on the main thread of a server: ${loops}; \`readFiles\` ${does} as many files, and a timer was ${late} late (99th percentile)`;
}

/** An interval of few rounds is so wide that it says nothing. */
function timesIn(rounds: number, gain: Estimate): string {
  return rounds < rules.ENOUGH_ROUNDS ? figures.timesAfter('about', gain) : timesFromTo(gain);
}

/** How many times as many files as workers; undefined: it is surely in none of these directions. */
function overWorkers({ samples, comparison: { noise } }: Weighed, way: WayName, ...directions: number[]) {
  const gain = gainOver(samples.warm, way, 'workers');
  return noise !== undefined && directions.includes(rules.directionOf(gain, noise)) ? gain : undefined;
}

const MUCH_NOISE = 0.25; // if two runs of the same differ by more than this share, only large differences can be seen
const FROM_DISK = 0.7; // with less than this share of the second read's rate, the first did not come from memory

function warningsOf({ subject, machine, ...rest }: FolderSamples, classes: readonly Weighed[]): string[] {
  const { left, unreadable, isWalkCut, files } = subject;
  const leftOut = rules.applying([
    left.links > 0 && counted(left.links, 'symbolic link'),
    left.others > 0 &&
      `${counted(left.others, 'that is no file', 'that are no files')} (sockets, FIFOs, devices)`,
  ]);
  return rules.applying([
    isWalkCut && `the folder is large: only the first ${counted(files, 'file')} of it were looked at`,
    ...unreadable.map(
      ({ why, count }) => `not read, ${why}: ${counted(count, 'file or folder', 'files or folders')}`,
    ),
    leftOut.length > 0 && `left out: ${leftOut.join(' and ')}`,
    rules.busyWarning(machine),
    ofCache(classes),
    ...classes.flatMap(ofClass),
    ...rules.leftOutWarnings(rest),
  ]);
}

function ofClass({ samples, comparison: { noise = 0 } }: Weighed): (string | false)[] {
  const name = sizesInWords(samples);
  const { batch, sampled, files, warm } = samples;
  const isOff = warm.ways.some(({ readBytes }) => readBytes !== undefined && readBytes !== batch.bytes);
  return [
    batch.repeatsFiles &&
      sampled.files > 0 &&
      `${name}: there ${sampled.files === 1 ? 'is one file' : `are ${sampled.files} files`} to measure on, read again and again`,
    sampled.files < files && `${name}: measured on ${counted(sampled.files, 'file')} of ${count(files)}`,
    noise > MUCH_NOISE &&
      `${name}: two runs of the very same differ by ${figures.noiseInWords(noise)}; a quieter machine helps`,
    isOff && `${name}: files changed their size while they were measured`,
  ];
}

/** Only the system knows where files came from the first time, so the sentence says no more than `may`. */
function ofCache(classes: readonly Weighed[]): string | undefined {
  const warmOnly = classes.filter(({ samples: { cold } }) => cold === undefined);
  if (warmOnly.length === 0) return undefined;
  const slower = warmOnly
    .filter(({ samples: { firstRead: read } }) => read.first > 0 && read.first < FROM_DISK * read.again)
    .map(
      ({ samples: { firstRead }, finding }) =>
        `${sizesInWords(finding)}: ${times({ value: firstRead.again / firstRead.first })}`,
    );
  const how =
    slower.length > 0
      ? `the first read was slower than the second (${slower.join(', ')}): it may have come from the disk, but that cannot be seen from outside`
      : 'the first read was as fast as the second: the files may have been in memory already';
  return `${how}; all figures are for files in memory`;
}

/** `below 4 KiB`, `4 KiB to 64 KiB`, `16 MiB and more`. */
export function sizesInWords({ fromBytes: from, belowBytes }: Sizes) {
  if (belowBytes === undefined) return `${bytes(from)} and more`;
  return from === 0 ? `below ${bytes(belowBytes)}` : `${bytes(from)} to ${bytes(belowBytes)}`;
}

function sentenceOf(comparison: Comparison): string {
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

function unclear({ rounds, isGone, workersGain, noise }: Comparison): string {
  if (isGone) return 'none of the files could be read any more';
  if (rounds === 0) return 'nothing was measured';
  const isFew = rounds < rules.ENOUGH_ROUNDS;
  const tooFew = rounds === 1 ? 'one round is too few' : `${rounds} rounds are too few`;
  if (workersGain === undefined || noise === undefined) return isFew ? tooFew : 'not enough was measured';
  const read = `workers read ${timesIn(rounds, workersGain)} the files of one thread`;
  if (isFew) return `${tooFew}; ${read}`;
  return `${read}, and two runs of the very same differ by ${figures.noiseInWords(noise)}`;
}

/** The first sentence of the report. Neighbouring classes with the same answer share a part of it, with the range of their gains. */
function folderSentence(classes: readonly Weighed[]): string {
  const all = grouped(classes).map((group) => ({
    sizes: sizesInWords({ ...group[0]!.samples, belowBytes: group.at(-1)!.samples.belowBytes }),
    advice: adviceOf(group.map(({ comparison }) => comparison)),
    known: asFarAsKnown(group[0]!.comparison),
  }));
  const left = classes.map(({ comparison }) => comparison).findLast(({ isGone }) => !isGone);
  const help = left === undefined ? '' : `. ${rules.WHAT_WOULD_TELL}`;
  const [only, ...others] = all;
  if (only === undefined) return 'Cannot tell: no file could be measured';
  if (others.length === 0) {
    const which = classes.length > 1 ? 'files of all these sizes' : `files (${only.sizes})`;
    return only.advice === undefined
      ? `Cannot tell${only.known}: ${unclear(left ?? classes[0]!.comparison)}${help}`
      : `Read ${which} ${only.advice}`;
  }
  const advised = all.filter(({ advice }) => advice !== undefined).map((of) => `${of.sizes} ${of.advice}`);
  const unknown = all
    .filter(({ advice }) => advice === undefined)
    .map(({ sizes, known }) => `of files ${sizes}${known || ' how they are read best'}`);
  if (advised.length === 0) return `Cannot tell ${unknown.join('; ')}${help}`;
  const rest = unknown.length === 0 ? '' : `; it cannot be told ${unknown.join(', and ')}`;
  return `Read files ${advised.join('; ')}${rest}`;
}

/** Groups neighbouring classes that have the same answer. */
function grouped(classes: readonly Weighed[]): Weighed[][] {
  const answers = classes.map(({ comparison }) => {
    const kind = kindOf(comparison);
    return kind === 'unknown' ? kind + asFarAsKnown(comparison) : kind;
  });
  const starts = [...classes.keys()].filter((i) => answers[i] !== answers[i - 1]);
  return starts.map((start, i) => classes.slice(start, starts[i + 1]));
}

/** What one thread does best may be known even if it is unknown whether workers pay. */
function asFarAsKnown({ how }: Comparison): string {
  if (how !== 'sync' && how !== 'async') return '';
  return ` whether workers pay (on one thread, ${ADVERBS[how]} is better)`;
}

function kindOf({ place, how }: Comparison): Exclude<FolderAnswer, 'mixed'> {
  // While workers may still pay, how one thread does best is no answer to where to read.
  return place === 'one-thread' ? how : place;
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
