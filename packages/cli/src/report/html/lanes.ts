/** Shares of a whole over time, one lane below the other: how busy each core was. */
import { mean } from 'd3-array';
import { perCent } from '../../format/figures.js';
import { type Chart, px } from './chart.js';
import { escaped } from './text.js';

export interface Lane {
  readonly name: string;
  /** From 0 to 1, in steps of time that are all as long. */
  readonly shares: readonly number[];
}

/** In units of the drawing. */
const SIZE = { width: 460, left: 82, right: 388, lane: 40, gap: 10 } as const;

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
    width: SIZE.width,
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
  const bottom = top + lane;
  const step = (right - left) / shares.length;
  const outline = shares.map(
    (share, i) => `V${px(bottom - clamped(share) * lane)}H${px(left + (i + 1) * step)}`,
  );
  return [
    `<text x="${left - 10}" y="${px(top + lane / 2)}" dy="4" text-anchor="end">${escaped(name)}</text>`,
    `<path class="grid" d="M${left} ${px(top)}H${right}"/>`,
    `<path class="pool-fill" d="M${left} ${px(bottom)}${outline.join('')}V${px(bottom)}Z"/>`,
    `<path class="axis" d="M${left} ${px(bottom)}H${right}"/>`,
    `<text class="strong" x="${right + 10}" y="${px(top + lane / 2)}" dy="4">${escaped(perCent(mean(shares)!))}</text>`,
  ].join('');
}

function inWords(shares: readonly number[]): string {
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(perCent);
  return `busy for ${perCent(mean(shares)!)} of the time, from ${least} to ${most}`;
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
