/** Bars, one below the other, each with its name and its figure beside it, all in one unit. */
import { scaleLinear } from 'd3-scale';
import type { Estimate } from '../../experiment/statistics.js';
import { type Format, inOneUnit, middle, range, withRange } from '../../format/figures.js';
import { truncated } from '../../format/text.js';
import { type Chart, isDrawable, px } from './chart.js';
import { escaped } from './text.js';

export interface Bar {
  readonly name: string;
  readonly figure: Estimate | undefined;
  /** Without threads: drawn hollow. */
  readonly isInline?: boolean;
}

/** In units of the drawing. */
const SIZE = { width: 460, row: 34, left: 168, right: 350, bar: 16 } as const;
const LONGEST_NAME = 20;
/** An interval that is drawn shorter is no more than a blot; its figures are in the table. */
const SHORTEST_INTERVAL = 8;
/** Of a figure, where the letters are largest: about. */
const CHARACTER = 10;

/** Undefined where no bar has a figure. */
export function barsChart(id: string, title: string, bars: readonly Bar[], given: Format): Chart | undefined {
  const known = bars.flatMap(({ figure, ...bar }) =>
    figure !== undefined && [figure.value, figure.low, figure.high].every(isDrawable)
      ? [{ ...bar, figure }]
      : [],
  );
  if (known.length === 0) return undefined;
  const most = Math.max(...known.map(({ figure }) => figure.high));
  const format = inOneUnit(given, most);
  const longest = Math.max(...known.map(({ figure }) => middle(figure, format).length));
  const right = Math.min(SIZE.right, SIZE.width - 12 - longest * CHARACTER);
  const x = scaleLinear([0, most === 0 ? 1 : most], [SIZE.left, right]);
  return {
    id,
    title,
    description: `${known.map(({ name, figure }) => `${name}: ${withRange(figure, format)}`).join('; ')}.`,
    width: SIZE.width,
    height: known.length * SIZE.row + 8,
    body: known.map((bar, i) => row(bar, 4 + i * SIZE.row, x, format)).join('\n'),
    table: {
      title,
      head: ['of', 'median', '95 % interval'],
      rows: known.map(({ name, figure }) => [name, middle(figure, format), range(figure, format)]),
    },
  };
}

type Place = (value: number) => number;

function row(
  { name, figure, isInline }: Bar & { figure: Estimate },
  top: number,
  x: Place,
  format: Format,
): string {
  const { left, bar, row: height } = SIZE;
  const middleY = top + height / 2;
  const width = Math.max(2, x(figure.value) - left);
  const shape = `x="${left}" y="${px(middleY - bar / 2)}" width="${px(width)}" height="${bar}"`;
  const [low, high] = [x(figure.low), x(figure.high)];
  const ends =
    high - low < SHORTEST_INTERVAL
      ? ''
      : ['halo', 'whisker']
          .map((name) => `<path class="${name}" d="${whisker(low, high, middleY)}"/>`)
          .join('');
  const end = Math.max(high, left + width);
  return [
    `<text x="${left - 10}" y="${px(middleY)}" dy="4" text-anchor="end">${escaped(truncated(name, LONGEST_NAME))}</text>`,
    `<rect class="${isInline === true ? 'inline-bar' : 'pool-fill'}" ${shape}/>${ends}`,
    `<text class="strong" x="${px(end + 10)}" y="${px(middleY)}" dy="4">${escaped(middle(figure, format))}</text>`,
  ].join('');
}

/** From end to end, with a stroke across each. */
function whisker(low: number, high: number, y: number): string {
  const [from, to, top] = [px(low), px(high), px(y - 5)];
  return `M${from} ${top}v10M${from} ${px(y)}H${to}M${to} ${top}v10`;
}
