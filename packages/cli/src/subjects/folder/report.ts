/** The report about a folder. */
import { plot } from 'asciichart';
import { greatest, max, mean } from 'd3-array';
import {
  bytes,
  count,
  counted,
  duration,
  factor,
  middle,
  noise,
  NONE,
  perCent,
  range,
  rate,
  shown,
} from '../../format/figures.js';
import { barsChart, lanesChart } from '../../report/html/bars.js';
import { machineRows, pairsTable, tableOf, tablesSection } from '../../report/model.js';
import type { Report, Section, Table, Tone } from '../../report/model.js';
import { type Line, wrapped } from '../../report/terminal.js';
import { measureFolder } from './measure/measure.js';
import { analyzeFolder, sizesInWords } from './rules/analyze.js';
import type { ClassFinding, FolderAnswer, FolderFindings } from './rules/analyze.js';
import { type WayName, WAYS } from './rules/samples.js';

const SHORT: Readonly<Record<FolderAnswer, readonly [badge: string, tone: Tone]>> = {
  workers: ['Read in workers', 'pays'],
  processes: ['Read in processes', 'mixed'],
  sync: ['Read synchronously', 'mixed'],
  async: ['Read asynchronously', 'mixed'],
  either: ['One thread, either way', 'mixed'],
  mixed: ['It depends on the size', 'mixed'],
  unknown: ['No verdict', 'unknown'],
};

export function folderReport(findings: FolderFindings): Report {
  const { verdict, samples, classes } = findings;
  const [badge, tone] = SHORT[verdict.answer];
  const overview = overviewTable(findings);
  const tables = classes.flatMap((each) => [
    classTable(sizesInWords(each), each.ways),
    ...(each.cold === undefined ? [] : [classTable(`${sizesInWords(each)}, from the disk`, each.cold.ways)]),
  ]);
  const measured = circumstancesTable(findings);
  return {
    findings,
    command: 'threadwise analyze files',
    subject: samples.subject.folder,
    tone,
    badge,
    lead: `Found: ${counted(samples.subject.files, 'file')}.`,
    figures: [overview, ...tables, (columns) => corePlots(findings, columns), measured],
    sections: () => [
      tablesSection('sizes', 'What is there, and what is best', overview),
      ...classes.map(ratesSection),
      ...coreTimes(findings, PAGE_CORES).map(({ name, title, lines }) => {
        return { id: `cores-${name}`, title, blocks: [lanesChart(`lanes-${name}`, title, lines)] };
      }),
      tablesSection('figures', 'All figures', ...tables),
      tablesSection('measured', 'The measurement', measured),
    ],
  };
}

function ratesSection(finding: ClassFinding, i: number): Section {
  const sizes = sizesInWords(finding);
  const bars = finding.ways.map(({ name, rate: figure }) => ({
    name: WAYS[name].short,
    figure,
    isInline: name !== 'read-files' && !name.startsWith('workers'),
  }));
  const chart = barsChart(`bars-${i}`, `Files per second, ${sizes}`, bars, rate);
  return { id: `rates-${i}`, title: `How fast: ${sizes}`, blocks: [chart] };
}

function classTable(sizes: string, ways: ClassFinding['ways']): Table | undefined {
  return tableOf(
    `Files ${sizes}`,
    ['way', 'files/s', 'MiB/s', 'x loop', '95 % interval', 'loop delay', 'cores busy, %'],
    ways.map(({ name, rate: perSecond, bytesPerSecond, gain, loopDelayMs, busy }) => {
      // All other ways are compared with the loop.
      const over = name === 'sync-loop' ? { value: 1, low: 1, high: 1 } : gain;
      const speeds = [middle(perSecond, rate), shown(bytesPerSecond / 2 ** 20, rate)];
      const gains = [middle(over, factor), range(over, factor)];
      return [WAYS[name].title, ...speeds, ...gains, middle(loopDelayMs, duration), coresInWords(busy)];
    }),
  );
}

const MOST_CORES = 8; // with more cores than this, the table has only the busiest one and the mean

function coresInWords(busy: readonly number[]): string {
  if (busy.length === 0) return NONE;
  const inPercent = (share: number | undefined): string => shown(share, (of) => count(100 * of));
  if (busy.length <= MOST_CORES) return busy.map(inPercent).join(' ');
  return `up to ${inPercent(max(busy))}, mean ${inPercent(mean(busy))}`;
}

const PLACES = {
  workers: 'in workers',
  processes: 'in processes',
  'one-thread': 'does not pay',
  unknown: 'cannot tell',
};
const HOWS = {
  sync: 'synchronously',
  async: 'asynchronously',
  either: 'no difference',
  unknown: 'cannot tell',
};

/** Which sizes there are, and what is best for each. */
function overviewTable({ classes, samples }: FolderFindings): Table | undefined {
  return tableOf(
    'By size',
    ['size', 'files', 'bytes', 'measured on', 'in parallel', 'on one thread', 'noise'],
    classes.map((finding, i) => {
      const { files, bytes: all, sampled } = samples.classes[i]!;
      const found = [sizesInWords(finding), count(files), bytes(all), counted(sampled.files, 'file')];
      return [...found, PLACES[finding.place], HOWS[finding.how], noise(finding.noise)];
    }),
  );
}

function circumstancesTable({ samples }: FolderFindings): Table | undefined {
  const { subject, machine, threads, classes } = samples;
  return pairsTable('How it was measured', [
    ['folder', subject.folder],
    ['files', `${count(subject.files)}, ${bytes(subject.bytes)}`],
    ['readers at the same time', count(threads)],
    ['rounds', count(Math.max(0, ...classes.map(({ warm }) => warm.control.length)))],
    ...machineRows(machine),
  ]);
}

/** The ways whose busy cores are plotted: one core at work, and all of them. */
const SHOWN: readonly WayName[] = ['sync-loop', 'async-all', 'workers'];
const LEAST_STEPS = 4; // with fewer steps there is no curve
const PAGE_CORES = 16; // how many cores a plot has room for, on the page and on a terminal. Of more it shows the mean
const TERMINAL_CORES = 4;
/** How many steps of time a plot has room for on a terminal; the height of a plot, in lines; the width of its labels, in characters. */
const STEPS = 40;
const HEIGHT_ROWS = 4;
const LABELS = 7;

/** How busy each core was in steps of time, or all together, for the class that has the most bytes. */
function coreTimes({ samples }: FolderFindings, mostCores: number) {
  const largest = greatest(samples.classes, ({ bytes: all }) => all);
  return SHOWN.flatMap((name) => {
    const busy = largest?.warm.ways.find((each) => each.name === name)?.busy ?? [];
    if (busy.length < LEAST_STEPS) return [];
    const title = `Cores over time: ${WAYS[name].title}, files ${sizesInWords(largest!)}`;
    const cores = Math.min(...busy.map((shares) => shares.length));
    const together = { name: counted(cores, 'core'), shares: busy.map((each) => mean(each) ?? Number.NaN) };
    const each = Array.from({ length: cores }, (_, core) => {
      return { name: `core ${core}`, shares: busy.map((shares) => shares[core]!) };
    });
    return { name, title, lines: cores > mostCores ? [together] : each };
  });
}

/** Draws the figures of `coreTimes` in characters: one line for each core. */
function corePlots(findings: FolderFindings, columns: number): Line[] {
  if (columns < STEPS + LABELS + 4) return [];
  const format = (share: number) => perCent(share).padStart(LABELS - 1);
  return coreTimes(findings, TERMINAL_CORES).flatMap(({ title, lines }) => {
    const shares = lines.map((each) => {
      const some = each.shares.slice(0, STEPS);
      const times = Math.floor(STEPS / some.length);
      return some.flatMap((share) => new Array<number>(times).fill(share));
    });
    const drawn = plot(shares, { min: 0, max: 1, height: HEIGHT_ROWS, format });
    const legend =
      lines.length === 1 ? lines[0]!.name : `one line for each of ${counted(lines.length, 'core')}`;
    return [
      { text: '' },
      ...wrapped(title, columns, '', 'bold'),
      ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
      ...wrapped(`how busy over time: ${legend}`, columns, '  ', 'dim'),
    ];
  });
}

export const folder = {
  measure: measureFolder,
  analyze: analyzeFolder,
  isCertain: ({ classes }: FolderFindings) =>
    classes.every(({ place, cold }) => place !== 'unknown' && cold?.place !== 'unknown'),
  report: folderReport,
};
