/** A small plot of the rate by number of threads, in characters. */
import { plot } from 'asciichart';
import type { Series } from '../../../experiment/statistics.js';
import { count, figureOf, rate } from '../../../format/figures.js';
import { widthOf } from '../../../format/text.js';
import { type Line, wrapped } from '../../../report/terminal.js';
import type { Findings } from '../rules/findings.js';

/** With fewer points there is no curve to see. */
const LEAST_POINTS = 3;
const HEIGHT_ROWS = 8;
/** How many columns there are from one point to the next at most, where there is room, and at least. */
const MOST_COLUMNS = 10;
const LEAST_COLUMNS = 3;
/** The `offset` of asciichart. With 2 the first cell of a row is the whole label and the second is the axis, with nothing in between. */
const TICK = 2;
/** The range of rates that can be drawn; those of a program that ran are far within. */
const LOWEST = 1e-6;
const HIGHEST = 1e15;

export function plotLines({ samples }: Findings, columns: number): Line[] {
  const points = samples.threads.flatMap(({ threads, rate: series }) => {
    const value = plottable(series);
    return value === undefined ? [] : [{ threads, value }];
  });
  const highest = Math.max(...points.map(({ value }) => value));
  if (points.length < LEAST_POINTS || highest < LOWEST) return [];
  const inline = plottable(samples.inline.rate);
  const top = Math.max(highest, inline ?? 0);
  const ticks = Array.from({ length: HEIGHT_ROWS + 1 }, (_, i) => rate((top * i) / HEIGHT_ROWS));
  const labels = Math.max(...ticks.map(widthOf)) + 1;
  const step = Math.min(MOST_COLUMNS, Math.floor((columns - labels - 4) / (points.length - 1)));
  if (step < LEAST_COLUMNS) return [];
  const curve = stretched(points, step);
  const drawn = plot([...(inline === undefined ? [] : [curve.map(() => inline)]), curve], {
    min: 0,
    height: HEIGHT_ROWS,
    offset: TICK,
    format: (value) => `${rate(value).padStart(labels - 1)} `,
  });
  const legend = inline === undefined ? '' : `; the straight line: inline, ${rate(inline)}`;
  return [
    { text: '' },
    ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
    { text: `  ${axis(points, labels, step)}` },
    ...wrapped(`calls/s by threads${legend}`, columns, '  ', 'dim'),
  ];
}

function plottable(series: Series): number | undefined {
  const value = figureOf(series)?.value ?? Number.NaN;
  return value >= 0 && value <= HIGHEST ? value : undefined;
}

/** Interpolates the curve on straight lines, with `step` columns from each point to the next. */
function stretched(points: readonly { value: number }[], step: number): number[] {
  const between = points.slice(1).flatMap(({ value }, i) => {
    const from = points[i]!.value;
    return Array.from({ length: step }, (_, k) => from + ((value - from) * (k + 1)) / step);
  });
  return [points[0]!.value, ...between];
}

/** The numbers of threads, each below its point. */
function axis(points: readonly { threads: number }[], labels: number, step: number): string {
  return points.reduce((text, { threads }, i) => {
    const column = labels + i * step;
    return text.length > column && i > 0 ? text : text.padEnd(column) + count(threads);
  }, '');
}
