/** What every chart of the page has: a name and a description for screen readers, a legend, and the same figures as a table. */
import type { Estimate } from '../../experiment/statistics.js';
import type { Table } from '../model.js';
import { escaped, tableHtml } from './text.js';

/** The width of every chart, in the units of its drawing. */
export const WIDTH = 460;

export interface Chart {
  readonly id: string; // unique on the page
  readonly title: string;
  readonly description: string; // what the chart shows, for readers who cannot see it
  readonly height: number;
  readonly body: string; // SVG
  readonly legend?: readonly (readonly [swatch: keyof typeof SWATCHES, text: string])[];
  readonly table: Table | undefined;
}

const SWATCHES = {
  pool: '<path class="pool-line" d="M0 7H34"/><circle class="pool-fill" cx="17" cy="7" r="4.5"/>',
  inline: '<path class="inline-line" d="M0 7H34"/>',
};

export function chartHtml({ id, title, description, height, body, legend = [], table }: Chart): string {
  const swatches = legend.map(
    ([swatch, text]) =>
      `<li><svg viewBox="0 0 34 14" aria-hidden="true">${SWATCHES[swatch]}</svg>${escaped(text)}</li>`,
  );
  const caption =
    swatches.length === 0 ? '' : `<figcaption><ul class="legend">${swatches.join('')}</ul></figcaption>`;
  return `<figure>
<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${escaped(title)}</title><desc id="${id}-desc">${escaped(description)}</desc>
${body}
</svg>${caption}
${table === undefined ? '' : `<details><summary>${escaped(title)}: the figures</summary>${tableHtml(table)}</details>`}
</figure>`;
}

/** A coordinate, rounded to a tenth of a unit of the drawing. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;
export const px = (value: number): string => String(tenth(value));

export function path(kind: string, d: string): string {
  return `<path class="${kind}" d="${d}"/>`;
}

type Coordinate = number | string;

export function rect(kind: string, x: Coordinate, y: Coordinate, width: Coordinate, height: Coordinate) {
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
}

/** The text at this height: a name ends at `x`; a figure begins there, in bold. */
export function label(x: number, y: number, text: string, kind: 'name' | 'figure'): string {
  const [strong, end] = kind === 'name' ? ['', ' text-anchor="end"'] : [' class="strong"', ''];
  return `<text${strong} x="${px(x)}" y="${px(y)}" dy="4"${end}>${escaped(text)}</text>`;
}

/** No program measures figures beyond 1e15 or below 1e-9, and they would leave no room for others. */
export function isDrawable(value: number): boolean {
  return value === 0 || (value >= 1e-9 && value <= 1e15);
}

export function drawable(figure: Estimate | undefined): Estimate | undefined {
  return figure && [figure.value, figure.low, figure.high].every(isDrawable) ? figure : undefined;
}
