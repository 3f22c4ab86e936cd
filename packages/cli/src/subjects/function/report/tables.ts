/** The measurements of a function as text: tables, which every view draws in its own way, and a plot. Text of the user's is not escaped here. */
import { plot } from 'asciichart';
import { scaleLinear } from 'd3-scale';
import { type Estimate, ratio, real, type Series } from '../../../experiment/statistics.js';
import * as say from '../../../format/figures.js';
import { widthOf } from '../../../format/text.js';
import { drawable } from '../../../report/html/chart.js';
import { type Point, pointsOf } from '../../../report/html/curve.js';
import { machineRows, pairsTable, type Row, tableOf } from '../../../report/model.js';
import { type Line, wrapped } from '../../../report/terminal.js';
import { nameOf } from '../rules/alternatives.js';
import { type Findings, mayHoldUp } from '../rules/analyze.js';
import type { PoolSamples } from '../rules/samples.js';

export function subjectName({ samples: { subject } }: Findings): string {
  return subject.module.includes('#') ? subject.module : `${subject.module}#${subject.export}`;
}

/** A figure with its interval, or the series of which it is estimated. */
type Shown = Estimate | Series | undefined;
const figureOf = (of: Shown) => (of === undefined || 'value' in of ? of : say.figureOf(of));
const both = (of: Shown, format: say.Format) => [
  say.middle(figureOf(of), format),
  say.range(figureOf(of), format),
];
const middleOf = (of: Shown, format: say.Format) => say.middle(figureOf(of), format);
const rangedOf = (of: Shown, format: say.Format) => say.withRange(figureOf(of), format);

export type Tables = ReturnType<typeof tablesOf>;

/** All tables, in the order of the views that are text; undefined: nothing was measured for it. */
export function tablesOf(findings: Findings) {
  const { samples, breakEven, amdahl, verdict } = findings;
  // Calls that wait would be compared with calls that compute for as long.
  const isAsync = verdict.answer === 'async';
  const { subject, machine, inline, start, control } = samples;
  type Measured = Pick<PoolSamples, 'rate' | 'cpuMs' | 'loopDelayMs' | 'residentBytes'>;
  const rates = (name: string, each: Measured, gain?: Estimate): Row => [
    name,
    ...both(each.rate, say.rate),
    middleOf(gain, say.factor),
    middleOf(each.cpuMs, say.duration),
    middleOf(each.loopDelayMs, say.duration),
    middleOf(each.residentBytes, say.bytes),
  ];
  const ofPool = (name: string, each: PoolSamples) => rates(name, each, ratio(each.rate, inline.rate));
  const itself = samples.threads.length === 0 ? undefined : ratio(inline.rate, inline.rate);
  const alone = { ...inline, residentBytes: [inline.residentBytes ?? Number.NaN] };
  if (!mayHoldUp(samples)) alone.loopDelayMs = [];
  const sizes = Object.entries({ arguments: inline.bytesIn, results: inline.bytesOut });
  const matrix = coreMatrix(findings);
  const callTimes = runTimes(findings);
  const { used, count: all, how } = subject.inputs;
  return {
    rates: tableOf(
      'Rate by threads',
      ['threads', 'calls/s', '95 % interval', 'x inline', 'CPU per call', 'loop delay p99', 'memory'],
      [
        rates('none: inline', alone, itself),
        ...samples.threads.map((each) => ofPool(say.count(each.threads), each)),
        ...samples.variants.map((each) => ofPool(`${say.count(each.threads)}, ${nameOf(each)}`, each)),
      ],
    ),
    breakEven: isAsync
      ? undefined
      : pairsTable(
          'Threads begin to pay at',
          [
            ['running time of a call', ...both(breakEven.runMs, say.duration)],
            ['size of an input', ...both(breakEven.inputBytes, say.bytes)],
            ['number of calls, counting the start of the threads', ...both(breakEven.calls, say.count)],
          ],
          ['by', 'from', '95 % interval'],
        ),
    crossings: tableOf(
      'What a crossing costs',
      ['transport', 'CPU per call', '95 % interval', 'one at a time'],
      samples.crossings.map(({ transport, cpuMs, loneMs }) => [
        `'${transport}'`,
        ...both(cpuMs, say.duration),
        middleOf(loneMs, say.duration),
      ]),
    ),
    spins: isAsync
      ? undefined
      : tableOf(
          'Gain by running time',
          ['running time', 'x inline', '95 % interval', 'inline calls/s', 'pool calls/s'],
          samples.spins.map(({ runMs, inline: here, pool }) => [
            say.shown(runMs, say.duration),
            ...both(ratio(pool, here), say.factor),
            middleOf(here, say.rate),
            middleOf(pool, say.rate),
          ]),
          true,
        ),
    cores: tableOf(
      'Calls/s by cores and threads',
      ['cores', ...matrix.threads.map((n) => say.counted(n, 'thread'))],
      matrix.rows.map(({ cores, cells }) => [say.count(cores), ...cells.map((of) => middleOf(of, say.rate))]),
    ),
    runTimes: pairsTable(
      'Running time of a call, inline',
      callTimes.times.map(([name, ms]) => [name, say.shown(ms, callTimes.format)]),
      ['which', 'time'],
    ),
    sizes: tableOf(
      'Bytes that cross',
      ['what', 'median', 'p99', 'largest'],
      sizes.flatMap(([name, of]) =>
        of === undefined ? [] : [[name, ...[of.p50, of.p99, of.max].map((n) => say.shown(n, say.bytes))]],
      ),
    ),
    bySize: tableOf(
      'Running time by size of the input',
      ['size', 'time', '95 % interval'],
      inline.bySize.map((each) => [say.shown(each.bytes, say.bytes), ...both(each.ms, say.duration)]),
    ),
    circumstances: pairsTable('How it was measured', [
      ['function', subjectName(findings)],
      ['inputs', `${say.count(used)} of ${say.count(all)} used${how === '' ? '' : `: ${how}`}`],
      ...machineRows(machine),
      ['share of the cores that other programs had', say.shown(machine.othersShare, say.perCent)],
      ['rounds', inline.rate.length === 0 ? say.NONE : say.count(inline.rate.length)],
      ['repeated runs of the same', say.noise(findings.noise)],
      ['control runs, before, calls/s', rangedOf(control.before, say.rate)],
      ['control runs, after, calls/s', rangedOf(control.after, say.rate)],
      ['CPU per call, inline', rangedOf(inline.cpuMs, say.duration)],
      ['share of the time that went into garbage collection', middleOf(inline.garbageShare, say.perCent)],
      ['a thread is ready after', rangedOf(start?.readyMs, say.duration)],
      ['memory that a thread takes', rangedOf(start?.bytesPerThread, say.bytes)],
      [
        // One thread and one other number of them fit any share.
        amdahl?.error === undefined
          ? "serial part (Amdahl's law, a guess from two points)"
          : "serial part (Amdahl's law)",
        say.withRange(serialShareOf(findings), say.perCent),
      ],
      ['error of that fit (RMS)', say.shown(amdahl?.error, (error) => error.toFixed(3))],
    ]),
  };
}

/** The part that does not run in parallel; undefined: not known, since any part would do. */
export function serialShareOf({ amdahl }: Findings): Estimate | undefined {
  const share = real(amdahl?.serialShare);
  return share !== undefined && say.perCent(share.high - share.low) === '100 %' ? undefined : share;
}

/** The rates by number of cores, a row for each, and by number of threads, a cell for each; both ascending. */
export function coreMatrix({ samples }: Findings) {
  const found = samples.cores.filter(({ rate }) => say.figureOf(rate) !== undefined);
  const ascending = (numbers: number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  const threads = ascending(found.map((each) => each.threads));
  const rows = ascending(found.map((each) => each.cores)).map((cores) => {
    const row = found.filter((each) => each.cores === cores);
    return { cores, cells: threads.map((n) => say.figureOf(row.find((of) => of.threads === n)?.rate)) };
  });
  return { threads, rows };
}

/** The running times of a call by name, in milliseconds, and their format, the same in the chart and in its table. */
export function runTimes({ samples: { inline } }: Findings) {
  const { callMs, coldMs } = inline;
  const times = [
    ['the first, cold', coldMs],
    ['mean', callMs?.mean],
    ['median (p50)', callMs?.p50],
    ['p90', callMs?.p90],
    ['p99', callMs?.p99],
    ['longest', callMs?.max],
  ] as const;
  const known = times.flatMap(([, ms]) => ms ?? []);
  return { times, format: say.inOneUnit(say.duration, known) };
}

/** The rates that can be drawn: by number of threads, and of the calling thread alone. */
export function ratePoints({ samples: { inline, threads } }: Findings) {
  const points = pointsOf(threads.map((each) => [each.threads, say.figureOf(each.rate)]));
  return { points, alone: drawable(say.figureOf(inline.rate)) };
}

/** The fewest points that a curve is drawn of: fewer show none. */
const LEAST_POINTS = 3;
const HEIGHT_ROWS = 8;
/** How many columns there are from one point to the next at most, where there is room, and at least. */
const MOST_COLUMNS = 10;
const LEAST_COLUMNS = 3;
/** The `offset` of asciichart. With 2 the first cell of a row is the whole label and the second is the axis, with nothing in between. */
const TICK = 2;

export function plotLines(findings: Findings, columns: number): Line[] {
  const { points, alone } = ratePoints(findings);
  const inline = alone?.value;
  const highest = Math.max(...points.map(({ y }) => y.value));
  if (points.length < LEAST_POINTS || highest === 0) return [];
  const top = Math.max(highest, inline ?? 0);
  const ticks = Array.from({ length: HEIGHT_ROWS + 1 }, (_, i) => say.rate((top * i) / HEIGHT_ROWS));
  const labels = Math.max(...ticks.map(widthOf)) + 1;
  const step = Math.min(MOST_COLUMNS, Math.floor((columns - labels - 4) / (points.length - 1)));
  if (step < LEAST_COLUMNS) return [];
  const valueAt = scaleLinear(
    points.map((_, i) => i * step),
    points.map(({ y }) => y.value),
  );
  const curve = Array.from({ length: (points.length - 1) * step + 1 }, (_, column) => valueAt(column));
  const drawn = plot([...(inline === undefined ? [] : [curve.map(() => inline)]), curve], {
    min: 0,
    height: HEIGHT_ROWS,
    offset: TICK,
    format: (value) => `${say.rate(value).padStart(labels - 1)} `,
  });
  const legend = inline === undefined ? '' : `; the straight line: inline, ${say.rate(inline)}`;
  return [
    { text: '' },
    ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
    { text: `  ${axis(points, labels, step)}` },
    ...wrapped(`calls/s by threads${legend}`, columns, '  ', 'dim'),
  ];
}

/** The numbers of threads, each below its point. */
function axis(points: readonly Point[], labels: number, step: number): string {
  return points.reduce((text, { x }, i) => {
    const column = labels + i * step;
    return text.length > column && i > 0 ? text : text.padEnd(column) + say.count(x);
  }, '');
}
