/** A chart with two axes: a curve through figures with their intervals, a line that it is compared with, and marks. */
import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { Estimate } from '../../experiment/statistics.js';
import type { Format } from '../../format/figures.js';
import { type Chart, drawable, isDrawable, label, px, tenth, WIDTH } from './chart.js';
import { escaped } from './text.js';

export interface Point {
  readonly x: number;
  readonly y: Estimate;
}

interface Curve extends Pick<Chart, 'id' | 'title' | 'description' | 'table'> {
  readonly points: readonly Point[];
  readonly x: Axis;
  readonly y: Axis;
  /** The figure that the curve is compared with, and its name. */
  readonly flat: { readonly figure: Estimate; readonly name: string } | undefined;
  /** A range of the first axis that is drawn as a band. */
  readonly band?: Estimate | undefined;
  /** Lines from top to bottom, on the first axis. */
  readonly marks: readonly { readonly at: number; readonly text: string }[];
}

export function curveChart({ points, x, y, flat, band, marks, ...named }: Curve): Chart {
  return {
    ...named,
    height: PLOT.height,
    body: [
      axes(x, y),
      band === undefined ? '' : bandOf(x.at(band.low), x.at(band.high)),
      // The intervals are drawn first: they would hide the line that the curve is compared with.
      `<path class="pool-soft" d="${area<Point>(across(x), up(y, 'low'), up(y, 'high'))(points)}"/>`,
      flat === undefined ? '' : flatLine(flat.figure, y),
      curve(points, x, y),
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

function axes(x: Axis, y: Axis): string {
  const { left, right, bottom, height } = PLOT;
  const rows = y.ticks.map((value) => {
    const at = y.at(value);
    return `<path class="grid" d="M${left} ${px(at)}H${right}"/>${label(left - 8, at, y.format(value), 'name')}`;
  });
  const columns = apart(x).map((value) => {
    const [at, text] = [x.at(value), x.format(value)];
    const middle = Math.min(at, WIDTH - halfOf(text));
    const name = `<text x="${px(middle)}" y="${bottom + 20}" text-anchor="middle">${escaped(text)}</text>`;
    return `<path class="axis" d="M${px(at)} ${bottom}v5"/>${name}`;
  });
  return [
    ...rows,
    `<path class="axis" d="M${left} ${bottom}H${right}"/>`,
    ...columns,
    `<text x="${(left + right) / 2}" y="${height - 10}" text-anchor="middle">${escaped(x.name)}</text>`,
    `<text x="4" y="17">${escaped(y.name)}</text>`,
  ].join('\n');
}

/** About how wide a character is where letters are largest, in units of the drawing. */
const CHARACTER = 8.5;

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
  return `<path class="mark" d="M${px(at)} ${y - 10}V${bottom}"/>${name}`;
}

/** Where the ends of an axis lie, a little within the plot. */
const ENDS = {
  x: [PLOT.left + 16, PLOT.right - 16],
  y: [PLOT.bottom - 8, PLOT.top],
} as const;

/** The first axis, with a tick for each of these whole numbers. */
export function countAxis(counts: readonly number[], format: Format, name: string): Axis {
  const at = scaleLinear([Math.min(counts[0]!, 1), Math.max(counts.at(-1)!, 2)], ENDS.x);
  return { at, ticks: counts, format, name };
}

/** The second axis, from 0 upwards. */
export function upFromZero(figures: readonly Estimate[], format: Format, name: string): Axis {
  const most = Math.max(...figures.map(({ high }) => high));
  const at = scaleLinear([0, most === 0 ? 1 : most], [PLOT.bottom, PLOT.top]).nice(5);
  return { at, ticks: at.ticks(5), format, name };
}

/** With more ticks than this, only powers of ten have one. */
const MOST_TICKS = 7;

/** @param side which of the two axes it is */
export function logAxis(
  side: keyof typeof ENDS,
  values: readonly number[],
  format: Format,
  name: string,
): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const domain = least === most ? [least / 2, most * 2] : [least, most];
  const at = scaleLog(domain, ENDS[side]);
  const firstDigit = (value: number): number =>
    Math.round(value / 10 ** Math.floor(Math.log10(value * 1.001)));
  const some = at.ticks(10).filter((value) => [1, 2, 5].includes(firstDigit(value)));
  const round = some.length > MOST_TICKS ? some.filter((value) => firstDigit(value) === 1) : some;
  return { at, ticks: round.length === 0 ? domain : round, format, name };
}

const across = (x: Axis) => (point: Point) => tenth(x.at(point.x));
const up = (y: Axis, of: keyof Estimate) => (point: Point) => tenth(y.at(point.y[of]));

function curve(points: readonly Point[], x: Axis, y: Axis): string {
  const through = line<Point>(across(x), up(y, 'value'))(points);
  const dots = points.map((point) => {
    const [cx, low, high] = [x.at(point.x), px(y.at(point.y.low)), px(y.at(point.y.high))];
    const whisker = `M${px(cx - 4)} ${low}h8M${px(cx)} ${low}V${high}M${px(cx - 4)} ${high}h8`;
    const dot = `<circle class="pool-fill" cx="${px(cx)}" cy="${px(y.at(point.y.value))}" r="5"/>`;
    return `<path class="whisker" d="${whisker}"/>${dot}`;
  });
  return `<path class="pool-line" d="${through}"/>${dots.join('')}`;
}

/** A dashed line at the figure, and a band for its interval. */
function flatLine({ value, low, high }: Estimate, y: Axis): string {
  const { left, right } = PLOT;
  const [top, bottom] = [y.at(high), y.at(low)];
  const soft = `<rect class="inline-soft" x="${left}" y="${px(top)}" width="${right - left}" height="${px(bottom - top)}"/>`;
  return `${soft}<path class="inline-line" d="M${left} ${px(y.at(value))}H${right}"/>`;
}

function bandOf(from: number, to: number): string {
  const { left, right, top, bottom } = PLOT;
  const [start, end] = [Math.max(left, from), Math.min(right, to)];
  if (!(end > start)) return '';
  return `<rect class="inline-soft" x="${px(start)}" y="${top}" width="${px(end - start)}" height="${bottom - top}"/>`;
}
