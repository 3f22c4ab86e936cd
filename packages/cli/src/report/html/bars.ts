/** Bars, one below the other, each with its name and its figure beside it, all in one unit. */
import { scaleLinear } from 'd3-scale';
import type { Estimate } from '../../experiment/statistics.js';
import { type Format, inOneUnit, middle, range, withRange } from '../../format/figures.js';
import { truncated } from '../../format/text.js';
import { type Chart, drawable, label, px, WIDTH } from './chart.js';

export interface Bar {
  readonly name: string;
  readonly figure: Estimate | undefined;
  /** Whether it was measured without threads: then the bar is drawn hollow. */
  readonly isInline?: boolean;
}

/** Where things lie in the drawing, in its units. */
const SIZE = { row: 34, left: 168, right: 350, bar: 16 } as const;
const LONGEST_NAME = 20;
/** A shorter interval is not drawn, because it would look like a blot; its figures are in the table. */
const SHORTEST_INTERVAL = 8;
/** About how wide a digit is where letters are largest, in units of the drawing. */
const CHARACTER = 10;

/** Undefined where no bar has a figure. */
export function barsChart(id: string, title: string, bars: readonly Bar[], given: Format): Chart | undefined {
  const known = bars.flatMap((bar) => {
    const figure = drawable(bar.figure);
    return figure === undefined ? [] : { ...bar, figure };
  });
  if (known.length === 0) return undefined;
  const most = Math.max(...known.map(({ figure }) => figure.high));
  const format = inOneUnit(
    given,
    known.map(({ figure }) => figure.value),
  );
  const longest = Math.max(...known.map(({ figure }) => middle(figure, format).length));
  const right = Math.min(SIZE.right, WIDTH - 12 - longest * CHARACTER);
  const x = scaleLinear([0, most === 0 ? 1 : most], [SIZE.left, right]);
  return {
    id,
    title,
    description: `${known.map(({ name, figure }) => `${name}: ${withRange(figure, format)}`).join('; ')}.`,
    height: known.length * SIZE.row + 8,
    body: known.map((bar, i) => rowOf(bar, 4 + (i + 0.5) * SIZE.row, x, format)).join('\n'),
    table: {
      title,
      head: ['what', 'median', '95 % interval'],
      rows: known.map(({ name, figure }) => [name, middle(figure, format), range(figure, format)]),
    },
  };
}

type Known = Bar & { readonly figure: Estimate };

/** @param y the middle of the row */
function rowOf(
  { name, figure, isInline }: Known,
  y: number,
  x: (of: number) => number,
  format: Format,
): string {
  const { left, bar } = SIZE;
  const [low, high, width] = [x(figure.low), x(figure.high), Math.max(2, x(figure.value) - left)];
  const kind = isInline === true ? 'inline-bar' : 'pool-fill';
  const isBlot = high - low < SHORTEST_INTERVAL;
  return [
    label(left - 10, y, truncated(name, LONGEST_NAME), 'name'),
    `<rect class="${kind}" x="${left}" y="${px(y - bar / 2)}" width="${px(width)}" height="${bar}"/>`,
    ...(isBlot
      ? []
      : ['halo', 'whisker'].map((line) => `<path class="${line}" d="${whisker(low, high, y)}"/>`)),
    label(Math.max(high, left + width) + 10, y, middle(figure, format), 'figure'),
  ].join('');
}

/** A line from the low end of an interval to its high one, with a stroke across each end. */
function whisker(low: number, high: number, y: number): string {
  const [from, to, top] = [px(low), px(high), px(y - 5)];
  return `M${from} ${top}v10M${from} ${px(y)}H${to}M${to} ${top}v10`;
}
