/** A chart with two axes: a curve through figures with their intervals, a line that it is compared with, and marks. */
import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { Estimate } from '../../experiment/statistics.js';
import type { Format } from '../../format/figures.js';
import { type Chart, drawable, isDrawable, label, path, px, rect, tenth, WIDTH } from './chart.js';
import { escaped } from './text.js';

export interface Point {
  readonly x: number;
  readonly y: Estimate;
}

interface Curve extends Pick<Chart, 'id' | 'title' | 'description' | 'table'> {
  readonly points: readonly Point[];
  readonly x: Axis;
  readonly y: Axis;
  readonly flat: { readonly figure: Estimate; readonly name: string } | undefined; // what the curve is compared with
  readonly band?: Estimate | undefined; // a range of the first axis that is drawn as a band
  readonly marks: readonly { readonly at: number; readonly text: string }[]; // lines from top to bottom, on the first axis
}

export function curveChart({ points, x, y, flat, band, marks, ...named }: Curve): Chart {
  const across = (point: Point) => tenth(x.at(point.x));
  const up = (of: keyof Estimate) => (point: Point) => tenth(y.at(point.y[of]));
  return {
    ...named,
    height: PLOT.height,
    body: [
      ...axes(x, y),
      band === undefined ? '' : bandOf(x.at(band.low), x.at(band.high)),
      // The intervals are drawn first: they would hide the line that the curve is compared with.
      path('pool-soft', area<Point>(across, up('low'), up('high'))(points)!),
      flat === undefined ? '' : flatLine(flat.figure, y),
      path('pool-line', line<Point>(across, up('value'))(points)!) +
        points.map((each) => dot(each, x, y)).join(''),
      ...marks.map(({ at, text }, row) => verticalMark(x.at(at), text, row)),
    ].join('\n'),
    legend: [
      ['pool', 'in a pool, with the 95 % interval'],
      ...(flat === undefined ? [] : [['inline', flat.name] as const]),
    ],
  };
}

/** The points of those pairs that can be drawn. */
export function pointsOf(pairs: readonly (readonly [number, Estimate | undefined])[]): Point[] {
  return pairs.flatMap(([x, figure]) => {
    const y = drawable(figure);
    return y === undefined || !isDrawable(x) ? [] : [{ x, y }];
  });
}

/** Where things lie in the drawing, in its units: on a telephone a unit is about 0.75 pixels, on a desktop a little more than one. */
const PLOT = { height: 316, left: 62, right: 446, top: 60, bottom: 262 } as const;

interface Axis {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly format: Format;
  readonly name: string;
}

function axes(x: Axis, y: Axis): string[] {
  const { left, right, bottom, height } = PLOT;
  const middle = (at: string | number, down: number, text: string) =>
    `<text x="${at}" y="${down}" text-anchor="middle">${escaped(text)}</text>`;
  const rows = y.ticks.map((value) => {
    const at = y.at(value);
    return path('grid', `M${left} ${px(at)}H${right}`) + label(left - 8, at, y.format(value), 'name');
  });
  const columns = apart(x).map((value) => {
    const [at, text] = [x.at(value), x.format(value)];
    const name = middle(px(Math.min(at, WIDTH - halfOf(text))), bottom + 20, text);
    return path('axis', `M${px(at)} ${bottom}v5`) + name;
  });
  return [
    ...rows,
    path('axis', `M${left} ${bottom}H${right}`),
    ...columns,
    middle((left + right) / 2, height - 10, x.name),
    `<text x="4" y="17">${escaped(y.name)}</text>`,
  ];
}

const CHARACTER = 8.5; // about how wide a character is where letters are largest, in units of the drawing
const halfOf = (text: string): number => (text.length * CHARACTER) / 2;

/** The ticks that have room beside those before them. */
function apart({ at, ticks, format }: Axis): readonly number[] {
  let end = Number.NEGATIVE_INFINITY;
  return ticks.filter((value) => {
    const half = halfOf(format(value));
    if (at(value) - half < end + CHARACTER) return false;
    end = at(value) + half;
    return true;
  });
}

/** A line from top to bottom, with a word above the plot, on the side where there is room; each in a row of its own. */
function verticalMark(at: number, text: string, row: number): string {
  const { left, right, bottom } = PLOT;
  const y = 34 + 17 * row;
  const [aside, anchor] = at > (left + right) / 2 ? [-6, 'end'] : [6, 'start'];
  const name = `<text class="strong" x="${px(at + aside)}" y="${y}" text-anchor="${anchor}">${escaped(text)}</text>`;
  return path('mark', `M${px(at)} ${y - 10}V${bottom}`) + name;
}

/** Where the ends of an axis lie, a little within the plot. */
const ENDS = { x: [PLOT.left + 16, PLOT.right - 16], y: [PLOT.bottom - 8, PLOT.top] } as const;

/** The first axis, with a tick for each of these whole numbers. */
export function countAxis(counts: readonly number[], format: Format, name: string): Axis {
  const at = scaleLinear([Math.min(counts[0]!, 1), Math.max(counts.at(-1)!, 2)], ENDS.x);
  return { at, ticks: counts, format, name };
}

/** The second axis, from 0 upwards. */
export function upFromZero(figures: readonly Estimate[], format: Format, name: string): Axis {
  const most = Math.max(...figures.map(({ high }) => high));
  const at = scaleLinear([0, most || 1], [PLOT.bottom, PLOT.top]).nice(5);
  return { at, ticks: at.ticks(5), format, name };
}

const MOST_TICKS = 7; // with more ticks than this, only powers of ten have one

export function logAxis(side: 'x' | 'y', values: readonly number[], format: Format, name: string): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const domain = least === most ? [least / 2, most * 2] : [least, most];
  const at = scaleLog(domain, ENDS[side]);
  const firstDigit = (value: number) => Math.round(value / 10 ** Math.floor(Math.log10(value * 1.001)));
  const some = at.ticks(10).filter((value) => [1, 2, 5].includes(firstDigit(value)));
  const round = some.length > MOST_TICKS ? some.filter((value) => firstDigit(value) === 1) : some;
  return { at, ticks: round.length === 0 ? domain : round, format, name };
}

/** A figure of the curve, with its interval. */
function dot({ x: at, y: figure }: Point, x: Axis, y: Axis): string {
  const cx = x.at(at);
  const [low, high, from] = [px(y.at(figure.low)), px(y.at(figure.high)), px(cx - 4)];
  const whisker = path('whisker', `M${from} ${low}h8M${px(cx)} ${low}V${high}M${from} ${high}h8`);
  return `${whisker}<circle class="pool-fill" cx="${px(cx)}" cy="${px(y.at(figure.value))}" r="5"/>`;
}

/** A dashed line at the figure, and a band for its interval. */
function flatLine({ value, low, high }: Estimate, y: Axis): string {
  const { left, right } = PLOT;
  const [top, bottom] = [y.at(high), y.at(low)];
  const soft = rect('inline-soft', left, px(top), right - left, px(bottom - top));
  return soft + path('inline-line', `M${left} ${px(y.at(value))}H${right}`);
}

function bandOf(from: number, to: number): string {
  const { left, right, top, bottom } = PLOT;
  const [start, end] = [Math.max(left, from), Math.min(right, to)];
  return end > start ? rect('inline-soft', px(start), top, px(end - start), bottom - top) : '';
}
