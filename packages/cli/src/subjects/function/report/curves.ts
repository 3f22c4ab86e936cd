/** The two curves of the page: the rate by number of threads, and the gain by running time of a call. */
import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type Estimate, ratio, real } from '../../../experiment/statistics.js';
import {
  count,
  counted,
  duration,
  factor,
  figureOf,
  rate,
  shortRate,
  withRange,
} from '../../../format/figures.js';
import { axes, type Axis, PLOT, verticalMark, whisker } from '../../../report/html/axes.js';
import { type Chart, isDrawable, px, tenth } from '../../../report/html/chart.js';
import type { Findings } from '../rules/findings.js';
import { byThreads, ratesTable, spinsTable } from './tables.js';

interface Point {
  readonly x: number;
  readonly y: Estimate;
}

/** Undefined where there is nothing to draw. */
export function rateCurve(findings: Findings): Chart | undefined {
  const { inline, threads, machine } = findings.samples;
  const points = pointsOf(byThreads(threads).map((each) => [each.threads, figureOf(each.rate)]));
  if (points.length === 0) return undefined;
  const alone = drawable(figureOf(inline.rate));
  const [first, last] = [points[0]!.x, points.at(-1)!.x];
  const scale = scaleLinear([Math.min(first, 1), Math.max(last, 2)], [PLOT.left + 16, PLOT.right - 10]);
  const x: Axis = {
    at: scale,
    ticks: points.map((point) => ({ value: point.x, text: count(point.x) })),
    name: 'threads',
  };
  const y = upFromZero(
    [...points.map((point) => point.y), ...(alone === undefined ? [] : [alone])],
    shortRate,
    'calls a second',
  );
  const hasCores = machine.cores > first && machine.cores < last;
  return {
    id: 'rate',
    title: 'Rate by number of threads',
    description: rateDescription(points, alone),
    ...PLOT,
    body: [
      axes(x, y),
      alone === undefined ? '' : flatLine(alone, y),
      hasCores ? verticalMark(x.at(machine.cores), counted(machine.cores, 'core'), 0) : '',
      curve(points, x, y),
    ].join('\n'),
    legend: [
      ['pool', 'in a pool, with the 95 % interval'],
      ...(alone === undefined ? [] : [['inline', 'inline, without threads'] as const]),
    ],
    table: ratesTable(findings),
  };
}

function rateDescription(points: readonly Point[], alone: Estimate | undefined): string {
  const each = points.map(({ x, y }) => `${counted(x, 'thread')}: ${withRange(y, rate)}`);
  const inline = alone === undefined ? '' : ` Inline: ${withRange(alone, rate)}.`;
  return `Calls a second. ${each.join('; ')}.${inline}`;
}

/** Undefined where there is nothing to draw. */
export function gainCurve(findings: Findings): Chart | undefined {
  const { spins, inline } = findings.samples;
  const sorted = spins.filter(({ runMs }) => runMs > 0).toSorted((a, b) => a.runMs - b.runMs);
  const gained = sorted.map((each) => [each.runMs, real(ratio(each.pool, each.inline))] as const);
  // On a logarithmic scale nothing has no place.
  const points = pointsOf(gained).filter(({ y }) => y.low > 0);
  if (points.length === 0) return undefined;
  const even = drawable(real(findings.breakEven.runMs));
  const own = inline.callMs?.p50;
  const marks = [
    ...(even === undefined || even.value <= 0
      ? []
      : [{ at: even.value, text: `pays from ${duration(even.value)}` }]),
    ...(own === undefined || !isDrawable(own) || own === 0
      ? []
      : [{ at: own, text: `your call: ${duration(own)}` }]),
  ];
  const x = logAxis(
    [...points.map((point) => point.x), ...marks.map(({ at }) => at)],
    [PLOT.left + 16, PLOT.right - 16],
    duration,
    'running time of a call; both scales are logarithmic',
  );
  const gains = [1, ...points.flatMap((point) => [point.y.low, point.y.high])];
  const y = logAxis(gains, [PLOT.bottom - 8, PLOT.top], factor, 'times as many calls as inline');
  return {
    id: 'gain',
    title: 'Gain by running time of a call',
    description: gainDescription(points, marks),
    ...PLOT,
    body: [
      axes(x, y),
      even === undefined || even.low <= 0 ? '' : band(x.at(even.low), x.at(even.high)),
      flatLine({ value: 1, low: 1, high: 1 }, y),
      curve(points, x, y),
      ...marks.map(({ at, text }, row) => verticalMark(x.at(at), text, row)),
    ].join('\n'),
    legend: [
      ['pool', 'in a pool, with the 95 % interval'],
      ['inline', 'inline: above it threads pay'],
    ],
    table: spinsTable(findings),
  };
}

function gainDescription(points: readonly Point[], marks: readonly { text: string }[]): string {
  const each = points.map(({ x, y }) => `${duration(x)}: ${withRange(y, factor)}`);
  const also = marks.length === 0 ? '' : ` Marked: ${marks.map(({ text }) => text).join('; ')}.`;
  return `Calls a second in a pool, over those inline, by running time of a call. ${each.join('; ')}.${also}`;
}

function pointsOf(pairs: readonly (readonly [number, Estimate | undefined])[]): Point[] {
  return pairs.flatMap(([x, figure]) => {
    const y = drawable(figure);
    return y === undefined || !isDrawable(x) ? [] : [{ x, y }];
  });
}

function drawable(figure: Estimate | undefined): Estimate | undefined {
  return figure !== undefined && [figure.value, figure.low, figure.high].every(isDrawable)
    ? figure
    : undefined;
}

function upFromZero(figures: readonly Estimate[], format: (value: number) => string, name: string): Axis {
  const most = Math.max(...figures.map(({ high }) => high));
  const scale = scaleLinear([0, most === 0 ? 1 : most], [PLOT.bottom, PLOT.top]).nice(5);
  return { at: scale, ticks: scale.ticks(5).map((value) => ({ value, text: format(value) })), name };
}

/** Above that, only powers of ten are named. */
const MOST_TICKS = 7;

function logAxis(
  values: readonly number[],
  ends: readonly [from: number, to: number],
  format: (value: number) => string,
  name: string,
): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const domain = least === most ? [least / 2, most * 2] : [least, most];
  const scale = scaleLog(domain, ends);
  const named = (digits: readonly number[]): number[] =>
    scale
      .ticks(10)
      .filter((value) => digits.includes(Math.round(value / 10 ** Math.floor(Math.log10(value * 1.001)))));
  const some = named([1, 2, 5]);
  const round = some.length > MOST_TICKS ? named([1]) : some;
  const ticks = round.length === 0 ? domain : round;
  return { at: scale, ticks: ticks.map((value) => ({ value, text: format(value) })), name };
}

function curve(points: readonly Point[], x: Axis, y: Axis): string {
  const between = area<Point>(
    (point) => tenth(x.at(point.x)),
    (point) => tenth(y.at(point.y.low)),
    (point) => tenth(y.at(point.y.high)),
  );
  const through = line<Point>(
    (point) => tenth(x.at(point.x)),
    (point) => tenth(y.at(point.y.value)),
  );
  const dots = points.map((point) => {
    const [cx, cy] = [x.at(point.x), y.at(point.y.value)];
    const dot = `<circle class="pool-fill" cx="${px(cx)}" cy="${px(cy)}" r="5"/>`;
    return whisker(cx, y.at(point.y.low), y.at(point.y.high)) + dot;
  });
  return `<path class="pool-soft" d="${between(points)}"/><path class="pool-line" d="${through(points)}"/>${dots.join('')}`;
}

/** A dashed line, and what it may as well be. */
function flatLine({ value, low, high }: Estimate, y: Axis): string {
  const { left, right } = PLOT;
  const [top, bottom] = [y.at(high), y.at(low)];
  const soft = `<rect class="inline-soft" x="${left}" y="${px(top)}" width="${right - left}" height="${px(bottom - top)}"/>`;
  return `${soft}<path class="inline-line" d="M${left} ${px(y.at(value))}H${right}"/>`;
}

function band(from: number, to: number): string {
  const { left, right, top, bottom } = PLOT;
  const [start, end] = [Math.max(left, from), Math.min(right, to)];
  if (!(end > start)) return '';
  return `<rect class="inline-soft" x="${px(start)}" y="${top}" width="${px(end - start)}" height="${bottom - top}"/>`;
}
