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
import { barsChart } from '../../report/html/bars.js';
import { lanesChart } from '../../report/html/lanes.js';
import { measureAndReport } from '../../report/measure-and-report.js';
import {
  machineRows,
  pairsTable,
  type Report,
  type Section,
  type Table,
  type Tone,
} from '../../report/model.js';
import { type Line, wrapped } from '../../report/terminal.js';
import type { Reporting } from '../subject.js';
import { type FolderPlan, measureFolder } from './measure/measure.js';
import {
  analyzeFolder,
  type ClassFinding,
  type FolderAnswer,
  type FolderFindings,
  type WayFinding,
} from './rules/analyze.js';
import { titleOf, wayOf, type WayName, type WaySamples } from './rules/samples.js';
import { sizesInWords } from './rules/sentences.js';

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
  const plots = { table: undefined, plot: (columns: number) => corePlots(findings, columns) };
  return {
    findings,
    command: 'threadwise analyze files',
    subject: samples.subject.folder,
    tone,
    badge,
    lead: `Found: ${counted(samples.subject.files, 'file')}.`,
    figures: [...[overview, ...tables].map((table) => ({ table })), plots, { table: measured }],
    sections: () => [
      wide('sizes', 'What is there, and what is best', overview),
      ...classes.map(ratesSection),
      ...coreTimes(findings, PAGE).map(({ way, title, lines }) => {
        const chart = lanesChart(`lanes-${way}`, title, lines);
        return { id: `cores-${way}`, title, blocks: [{ chart }] };
      }),
      wide('figures', 'All figures', ...tables),
      wide('measured', 'The measurement', measured),
    ],
  };
}

function wide(id: string, title: string, ...tables: readonly (Table | undefined)[]): Section {
  return { id, title, isWide: true, blocks: tables.map((table) => ({ table })) };
}

function ratesSection(finding: ClassFinding, i: number): Section {
  const sizes = sizesInWords(finding);
  const bars = finding.ways.map(({ name, rate: figure }) => ({
    name: wayOf(name).short,
    figure,
    isInline: name !== 'read-files' && !name.startsWith('workers'),
  }));
  const chart = barsChart(`bars-${i}`, `Files per second, ${sizes}`, bars, rate);
  return { id: `rates-${i}`, title: `How fast: ${sizes}`, blocks: [{ chart }] };
}

/** Of more cores, the table has only the busiest one and the mean. */
const MOST_CORES = 8;

function classTable(sizes: string, ways: readonly WayFinding[]): Table {
  return {
    title: `Files ${sizes}`,
    head: ['way', 'files/s', 'MiB/s', 'x loop', '95 % interval', 'loop delay', 'cores busy, %'],
    rows: ways.map(({ name, rate: perSecond, bytesPerSecond, gain, loopDelayMs, busy }) => {
      // All other ways are compared with this one.
      const isBase = name === 'sync-loop';
      return [
        titleOf(name),
        middle(perSecond, rate),
        shown(bytesPerSecond / 2 ** 20, rate),
        isBase ? factor(1) : middle(gain, factor),
        isBase ? factor(1) : range(gain, factor),
        middle(loopDelayMs, duration),
        coresInWords(busy),
      ];
    }),
  };
}

function coresInWords(busy: readonly number[]): string {
  if (busy.length === 0) return NONE;
  const inPercent = (share: number | undefined): string => shown(share, (of) => count(100 * of));
  if (busy.length <= MOST_CORES) return busy.map(inPercent).join(' ');
  return `up to ${inPercent(max(busy))}, mean ${inPercent(mean(busy))}`;
}

/** Which sizes there are, and what is best for each. */
function overviewTable({ classes, samples }: FolderFindings): Table {
  return {
    title: 'By size',
    head: ['size', 'files', 'bytes', 'measured on', 'in parallel', 'on one thread', 'noise'],
    rows: classes.map((finding, i) => {
      const { files, bytes: all, sampled } = samples.classes[i]!;
      return [
        sizesInWords(finding),
        count(files),
        bytes(all),
        counted(sampled.files, 'file'),
        PLACES[finding.place],
        HOWS[finding.how],
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

interface CoreTimes {
  readonly way: WayName;
  readonly title: string;
  /** The busy share of each core, or of all together, in steps of time. */
  readonly lines: readonly { readonly name: string; readonly shares: readonly number[] }[];
}

/** The ways that are plotted: one core at work, and all of them. */
const SHOWN: readonly WayName[] = ['sync-loop', 'async-all', 'workers'];
/** With fewer steps there is no curve. */
const LEAST_STEPS = 4;

/** How many steps and cores a plot has room for. Of more cores it shows the mean. */
interface Room {
  readonly steps: number;
  readonly cores: number;
}

const PAGE: Room = { steps: 120, cores: 16 };
const TERMINAL: Room = { steps: 40, cores: 4 };

/** The plots of the class that has the most bytes. */
function coreTimes({ samples }: FolderFindings, room: Room): CoreTimes[] {
  const largest = greatest(samples.classes, ({ bytes: all }) => all);
  const ways = SHOWN.flatMap((name) => largest?.warm.ways.find((each) => each.name === name) ?? []);
  return ways
    .filter(({ busy }) => busy.length >= LEAST_STEPS)
    .map(({ name, busy }) => ({
      way: name,
      title: `Cores over time: ${titleOf(name)}, files ${sizesInWords(largest!)}`,
      lines: linesOf(busy.slice(0, room.steps), room.cores),
    }));
}

function linesOf(steps: WaySamples['busy'], mostCores: number): CoreTimes['lines'] {
  const cores = Math.min(...steps.map((shares) => shares.length));
  if (cores > mostCores) {
    return [{ name: counted(cores, 'core'), shares: steps.map((shares) => mean(shares) ?? Number.NaN) }];
  }
  return Array.from({ length: cores }, (_, core) => ({
    name: `core ${core}`,
    shares: steps.map((shares) => shares[core]!),
  }));
}

/** The height of a plot, in lines, and the width of its labels, in characters. */
const HEIGHT_ROWS = 4;
const LABELS = 7;

/** How busy the cores were over time, in characters: one line for each core. */
function corePlots(findings: FolderFindings, columns: number): Line[] {
  if (columns < TERMINAL.steps + LABELS + 4) return [];
  return coreTimes(findings, TERMINAL).flatMap(({ title, lines }) => {
    const format = (share: number): string => perCent(share).padStart(LABELS - 1);
    const drawn = plot(
      lines.map(({ shares }) => stretched(shares)),
      { min: 0, max: 1, height: HEIGHT_ROWS, format },
    );
    return [
      { text: '' },
      ...wrapped(title, columns, '', 'bold'),
      ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
    ];
  });
}

function stretched(shares: readonly number[]): number[] {
  const times = Math.floor(TERMINAL.steps / shares.length);
  return shares.flatMap((share) => Array.from({ length: times }, () => share));
}

export function analyzeFiles(plan: Omit<FolderPlan, 'signal'>, reporting: Reporting): Promise<number> {
  const isCertain = ({ classes }: FolderFindings): boolean =>
    classes.every(({ place, cold }) => place !== 'unknown' && cold?.place !== 'unknown');
  const folder = { measure: measureFolder, analyze: analyzeFolder, isCertain, report: folderReport };
  return measureAndReport(folder, plan, reporting);
}
