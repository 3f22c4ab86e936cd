/** The two curves of the page: the rate by number of threads, and the gain by running time of a call. */
import { ratio, real } from '../../../experiment/statistics.js';
import {
  count,
  counted,
  duration,
  factor,
  figureOf,
  inOneUnit,
  rate,
  shortRate,
  withRange,
} from '../../../format/figures.js';
import { type Chart, drawable, isDrawable } from '../../../report/html/chart.js';
import { countAxis, curveChart, logAxis, pointsOf, upFromZero } from '../../../report/html/curve.js';
import type { Findings } from '../rules/findings.js';
import { ratesTable, spinsTable } from './tables.js';

/** Undefined where there is nothing to draw. */
export function rateCurve(findings: Findings): Chart | undefined {
  const { inline, threads, machine } = findings.samples;
  const points = pointsOf(threads.map((each) => [each.threads, figureOf(each.rate)]));
  if (points.length === 0) return undefined;
  const alone = drawable(figureOf(inline.rate));
  const counts = points.map(({ x }) => x);
  const hasCores = machine.cores > counts[0]! && machine.cores < counts.at(-1)!;
  const figures = [...points.map((point) => point.y), ...(alone === undefined ? [] : [alone])];
  const each = points.map(({ x, y }) => `${counted(x, 'thread')}: ${withRange(y, rate)}`);
  const also = alone === undefined ? '' : ` Inline: ${withRange(alone, rate)}.`;
  return curveChart({
    id: 'rate',
    title: 'Rate by number of threads',
    description: `Calls a second. ${each.join('; ')}.${also}`,
    points,
    x: countAxis(counts, count, 'threads'),
    y: upFromZero(figures, shortRate, 'calls a second'),
    flat: alone && { figure: alone, name: 'inline, without threads' },
    marks: hasCores ? [{ at: machine.cores, text: counted(machine.cores, 'core') }] : [],
    table: ratesTable(findings),
  });
}

/** Undefined where there is nothing to draw. */
export function gainCurve(findings: Findings): Chart | undefined {
  const { spins, inline } = findings.samples;
  const gained = spins.map((each) => [each.runMs, real(ratio(each.pool, each.inline))] as const);
  // A logarithmic scale has no place for 0.
  const points = pointsOf(gained).filter(({ x, y }) => x > 0 && y.low > 0);
  if (points.length === 0) return undefined;
  const even = drawable(real(findings.breakEven.runMs));
  // The whole axis has the unit of its middle, on a logarithmic scale.
  const time = inOneUnit(duration, Math.sqrt(points[0]!.x * points.at(-1)!.x));
  const marks = [
    { at: even?.value, text: 'pays from ' },
    { at: inline.callMs?.p50, text: 'your call: ' },
  ].flatMap(({ at, text }) =>
    at === undefined || at <= 0 || !isDrawable(at) ? [] : [{ at, text: text + time(at) }],
  );
  const each = points.map(({ x, y }) => `${time(x)}: ${withRange(y, factor)}`);
  const times = [...points.map(({ x }) => x), ...marks.map(({ at }) => at)];
  const gains = [1, ...points.flatMap(({ y }) => [y.low, y.high])];
  const also = marks.length === 0 ? '' : ` Marked: ${marks.map(({ text }) => text).join('; ')}.`;
  return curveChart({
    id: 'gain',
    title: 'Gain by running time of a call',
    description: `Calls a second in a pool, over those inline, by running time of a call. ${each.join('; ')}.${also}`,
    points,
    x: logAxis('x', times, time, 'running time of a call; both scales are logarithmic'),
    y: logAxis('y', gains, factor, 'times as many calls as inline'),
    flat: { figure: { value: 1, low: 1, high: 1 }, name: 'inline: above it threads pay' },
    band: even === undefined || even.low <= 0 ? undefined : even,
    marks,
    table: spinsTable(findings),
  });
}
