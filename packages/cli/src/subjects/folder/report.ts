/** What was found of a folder, as a report. */
import { plot } from 'asciichart';
import { max, mean } from 'd3-array';
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
  reportOf,
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
import { type ClassSamples, shortTitleOf, titleOf, type WayName, type WaySamples } from './rules/samples.js';
import { sizesInWords } from './rules/sentences.js';

/** Of a chart on the page: what there is room for. */
const PAGE = { mostSteps: 120, mostCores: 16 } as const;

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
  const { verdict, samples } = findings;
  const [badge, tone] = SHORT[verdict.answer];
  const overview = overviewTable(findings);
  const tables = classTables(findings);
  const measured = circumstancesTable(findings);
  const plots = { table: undefined, plot: (columns: number) => corePlots(findings, columns) };
  return reportOf(findings, {
    command: 'threadwise analyze files',
    subject: samples.subject.folder,
    tone,
    badge,
    lead: `Found: ${counted(samples.subject.files, 'file')}.`,
    figures: [...[overview, ...tables].map((table) => ({ table })), plots, { table: measured }],
    sections: () => [
      {
        id: 'sizes',
        title: 'What is there, and what is best',
        isWide: true,
        blocks: [overview && { table: overview }],
      },
      ...findings.classes.map(ratesSection),
      ...coreTimes(findings, PAGE.mostSteps, PAGE.mostCores).map(coresSection),
      {
        id: 'figures',
        title: 'All figures',
        isWide: true,
        blocks: tables.map((table) => table && { table }),
      },
      { id: 'measured', title: 'The measurement', isWide: true, blocks: [measured && { table: measured }] },
    ],
  });
}

function ratesSection(finding: ClassFinding, i: number): Section {
  const sizes = sizesInWords(finding);
  const bars = finding.ways.map(({ name, rate: figure }) => ({
    name: shortTitleOf(name),
    figure,
    isInline: name !== 'read-files' && !name.startsWith('workers'),
  }));
  const chart = barsChart(`bars-${i}`, `Files per second, ${sizes}`, bars, rate);
  return { id: `rates-${i}`, title: `How fast: ${sizes}`, blocks: [chart && { chart }] };
}

function coresSection({ way, title, lines }: CoreTimes): Section {
  const chart = lanesChart(`lanes-${way}`, title, lines);
  return { id: `cores-${way}`, title, blocks: [chart && { chart }] };
}

/** What the others are compared with. */
const BASE: WayName = 'sync-loop';
/** Beyond that only the busiest and the mean are told. */
const MOST_CORES = 8;

function classTables({ classes }: FolderFindings): Table[] {
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
function overviewTable({ classes, samples }: FolderFindings): Table {
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
  /** For each core, or for all together, the busy share of it in steps of time. */
  readonly lines: readonly { readonly name: string; readonly shares: readonly number[] }[];
}

/** What there is to see: one core at work, and all of them. */
const SHOWN: readonly WayName[] = ['sync-loop', 'async-all', 'workers'];
/** With fewer steps there is no curve. */
const LEAST_STEPS = 4;

/**
 * Of the class in which most bytes were read.
 * @param mostSteps as many as there is room for
 * @param mostCores with more lines nobody sees anything: the mean of all then
 */
function coreTimes({ samples }: FolderFindings, mostSteps: number, mostCores: number): CoreTimes[] {
  const largest = samples.classes.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (largest === undefined) return [];
  return SHOWN.flatMap((name) => {
    const way = largest.warm.ways.find((each) => each.name === name);
    const times = way === undefined ? undefined : timesOf(largest, way, mostSteps, mostCores);
    return times === undefined ? [] : [times];
  });
}

function timesOf(
  sizes: ClassSamples,
  { name, busy }: WaySamples,
  mostSteps: number,
  mostCores: number,
): CoreTimes | undefined {
  const steps = busy.slice(0, mostSteps);
  if (steps.length < LEAST_STEPS) return undefined;
  const cores = Math.min(...steps.map((shares) => shares.length));
  const title = `Cores over time: ${titleOf(name)}, files ${sizesInWords(sizes)}`;
  if (cores > mostCores) {
    return {
      way: name,
      title,
      lines: [{ name: counted(cores, 'core'), shares: steps.map((shares) => mean(shares) ?? Number.NaN) }],
    };
  }
  const lines = Array.from({ length: cores }, (_, core) => ({
    name: `core ${core}`,
    shares: steps.map((shares) => shares[core]!),
  }));
  return { way: name, title, lines };
}

/** How busy the cores were over time, in characters: one line for each core. */
/** Of a plot in characters. */
const HEIGHT_ROWS = 4;
const MOST_COLUMNS = 40;
const MOST_LINES = 4;
const LABELS = 7;

function corePlots(findings: FolderFindings, columns: number): Line[] {
  if (columns < MOST_COLUMNS + LABELS + 4) return [];
  return coreTimes(findings, MOST_COLUMNS, MOST_LINES).flatMap((times) => plotOf(times, columns));
}

function plotOf({ title, lines }: CoreTimes, columns: number): Line[] {
  const drawn = plot(
    lines.map(({ shares }) => stretched(shares)),
    {
      min: 0,
      max: 1,
      height: HEIGHT_ROWS,
      format: (share) => perCent(share).padStart(LABELS - 1),
    },
  );
  return [
    { text: '' },
    ...wrapped(title, columns, '', 'bold'),
    ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
  ];
}

function stretched(shares: readonly number[]): number[] {
  return shares.flatMap((share) =>
    Array.from({ length: Math.floor(MOST_COLUMNS / shares.length) }, () => share),
  );
}

export function analyzeFiles(plan: Omit<FolderPlan, 'signal'>, reporting: Reporting): Promise<number> {
  const isCertain = ({ classes }: FolderFindings): boolean =>
    classes.every(({ place, cold }) => place !== 'unknown' && cold?.place !== 'unknown');
  const folder = { measure: measureFolder, analyze: analyzeFolder, isCertain, report: folderReport };
  return measureAndReport(folder, plan, reporting);
}
