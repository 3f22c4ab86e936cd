/** From the samples of a folder to its findings: pure. */
import { mean } from 'd3-array';
import type { Findings } from '../../../experiment/rules.js';
import { estimate, type Estimate, ratio } from '../../../experiment/statistics.js';
import { compareWays, type Comparison, decideBySmallness, seriesOf, wholeMsOf } from './compare-ways.js';
import { reasonsOf, warningsOf, type Weighed } from './reasons.js';
import type { ClassSamples, FolderSamples, RoundSamples, WayName, WaySamples } from './samples.js';
import { folderSentence, kindOf, sentenceOf } from './sentences.js';

export function analyzeFolder(samples: FolderSamples): FolderFindings {
  const wholeMs = samples.subject.isWalkCut ? undefined : wholeMsOf(samples.classes);
  const classes = samples.classes.map((each) => weigh(each, wholeMs));
  return {
    schemaVersion: 1,
    verdict: {
      answer: answerOf(classes),
      sentence: folderSentence(classes),
      ...(classes.some(({ comparison }) => comparison.isLikely) ? { isLikely: true } : {}),
    },
    classes: classes.map(({ finding }) => finding),
    reasons: reasonsOf(classes),
    warnings: warningsOf(samples, classes),
    samples,
  };
}

function weigh(samples: ClassSamples, wholeMs: number | undefined): Weighed {
  const { fromBytes, belowBytes, warm, cold, batch } = samples;
  const meanBytes = batch.bytes / batch.files;
  const comparison = decideBySmallness(compareWays(warm), wholeMs);
  const finding: ClassFinding = {
    fromBytes,
    belowBytes,
    ...findingOf(warm, comparison, meanBytes),
    cold: cold && findingOf(cold, compareWays(cold), meanBytes),
  };
  return { samples, comparison, finding };
}

function findingOf(round: RoundSamples, comparison: Comparison, meanBytes: number): RoundFinding {
  const { place, how, noise } = comparison;
  const ways = round.ways.flatMap((way) => wayFinding(way, round, meanBytes) ?? []);
  return { place, how, sentence: sentenceOf(comparison), noise, ways };
}

function wayFinding(way: WaySamples, round: RoundSamples, meanBytes: number): WayFinding | undefined {
  const { name, loopDelayMs, busy } = way;
  const rate = estimate(way.rate);
  return (
    rate && {
      name,
      rate,
      bytesPerSecond: rate.value * meanBytes,
      gain: name === 'sync-loop' ? undefined : ratio(way.rate, seriesOf(round, 'sync-loop')),
      loopDelayMs: estimate(loopDelayMs),
      busy: meanBusy(busy),
    }
  );
}

/** The mean busy share of each core. All samples count the same, since they are about equally long. */
export function meanBusy(samples: readonly (readonly number[])[]): number[] {
  const cores = Math.min(...samples.map((shares) => shares.length));
  if (!Number.isFinite(cores)) return [];
  return Array.from({ length: cores }, (_, core) => mean(samples, (shares) => shares[core]) ?? Number.NaN);
}

function answerOf(classes: readonly Weighed[]): FolderAnswer {
  const kinds = new Set(classes.map(({ comparison }) => kindOf(comparison)));
  const [only = 'unknown', ...others] = kinds;
  return others.length > 0 ? 'mixed' : only;
}

/** Where files are read best: in several workers, in several processes (which are more trouble), or on one thread. */
export type Place = 'workers' | 'processes' | 'one-thread' | 'unknown';
/** How one thread reads best. 'either': it makes no difference that could be seen. */
export type How = 'sync' | 'async' | 'either' | 'unknown';

export interface WayFinding {
  readonly name: WayName;
  /** Files per second. */
  readonly rate: Estimate;
  readonly bytesPerSecond: number;
  /** How many times as many files as a loop of readFileSync on one thread; undefined for that loop. */
  readonly gain: Estimate | undefined;
  readonly loopDelayMs: Estimate | undefined;
  /** The mean busy share of each core while this way ran. Empty: it ran too briefly to be seen. */
  readonly busy: readonly number[];
}

interface RoundFinding {
  readonly place: Place;
  readonly how: How;
  /** The conclusion, with the figures that decide it. */
  readonly sentence: string;
  /** By which share two runs of the same loop differ. */
  readonly noise: number | undefined;
  readonly ways: readonly WayFinding[];
}

export interface ClassFinding extends RoundFinding {
  readonly fromBytes: number;
  readonly belowBytes: number | undefined;
  /** The findings for files that come from the disk; undefined: not measured. */
  readonly cold: RoundFinding | undefined;
}

/** 'mixed': it depends on the size. */
export type FolderAnswer = 'workers' | 'processes' | 'sync' | 'async' | 'either' | 'mixed' | 'unknown';

/** `verdict` is an estimate if the answer for at least one class is. */
export interface FolderFindings extends Findings<FolderAnswer, FolderSamples> {
  readonly classes: readonly ClassFinding[];
}
