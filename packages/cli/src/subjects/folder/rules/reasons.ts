/** The reasons of the verdict, with what holds on the main thread of a server and what sending bytes back costs; and the warnings. */
import { applying, busyWarning, directionOf, leftOutWarnings } from '../../../experiment/rules.js';
import { count, counted, duration, times, timesFromTo } from '../../../format/figures.js';
import type { ClassFinding } from './analyze.js';
import { type Comparison, gainOver } from './compare-ways.js';
import type { ClassSamples, FolderSamples } from './samples.js';
import { noiseInWords, sizesInWords } from './sentences.js';

export interface Weighed {
  readonly samples: ClassSamples;
  readonly comparison: Comparison;
  readonly finding: ClassFinding;
}

export function reasonsOf(classes: readonly Weighed[]): string[] {
  return applying([
    ...classes.map(({ finding }) => {
      const read = finding.place === 'unknown' ? '' : 'read them ';
      return `files ${sizesInWords(finding)}: ${read}${finding.sentence}`;
    }),
    ...classes.map(
      ({ finding }) =>
        finding.cold && `files ${sizesInWords(finding)}, from the disk: ${finding.cold.sentence}`,
    ),
    ...classes.map(onServer),
    ...classes.map(sentBack),
    ...classes.map(processes),
  ]);
}

/** On the main thread of a server, reads that block are no choice, however fast they are. */
function onServer({ finding, samples }: Weighed): string | undefined {
  const ours = finding.ways.find(({ name }) => name === 'read-files');
  const loop = finding.ways.find(({ name }) => name === 'sync-loop');
  if (ours?.gain === undefined || ours.loopDelayMs === undefined || loop?.loopDelayMs === undefined) {
    return undefined;
  }
  const [held, late] = [loop, ours].map(({ loopDelayMs }) => duration(loopDelayMs!.value));
  const loops = `a loop of readFileSync holds up the event loop for as long as it runs (a timer was ${held} late with ${counted(samples.batch.files, 'file')})`;
  return `${sizesInWords(finding)}, on the main thread of a server: ${loops}; \`readFiles\` does ${timesFromTo(ours.gain)} of its files, and a timer was ${late} late (99th percentile)`;
}

function sentBack({ finding, samples, comparison: { noise } }: Weighed): string | undefined {
  const gain = gainOver(samples.warm, 'workers-return', 'workers');
  if (gain === undefined || noise === undefined || directionOf(gain, noise) !== -1) return undefined;
  return `${sizesInWords(finding)}: bytes that are sent back to the main thread come at ${times(gain)} of the rate at which workers read them: work on them where they are read`;
}

function processes({ finding, samples, comparison: { noise } }: Weighed): string | undefined {
  const gain = gainOver(samples.warm, 'processes', 'workers');
  if (gain === undefined || noise === undefined || directionOf(gain, noise) === 0) return undefined;
  return `${sizesInWords(finding)}: as many processes read ${timesFromTo(gain)} as many files as workers do`;
}

/** With more noise than this share, only large effects can be seen. */
const MUCH_NOISE = 0.25;
/** If the first read had less than this share of the second one's rate, it did not come from memory. */
const FROM_DISK = 0.7;

export function warningsOf(samples: FolderSamples, classes: readonly Weighed[]): string[] {
  const { subject, machine } = samples;
  const { left, unreadable, isWalkCut, files } = subject;
  const leftOut = applying([
    left.links > 0 && counted(left.links, 'symbolic link'),
    left.others > 0 &&
      `${counted(left.others, 'that is no file', 'that are no files')} (sockets, FIFOs, devices)`,
  ]);
  return applying([
    isWalkCut && `the folder is large: only the first ${counted(files, 'file')} of it were looked at`,
    ...unreadable.map(
      ({ why, count }) => `not read, ${why}: ${counted(count, 'file or folder', 'files or folders')}`,
    ),
    leftOut.length > 0 && `left out: ${leftOut.join(' and ')}`,
    busyWarning(machine),
    ofCache(classes),
    ...classes.flatMap(ofClass),
    ...leftOutWarnings(samples),
  ]);
}

function ofClass({ samples, comparison: { noise } }: Weighed): string[] {
  const name = sizesInWords(samples);
  const { batch, sampled, files, warm } = samples;
  const isOff = warm.ways.some(({ readBytes }) => readBytes !== undefined && readBytes !== batch.bytes);
  return applying([
    batch.repeatsFiles &&
      `${name}: there ${sampled.files === 1 ? 'is one file' : `are ${sampled.files} files`} to measure on, read again and again`,
    sampled.files < files && `${name}: measured on ${counted(sampled.files, 'file')} of ${count(files)}`,
    noise !== undefined &&
      noise > MUCH_NOISE &&
      `${name}: two runs of the very same differ by ${noiseInWords(noise)}; a quieter machine helps`,
    isOff && `${name}: files changed their size while they were measured`,
  ]);
}

/** Only the system knows where files came from the first time, so the sentence says no more than `may`. */
function ofCache(classes: readonly Weighed[]): string | undefined {
  const warmOnly = classes.filter(({ samples: { cold } }) => cold === undefined);
  if (warmOnly.length === 0) return undefined;
  const slower = warmOnly.flatMap(({ samples: { firstRead }, finding }) =>
    firstRead !== undefined && firstRead.first > 0 && firstRead.first < FROM_DISK * firstRead.again
      ? `${sizesInWords(finding)} ${times({ value: firstRead.again / firstRead.first })}`
      : [],
  );
  const how =
    slower.length > 0
      ? `the first read was slower than the second (${slower.join(', ')}): it may have come from the disk, which cannot be told apart`
      : 'the first read was as fast as the second: the files may have been in memory already';
  return `${how}; all figures are for files in memory`;
}
