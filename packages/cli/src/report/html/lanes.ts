/** Shares of a whole over time, one lane below the other: how busy each core was. */
import { extent, mean } from 'd3-array';
import { clamp } from '../../experiment/session.js';
import { perCent } from '../../format/figures.js';
import { type Chart, label, px } from './chart.js';

export interface Lane {
  readonly name: string;
  /** The share of each step of time in which the lane was busy, 0 to 1; all steps are equally long. */
  readonly shares: readonly number[];
}

/** Where things lie in the drawing, in its units. */
const SIZE = { left: 82, right: 388, lane: 40, gap: 10 } as const;

/** Undefined where there is nothing to draw. */
export function lanesChart(id: string, title: string, lanes: readonly Lane[]): Chart | undefined {
  const known = lanes
    .map(({ name, shares }) => ({ name, shares: shares.filter(Number.isFinite) }))
    .filter(({ shares }) => shares.length > 0);
  if (known.length === 0) return undefined;
  return {
    id,
    title,
    description: `${known.map(({ name, shares }) => `${name}: ${inWords(shares)}`).join('; ')}.`,
    height: known.length * (SIZE.lane + SIZE.gap) + SIZE.gap,
    body: known.map((lane, i) => laneOf(lane, SIZE.gap + i * (SIZE.lane + SIZE.gap))).join('\n'),
    table: {
      title,
      head: ['core', 'mean', 'over time'],
      rows: known.map(({ name, shares }) => [name, perCent(mean(shares)!), shares.map(perCent).join(' · ')]),
    },
  };
}

function laneOf({ name, shares }: Lane, top: number): string {
  const { left, right, lane } = SIZE;
  const [bottom, middle] = [top + lane, top + lane / 2];
  const step = (right - left) / shares.length;
  const outline = shares.map(
    (share, i) => `V${px(bottom - clamp(share, 0, 1) * lane)}H${px(left + (i + 1) * step)}`,
  );
  return [
    label(left - 10, middle, name, 'name'),
    `<path class="grid" d="M${left} ${px(top)}H${right}"/>`,
    `<path class="pool-fill" d="M${left} ${px(bottom)}${outline.join('')}V${px(bottom)}Z"/>`,
    `<path class="axis" d="M${left} ${px(bottom)}H${right}"/>`,
    label(right + 10, middle, perCent(mean(shares)!), 'figure'),
  ].join('');
}

function inWords(shares: readonly number[]): string {
  const [least, most] = extent(shares);
  return `busy for ${perCent(mean(shares)!)} of the time, from ${perCent(least!)} to ${perCent(most!)}`;
}
