/** From the samples of a folder to its findings: pure. */
import { mean } from 'd3-array';
import { estimate, ratio } from '../../experiment/statistics.js';
import { compareWays, seriesOf } from './compare-ways.js';
import type { ClassFinding, FolderAnswer, FolderFindings, WayFinding } from './findings.js';
import { reasonsOf, warningsOf, type Weighed } from './reasons.js';
import type { ClassSamples, FolderSamples, RoundSamples, WaySamples } from './samples.js';
import { folderSentence, kindOf, sentenceOf } from './sentences.js';

export function analyzeFolder(samples: FolderSamples): FolderFindings {
  const classes = samples.classes.map(weigh);
  return {
    schemaVersion: 1,
    verdict: {
      answer: answerOf(classes),
      sentence: folderSentence(classes.map(({ finding, comparison }) => ({ ...finding, comparison }))),
    },
    classes: classes.map(({ finding }) => finding),
    reasons: reasonsOf(classes),
    warnings: warningsOf(samples, classes),
    samples,
  };
}

function weigh(samples: ClassSamples): Weighed {
  const { fromBytes, belowBytes, warm, cold, batch } = samples;
  const comparison = compareWays(warm);
  const meanBytes = batch.bytes / batch.files;
  const finding: ClassFinding = {
    fromBytes,
    belowBytes,
    ...findingOf(warm, meanBytes),
    cold: cold === undefined ? undefined : findingOf(cold, meanBytes),
  };
  return { samples, comparison, finding };
}

function findingOf(round: RoundSamples, meanBytes: number): NonNullable<ClassFinding['cold']> {
  const comparison = compareWays(round);
  const { place, how, noise } = comparison;
  const ways = round.ways.flatMap((way) => wayFinding(way, round, meanBytes));
  return { place, how, sentence: sentenceOf(comparison), noise, ways };
}

function wayFinding(way: WaySamples, round: RoundSamples, meanBytes: number): WayFinding[] {
  const rate = estimate(way.rate);
  if (rate === undefined) return [];
  const isBase = way.name === 'sync-loop';
  return [
    {
      name: way.name,
      rate,
      bytesPerSecond: rate.value * meanBytes,
      gain: isBase ? undefined : ratio(way.rate, seriesOf(round, 'sync-loop')),
      loopDelayMs: estimate(way.loopDelayMs),
      busy: meanBusy(way.busy),
    },
  ];
}

/** Of each core; samples are about equally long. */
export function meanBusy(samples: readonly (readonly number[])[]): number[] {
  const cores = Math.min(...samples.map((shares) => shares.length));
  if (!Number.isFinite(cores)) return [];
  return Array.from({ length: cores }, (_, core) => mean(samples, (shares) => shares[core]) ?? Number.NaN);
}

function answerOf(classes: readonly Weighed[]): FolderAnswer {
  const kinds = new Set(classes.map(({ comparison }) => kindOf(comparison)));
  const [only] = kinds;
  if (kinds.size > 1) return 'mixed';
  return only ?? 'unknown';
}
