/** From the samples of a folder to its findings: pure. The sentences on a class, and the verdict, are in sentences.ts. */
import { mean } from 'd3-array';
import * as rules from '../../../experiment/rules.js';
import { estimate, ratio } from '../../../experiment/statistics.js';
import {
  count,
  counted,
  duration,
  noiseInWords,
  times,
  timesAfter,
  timesFromTo,
} from '../../../format/figures.js';
import { compareWays, gainOver, seriesOf, wholeMsOf } from './compare.js';
import type { Comparison, How, Place } from './compare.js';
import type { ClassSamples, FolderSamples, RoundSamples, WayName, WaySamples } from './samples.js';
import { folderSentence, kindOf, sentenceOf, sizesInWords } from './sentences.js';

export type WayFinding = NonNullable<ReturnType<typeof wayFinding>>;
export type Weighed = ReturnType<typeof weigh>;
export type ClassFinding = Weighed['finding'];

/** 'mixed': it depends on the size. */
export type FolderAnswer = Exclude<Place, 'one-thread'> | How | 'mixed';

/** `verdict` is an estimate if the answer for at least one class is. */
export interface FolderFindings extends rules.Findings<FolderAnswer, FolderSamples> {
  readonly classes: readonly ClassFinding[];
}

export function analyzeFolder(samples: FolderSamples): FolderFindings {
  const wholeMs = samples.subject.isWalkCut ? undefined : wholeMsOf(samples.classes);
  const classes = samples.classes.map((each) => weigh(each, wholeMs));
  const [answer = 'unknown', ...others] = new Set(classes.map(({ comparison }) => kindOf(comparison)));
  return {
    schemaVersion: 1,
    verdict: {
      answer: others.length > 0 ? 'mixed' : answer,
      sentence: folderSentence(classes),
      ...(classes.some(({ comparison }) => comparison.isLikely) ? { isLikely: true } : {}),
    },
    classes: classes.map(({ finding }) => finding),
    reasons: reasonsOf(classes),
    warnings: warningsOf(samples, classes),
    samples,
  };
}

function weigh(samples: ClassSamples, wholeMs: number | undefined) {
  const { fromBytes, belowBytes, warm, cold, batch } = samples;
  const comparison = compareWays(warm, wholeMs);
  const findingOf = (round: RoundSamples, compared: Comparison) => ({
    place: compared.place,
    how: compared.how,
    /** The conclusion, with the figures that decide it. */
    sentence: sentenceOf(compared),
    /** How far two runs of the same loop lie apart, as a share of one of them. */
    noise: compared.noise,
    ways: round.ways.flatMap((way) => wayFinding(way, round, batch.bytes / batch.files) ?? []),
  });
  const own = findingOf(warm, comparison);
  // `cold` is about files that come from the disk; undefined: not measured.
  const finding = { fromBytes, belowBytes, ...own, cold: cold && findingOf(cold, compareWays(cold)) };
  return { samples, comparison, finding };
}

function wayFinding({ name, loopDelayMs, busy, ...way }: WaySamples, round: RoundSamples, meanBytes: number) {
  /** Files per second. */
  const rate = estimate(way.rate);
  return (
    rate && {
      name,
      rate,
      bytesPerSecond: rate.value * meanBytes,
      /** How many times as many files as a loop of readFileSync on one thread; undefined for that loop. */
      gain: name === 'sync-loop' ? undefined : ratio(way.rate, seriesOf(round, 'sync-loop')),
      loopDelayMs: estimate(loopDelayMs),
      busy: meanBusy(busy),
    }
  );
}

/** The mean busy share of each core. All samples count the same, since they are about equally long. Empty: it ran too briefly to be seen. */
export function meanBusy(samples: readonly (readonly number[])[]): number[] {
  const cores = Math.min(...samples.map((shares) => shares.length));
  if (!Number.isFinite(cores)) return [];
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
      const gain = clearGain(of, 'workers-return');
      return gain?.isMore === false
        ? `${sizesInWords(of.samples)}: bytes that are sent back to the main thread come at ${times(gain)} of the rate at which workers read them: work on them where they are read`
        : undefined;
    }),
    ...classes.map((of) => {
      const gain = clearGain(of, 'processes');
      return (
        gain &&
        `${sizesInWords(of.samples)}: as many processes read ${timesFromTo(gain)} as many files as workers do`
      );
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
  const does =
    rounds < rules.ENOUGH_ROUNDS
      ? `read ${timesAfter('about', ours.gain)}`
      : `reads ${timesFromTo(ours.gain)}`;
  return `${sizesInWords(finding)}, on the main thread of a server: ${loops}; \`readFiles\` ${does} as many files, and a timer was ${late} late (99th percentile)`;
}

/** How many times as many files as workers; undefined: it cannot be told whether more or fewer. */
function clearGain({ samples: { warm }, comparison: { noise } }: Weighed, way: WayName) {
  const gain = gainOver(warm, way, 'workers');
  const direction = noise === undefined ? 0 : rules.directionOf(gain, noise);
  return gain && direction !== 0 ? { ...gain, isMore: direction > 0 } : undefined;
}

/** If two runs of the same way differ by more than this share, only large differences between ways can be seen. */
const MUCH_NOISE = 0.25;
/** If the first read had less than this share of the second one's rate, it did not come from memory. */
const FROM_DISK = 0.7;

function warningsOf(samples: FolderSamples, classes: readonly Weighed[]): string[] {
  const { left, unreadable, isWalkCut, files } = samples.subject;
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
    rules.busyWarning(samples.machine),
    ofCache(classes),
    ...classes.flatMap(ofClass),
    ...rules.leftOutWarnings(samples),
  ]);
}

function ofClass({ samples, comparison: { noise = 0 } }: Weighed): (string | false)[] {
  const name = sizesInWords(samples);
  const { batch, sampled, files, warm } = samples;
  const isOff = warm.ways.some(({ readBytes }) => readBytes !== undefined && readBytes !== batch.bytes);
  return [
    batch.repeatsFiles &&
      `${name}: there ${sampled.files === 1 ? 'is one file' : `are ${sampled.files} files`} to measure on, read again and again`,
    sampled.files < files && `${name}: measured on ${counted(sampled.files, 'file')} of ${count(files)}`,
    noise > MUCH_NOISE &&
      `${name}: two runs of the very same differ by ${noiseInWords(noise)}; a quieter machine helps`,
    isOff && `${name}: files changed their size while they were measured`,
  ];
}

/** Only the system knows where files came from the first time, so the sentence says no more than `may`. */
function ofCache(classes: readonly Weighed[]): string | undefined {
  const warmOnly = classes.filter(({ samples: { cold } }) => cold === undefined);
  if (warmOnly.length === 0) return undefined;
  const slower = warmOnly.flatMap(({ samples: { firstRead }, finding }) =>
    firstRead.first > 0 && firstRead.first < FROM_DISK * firstRead.again
      ? `${sizesInWords(finding)}: ${times({ value: firstRead.again / firstRead.first })}`
      : [],
  );
  const how =
    slower.length > 0
      ? `the first read was slower than the second (${slower.join(', ')}): it may have come from the disk, but that cannot be seen from outside`
      : 'the first read was as fast as the second: the files may have been in memory already';
  return `${how}; all figures are for files in memory`;
}
