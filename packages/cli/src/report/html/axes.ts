/** The frame of a chart with two axes: where its plot lies, grid, ticks, and what the axes count. */
import { px } from './chart.js';
import { escaped } from './text.js';

/** In units of the drawing: on a telephone one is about three quarters of a pixel, on a desk a little more than one. */
export const PLOT = { width: 460, height: 316, left: 62, right: 446, top: 60, bottom: 262 } as const;

export interface Axis {
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly name: string;
}

export function axes(x: Axis, y: Axis): string {
  const { left, right, bottom, height } = PLOT;
  const rows = y.ticks.map(({ value, text }) => {
    const at = px(y.at(value));
    const name = `<text x="${left - 8}" y="${at}" dy="4" text-anchor="end">${escaped(text)}</text>`;
    return `<path class="grid" d="M${left} ${at}H${right}"/>${name}`;
  });
  const columns = apart(x).map(({ value, text }) => {
    const at = px(x.at(value));
    const name = `<text x="${at}" y="${bottom + 20}" text-anchor="middle">${escaped(text)}</text>`;
    return `<path class="axis" d="M${at} ${bottom}v5"/>${name}`;
  });
  return [
    ...rows,
    `<path class="axis" d="M${left} ${bottom}H${right}"/>`,
    ...columns,
    `<text x="${(left + right) / 2}" y="${height - 10}" text-anchor="middle">${escaped(x.name)}</text>`,
    `<text x="4" y="14">${escaped(y.name)}</text>`,
  ].join('\n');
}

/** Of a character, in units of the drawing: about. */
const CHARACTER = 8;

/** The ticks that have room beside those before them. */
function apart({ at, ticks }: Axis): Axis['ticks'] {
  let end = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ value, text }) => {
    const half = (text.length * CHARACTER) / 2;
    if (at(value) - half < end + CHARACTER) return false;
    end = at(value) + half;
    return true;
  });
}

/** A line from top to bottom, with a word above the plot, on the side where there is room; each in a row of its own. */
export function verticalMark(at: number, text: string, row: number): string {
  const { left, right, bottom } = PLOT;
  const y = 34 + 17 * row;
  const isRight = at > (left + right) / 2;
  const x = px(at + (isRight ? -6 : 6));
  const anchor = isRight ? 'end' : 'start';
  const name = `<text class="strong" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(text)}</text>`;
  return `<path class="mark" d="M${px(at)} ${y - 10}V${bottom}"/>${name}`;
}

export function whisker(x: number, low: number, high: number): string {
  const [at, from, to] = [px(x), px(low), px(high)];
  return `<path class="whisker" d="M${px(x - 4)} ${from}h8M${at} ${from}V${to}M${px(x - 4)} ${to}h8"/>`;
}
