/** What was measured of a folder, as tables of text that every view draws in its own way. */
import { max, mean } from 'd3-array';
import type { Estimate } from '../../function/rules/findings.js';
import { bytes, counted, duration } from '../../../format/words.js';
import { count, factor, middle, NONE, noise, range, rate, shown } from '../../../format/figures.js';
import type { Table } from '../../function/report/tables.js';
import type { ClassFinding, FolderFindings, WayFinding } from '../findings.js';
import type { WayName } from '../samples.js';
import { sizesInWords } from '../sentences.js';
import { shortTitleOf, titleOf } from '../ways.js';

/** What the others are compared with. */
const BASE: WayName = 'sync-loop';
/** Beyond that only the busiest and the mean are told. */
const MOST_CORES = 8;

export function classTables({ classes }: FolderFindings): Table[] {
  return classes.flatMap((each) => [
    tableOf(sizesInWords(each), each.ways),
    ...(each.cold === undefined ? [] : [tableOf(`${sizesInWords(each)}, from the disk`, each.cold.ways)]),
  ]);
}

function tableOf(sizes: string, ways: readonly WayFinding[]): Table {
  return {
    title: `Files ${sizes}`,
    head: ['way', 'files/s', 'MiB/s', 'x loop', '95 % interval', 'loop delay', 'cores busy, %'],
    rows: ways.map(({ name, rate: perSecond, bytesPerSecond, gain, loopDelayMs, busy }) => [
      titleOf(name),
      middle(perSecond, rate),
      shown(bytesPerSecond / 2 ** 20, rate),
      name === BASE ? factor(1) : middle(gain, factor),
      name === BASE ? factor(1) : range(gain, factor),
      middle(loopDelayMs, duration),
      coresInWords(busy),
    ]),
  };
}

function coresInWords(busy: readonly number[]): string {
  if (busy.length === 0) return NONE;
  const inPercent = (share: number): string => (Number.isFinite(share) ? count(100 * share) : NONE);
  if (busy.length <= MOST_CORES) return busy.map(inPercent).join(' ');
  return `up to ${inPercent(max(busy) ?? Number.NaN)}, mean ${inPercent(mean(busy) ?? Number.NaN)}`;
}

/** Which sizes there are, and what is best for each. */
export function overviewTable({ classes, samples }: FolderFindings): Table {
  return {
    title: 'By size',
    head: ['size', 'files', 'bytes', 'measured on', 'in parallel', 'on one thread', 'noise'],
    rows: classes.map((finding, i) => {
      const { files, bytes: all, sampled } = samples.classes[i]!;
      const [place, how] = [PLACES[finding.place], HOWS[finding.how]];
      return [
        sizesInWords(finding),
        count(files),
        bytes(all),
        counted(sampled.files, 'file'),
        place,
        how,
        noise(Math.min(1, finding.noise ?? Number.NaN)),
      ];
    }),
  };
}

const PLACES: Readonly<Record<ClassFinding['place'], string>> = {
  workers: 'in workers',
  processes: 'in processes',
  'one-thread': 'does not pay',
  unknown: 'cannot tell',
};

const HOWS: Readonly<Record<ClassFinding['how'], string>> = {
  sync: 'synchronously',
  async: 'asynchronously',
  either: 'no difference',
  unknown: 'cannot tell',
};

export function circumstancesTable({ samples }: FolderFindings): Table {
  const { subject, machine, threads, classes } = samples;
  const rounds = Math.max(0, ...classes.map(({ warm }) => warm.control.length));
  return {
    title: 'How it was measured',
    head: ['what', 'value'],
    rows: [
      ['folder', subject.folder],
      ['files', `${count(subject.files)}, ${bytes(subject.bytes)}`],
      ['readers at the same time', count(threads)],
      ['rounds', count(rounds)],
      ['processor', machine.cpu],
      ['cores', count(machine.cores)],
      ['memory', bytes(machine.memoryBytes)],
      ['Node.js', `${machine.node}, ${machine.platform}`],
      ['load before', `${machine.loadBefore.toFixed(1)} programs wanted a core`],
    ],
  };
}

/** For a chart: the ways and their rates. */
export function barsOf({
  ways,
}: Pick<ClassFinding, 'ways'>): { name: string; figure: Estimate; isOurs: boolean }[] {
  return ways.map(({ name, rate: figure }) => ({
    name: shortTitleOf(name),
    figure,
    isOurs: name === 'read-files' || name.startsWith('workers'),
  }));
}
