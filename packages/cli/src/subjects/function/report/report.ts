/** The findings on a function as a report, its parts in the order in which they are read, without those that were not measured. */
import { max } from 'd3-array';
import { ratio, real, type Series } from '../../../experiment/statistics.js';
import * as say from '../../../format/figures.js';
import { type Bar, barsChart } from '../../../report/html/bars.js';
import { type Chart, drawable, isDrawable } from '../../../report/html/chart.js';
import { countAxis, curveChart, logAxis, pointsOf, upFromZero } from '../../../report/html/curve.js';
import type { Report, Section, Table } from '../../../report/model.js';
import { nameOf } from '../rules/alternatives.js';
import { crossingMsOf } from '../rules/busy.js';
import { measure } from '../measure/measure.js';
import { analyze, type Findings, mayHoldUp } from '../rules/analyze.js';
import type { POOL_SERIES, PoolSamples } from '../rules/samples.js';
import { ANSWERS, beforeCode, explanation, recommendedCode } from './explanation.js';
import {
  coreMatrix,
  plotLines,
  ratePoints,
  runTimes,
  serialShareOf,
  subjectName,
  type Tables,
  tablesOf,
} from './tables.js';

export function functionReport(findings: Findings): Report {
  const { tone, short } = ANSWERS[findings.verdict.answer];
  const tables = tablesOf(findings);
  const { rates, ...others } = tables;
  return {
    findings,
    command: 'threadwise analyze',
    subject: subjectName(findings),
    tone,
    badge: short,
    keys: keyFigures(findings),
    meaning: explanation(findings),
    recommended: {
      before: beforeCode(findings),
      code: (columns) => recommendedCode(findings, columns),
      others: findings.alternatives.map(({ sentence, changesVerdict }) =>
        changesVerdict ? `${sentence}. That changes the verdict` : sentence,
      ),
    },
    figures: [rates, (columns) => plotLines(findings, columns), ...Object.values(others)],
    sections: () => sections(findings, tables),
  };
}

function keyFigures(findings: Findings): NonNullable<Report['keys']> {
  const { inline } = findings.samples;
  // Threads may be faster than one waiting call at a time, and still not pay: their gain would contradict the verdict.
  const isAsync = findings.verdict.answer === 'async';
  const [against, from] = isAsync ? [] : [findings.gain, findings.breakEven.runMs];
  const keys: NonNullable<Report['keys']> = [
    ['threads against inline', say.middle(against, say.factor), say.range(against, say.factor)],
    ['a call takes', say.shown(inline.callMs?.p50, say.duration), 'median'],
    ['a crossing costs', say.shown(crossingMsOf(findings.samples), say.duration), 'CPU time'],
    ['threads pay from', say.middle(from, say.duration), 'running time of a call'],
    ['noise', say.noise(findings.noise), 'between repeated runs'],
  ];
  return keys.filter(([, value]) => value !== say.NONE);
}

function sections(findings: Findings, tables: Tables): Section[] {
  const { breakEven, crossings, circumstances } = tables;
  const even = [breakEven, tables.spins && (gainCurve(findings, tables.spins) ?? tables.spins)];
  return [
    { id: 'rates', title: 'How many calls a second, by threads', blocks: byThreads(findings, tables) },
    { id: 'ways', title: 'Other ways of calling', blocks: [waysChart(findings)] },
    { id: 'even', title: 'When threads begin to pay', blocks: even },
    { id: 'cores', title: 'Cores and threads', ...cores(findings) },
    { id: 'loop', title: 'How long the event loop is held up', blocks: loop(findings) },
    { id: 'memory', title: 'Memory', blocks: memory(findings) },
    { id: 'call', title: 'One call', blocks: oneCall(findings, tables) },
    { id: 'crossing', title: 'The crossing', blocks: [crossings && ABOUT_CROSSING, crossings] },
    { id: 'limits', title: 'What keeps more threads from doing more', blocks: limits(findings) },
    { id: 'measured', title: 'How it was measured', isWide: true, blocks: [circumstances] },
  ];
}

function byThreads(findings: Findings, tables: Tables): Section['blocks'] {
  const { gain } = findings;
  const chart = rateCurve(findings, tables);
  if (chart === undefined) return [tables.rates];
  const best = `With the best number of threads: ${say.withRange(gain, say.factor)} as many calls as inline.`;
  return [real(gain) && best, beyondKnee(findings), chart];
}

/** Says what more threads than the knee brought; undefined: none were tried. */
function beyondKnee({ knee, samples: { threads } }: Findings): string | undefined {
  if (knee === undefined) return undefined;
  const rateOf = (each: PoolSamples | undefined) => say.figureOf(each?.rate)?.value;
  const own = rateOf(threads.find((each) => each.threads === knee.threads));
  const most = max(threads, (each) => (each.threads > knee.threads ? rateOf(each) : undefined));
  const more = (most ?? Number.NaN) / (own ?? 0) - 1;
  if (!Number.isFinite(more)) return undefined;
  const brought = more >= 0.005 ? `brought at most ${say.perCent(more)} more` : 'brought no more';
  return `More than ${say.counted(knee.threads, 'thread')} ${brought}.`;
}

/** The other ways of calling that bring more than threads alone, beside threads alone. */
function waysChart({ alternatives, samples: { inline, threads, variants } }: Findings) {
  const won = variants.filter(({ name }) => alternatives.some((each) => each.name === name));
  if (won.length === 0) return undefined;
  const without = threads.filter((each) => won.some((way) => way.threads === each.threads));
  const bars = [
    ...barsOf(inline.rate, without, 'rate'),
    ...won.map((each) => ({ name: nameOf(each), figure: say.figureOf(each.rate) })),
  ];
  return barsChart('ways', 'Calls a second, by way of calling', bars, say.rate);
}

const ABOUT_CROSSING = 'What a call costs that does nothing, with values as large as those of the function:';
const ABOUT_CORES =
  'The same calls, with the program bound to fewer cores. ' +
  'The small figures are 95 % intervals. The stronger the colour, the more calls.';
/** How many columns half of the page has room for. */
const COLUMNS_OF_HALF = 3;

function cores(findings: Findings): Pick<Section, 'isWide' | 'blocks'> {
  const { threads, rows } = coreMatrix(findings);
  if (rows.length === 0) return { blocks: [] };
  const heat = {
    title: 'Calls a second by cores and threads',
    head: ['the program may use', ...threads.map((n) => say.counted(n, 'thread'))],
    rows: rows.map(({ cores: n, cells }) => ({ name: say.counted(n, 'core'), cells })),
    format: say.rate,
  };
  return { isWide: threads.length > COLUMNS_OF_HALF, blocks: [ABOUT_CORES, heat] };
}

function loop({ samples }: Findings): Section['blocks'] {
  const { inline, threads, behaviour } = samples;
  const bars = barsOf(inline.loopDelayMs, threads, 'loopDelayMs');
  const chart = barsChart('delay', 'Delay of a timer, 99th percentile', bars, say.duration);
  if (chart === undefined || !mayHoldUp(samples)) return [];
  const [alone, ...all] = bars.map(({ figure }) => figure);
  // A function that returns a promise may wait instead of computing.
  if (alone === undefined || behaviour.returnsPromise) return [chart];
  const pools = all.filter((figure) => figure !== undefined);
  const isShorter = pools.length > 0 && pools.every(({ high }) => high < alone.low);
  const rest = isShorter ? ' With threads the wait was shorter.' : '';
  return [`While a function computes inline, a timer, a request, or a click has to wait.${rest}`, chart];
}

function barsOf(inline: Series, pools: readonly PoolSamples[], of: (typeof POOL_SERIES)[number]): Bar[] {
  const bar = (each: PoolSamples) => ({
    name: say.counted(each.threads, 'thread'),
    figure: say.figureOf(each[of]),
  });
  return [{ name: 'inline', figure: say.figureOf(inline), isInline: true }, ...pools.map(bar)];
}

function memory({ samples: { inline, threads, start } }: Findings): Section['blocks'] {
  const bars = barsOf([inline.residentBytes ?? Number.NaN], threads, 'residentBytes');
  const each = say.figureOf(start?.bytesPerThread);
  return [
    each && `One more thread takes ${say.withRange(each, say.bytes)}.`,
    barsChart('resident', 'Resident memory of the program', bars, say.bytes),
  ];
}

function oneCall(findings: Findings, tables: Tables): Section['blocks'] {
  const { times, format } = runTimes(findings);
  const [cold, , ...warm] = times;
  const bars = [...warm, cold].map(([name, ms]) => ({ name, figure: say.figureOf([ms ?? Number.NaN]) }));
  const chart = barsChart('times', 'Running time, inline', bars, format);
  const { runTimes: table, sizes, bySize } = tables;
  return [chart && { ...chart, table }, sizes, bySize];
}

function limits(findings: Findings): Section['blocks'] {
  const { limits: found, amdahl } = findings;
  const serial = serialShareOf(findings);
  const error = say.shown(amdahl?.error, (value) => value.toFixed(3));
  const fit =
    error === say.NONE
      ? `By Amdahl's law ${say.withRange(serial, say.perCent)} of the work would not run in parallel. That is a guess: one thread was ` +
        'compared with only one other number of threads, and some share always fits two figures.'
      : `Amdahl's law, fitted to the rates: ${say.withRange(serial, say.perCent)} of the work does not run in parallel. ` +
        `The fit is off by ${error} (RMS; less than 0.05 is good).`;
  return [{ list: found.map(({ name, why }) => `${name.replaceAll('-', ' ')}: ${why}`) }, serial && fit];
}

function rateCurve(findings: Findings, tables: Tables): Chart | undefined {
  const { machine } = findings.samples;
  const { points, alone } = ratePoints(findings);
  if (points.length === 0) return undefined;
  const counts = points.map(({ x }) => x);
  const hasCores = machine.cores > counts[0]! && machine.cores < counts.at(-1)!;
  const figures = [...points.map((point) => point.y), ...(alone === undefined ? [] : [alone])];
  const each = points.map(({ x, y }) => `${say.counted(x, 'thread')}: ${say.withRange(y, say.rate)}`);
  const also = alone === undefined ? '' : ` Inline: ${say.withRange(alone, say.rate)}.`;
  return curveChart({
    id: 'rate',
    title: 'Rate by number of threads',
    description: `Calls a second. ${each.join('; ')}.${also}`,
    points,
    x: countAxis(counts, say.count, 'threads'),
    y: upFromZero(figures, say.shortRate, 'calls a second'),
    flat: alone && { figure: alone, name: 'inline, without threads' },
    marks: hasCores ? [{ at: machine.cores, text: say.counted(machine.cores, 'core') }] : [],
    table: tables.rates,
  });
}

function gainCurve(findings: Findings, table: Table): Chart | undefined {
  const { spins, inline } = findings.samples;
  const gained = spins.map((each) => [each.runMs, real(ratio(each.pool, each.inline))] as const);
  const points = pointsOf(gained).filter(({ x, y }) => x > 0 && y.low > 0);
  if (points.length === 0) return undefined;
  const even = drawable(real(findings.breakEven.runMs));
  // The whole axis has the unit of its middle, on a logarithmic scale.
  const time = say.inOneUnit(say.duration, [Math.sqrt(points[0]!.x * points.at(-1)!.x)]);
  const marked = Object.entries({ 'pays from ': even?.value, 'your call: ': inline.callMs?.p50 });
  // A logarithmic scale has no place for 0.
  const marks = marked.flatMap(([text, at]) => (at && isDrawable(at) ? { at, text: text + time(at) } : []));
  const each = points.map(({ x, y }) => `${time(x)}: ${say.withRange(y, say.factor)}`);
  const times = [...points.map(({ x }) => x), ...marks.map(({ at }) => at)];
  const gains = [1, ...points.flatMap(({ y }) => [y.low, y.high])];
  const also = marks.length === 0 ? '' : ` Marked: ${marks.map(({ text }) => text).join('; ')}.`;
  return curveChart({
    id: 'gain',
    title: 'Gain by running time of a call',
    description: `Calls a second in a pool, over those inline, by running time of a call. ${each.join('; ')}.${also}`,
    points,
    x: logAxis('x', times, time, 'running time of a call; both scales are logarithmic'),
    y: logAxis('y', gains, say.factor, 'times as many calls as inline'),
    flat: { figure: { value: 1, low: 1, high: 1 }, name: 'inline: above it threads pay' },
    band: even === undefined || even.low <= 0 ? undefined : even,
    marks,
    table,
  });
}

export const oneFunction = { measure, analyze, report: functionReport };
