/** Charts with rows, one below the other, each with its name and its figure: bars with their intervals, and shares of a whole over time. */
import { extent, max, mean } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { clamp } from '../../experiment/session.js';
import type { Estimate } from '../../experiment/statistics.js';
import { type Format, inOneUnit, middle, perCent, range, withRange } from '../../format/figures.js';
import { truncated } from '../../format/text.js';
import { type Chart, drawable, label, path, px, rect, WIDTH } from './chart.js';

export interface Bar {
  readonly name: string;
  readonly figure: Estimate | undefined;
  readonly isInline?: boolean; // whether it was measured without threads: then the bar is drawn hollow
}

/** A row of a chart: its drawing, what it shows in words, and what it has in the table behind its name. */
interface Row {
  readonly name: string;
  readonly body: readonly string[];
  readonly words: string;
  readonly cells: readonly string[];
}

/** Undefined where there are no rows. */
function rowsChart(id: string, title: string, height: number, head: string[], rows: Row[]) {
  if (rows.length === 0) return undefined;
  const description = `${rows.map(({ name, words }) => `${name}: ${words}`).join('; ')}.`;
  const body = rows.map((row) => row.body.join('')).join('\n');
  const table = { title, head, rows: rows.map(({ name, cells }) => [name, ...cells]) };
  return { id, title, description, height, body, table };
}

const BARS = { row: 34, left: 168, right: 350, bar: 16 } as const; // where things lie in the drawing of bars
const LONGEST_NAME = 20;
const SHORTEST_INTERVAL = 8; // a shorter one would look like a blot; its figures are in the table
const CHARACTER = 10; // about how wide a digit is where letters are largest, in units of the drawing

/** Undefined where no bar has a figure. */
export function barsChart(id: string, title: string, bars: readonly Bar[], given: Format): Chart | undefined {
  const known = bars.flatMap((bar) => {
    const figure = drawable(bar.figure);
    return figure === undefined ? [] : { ...bar, figure };
  });
  const most = max(known, ({ figure }) => figure.high);
  const values = known.map(({ figure }) => figure.value);
  const format = inOneUnit(given, values);
  const longest = max(known, ({ figure }) => middle(figure, format).length) ?? 0;
  const { row, left, bar } = BARS;
  const x = scaleLinear([0, most || 1], [left, Math.min(BARS.right, WIDTH - 12 - longest * CHARACTER)]);
  const rows = known.map(({ name, figure, isInline }, i) => {
    const y = 4 + (i + 0.5) * row;
    const [low, high, width] = [x(figure.low), x(figure.high), Math.max(2, x(figure.value) - left)];
    const isBlot = high - low < SHORTEST_INTERVAL;
    // A line from the low end of the interval to its high one, with a stroke across each end.
    const [from, to, top] = [px(low), px(high), px(y - 5)];
    const whisker = `M${from} ${top}v10M${from} ${px(y)}H${to}M${to} ${top}v10`;
    const text = middle(figure, format);
    const body = [
      label(left - 10, y, truncated(name, LONGEST_NAME), 'name'),
      rect(isInline === true ? 'inline-bar' : 'pool-fill', left, px(y - bar / 2), px(width), bar),
      ...(isBlot ? [] : ['halo', 'whisker'].map((line) => path(line, whisker))),
      label(Math.max(high, left + width) + 10, y, text, 'figure'),
    ];
    return { name, words: withRange(figure, format), cells: [text, range(figure, format)], body };
  });
  return rowsChart(id, title, rows.length * row + 8, ['what', 'median', '95 % interval'], rows);
}

const LANES = { left: 82, right: 388, lane: 40, gap: 10 } as const; // where things lie in the drawing of lanes

/** @param lanes the share of each step of time in which each was busy, 0 to 1; all steps are equally long */
export function lanesChart(
  id: string,
  title: string,
  lanes: readonly { readonly name: string; readonly shares: readonly number[] }[],
): Chart | undefined {
  const { left, right, lane, gap } = LANES;
  const known = lanes
    .map(({ name, shares }) => ({ name, shares: shares.filter(Number.isFinite) }))
    .filter(({ shares }) => shares.length > 0);
  const rows = known.map(({ name, shares }, i) => {
    const top = gap + i * (lane + gap);
    const [bottom, centre] = [px(top + lane), top + lane / 2];
    const step = (right - left) / shares.length;
    const outline = shares.map(
      (share, at) => `V${px(top + lane - clamp(share, 0, 1) * lane)}H${px(left + (at + 1) * step)}`,
    );
    const [least, most] = extent(shares);
    const busy = perCent(mean(shares)!);
    const body = [
      label(left - 10, centre, name, 'name'),
      path('grid', `M${left} ${px(top)}H${right}`),
      path('pool-fill', `M${left} ${bottom}${outline.join('')}V${bottom}Z`),
      path('axis', `M${left} ${bottom}H${right}`),
      label(right + 10, centre, busy, 'figure'),
    ];
    const words = `busy for ${busy} of the time, from ${perCent(least!)} to ${perCent(most!)}`;
    return { name, words, cells: [busy, shares.map(perCent).join(' · ')], body };
  });
  return rowsChart(id, title, rows.length * (lane + gap) + gap, ['core', 'mean', 'over time'], rows);
}
