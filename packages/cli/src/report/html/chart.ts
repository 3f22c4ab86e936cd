/** What every chart of the page has: a name and a description to be heard, a legend, and the same figures as a table. */
import type { Table } from '../model.js';
import { tableHtml } from './table.js';
import { escaped } from './text.js';

export interface Chart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What one sees in it, for who does not. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  /** SVG. */
  readonly body: string;
  readonly legend?: readonly (readonly [swatch: Swatch, text: string])[];
  readonly table: Table | undefined;
}

type Swatch = 'pool' | 'inline' | 'mark';

const SWATCHES: Readonly<Record<Swatch, string>> = {
  pool: '<path class="pool-line" d="M0 7H34"/><circle class="pool-fill" cx="17" cy="7" r="4.5"/>',
  inline: '<path class="inline-line" d="M0 7H34"/>',
  mark: '<path class="mark" d="M0 7H34"/>',
};

export function chartHtml({
  id,
  title,
  description,
  width,
  height,
  body,
  legend = [],
  table,
}: Chart): string {
  const swatches = legend.map(
    ([swatch, text]) =>
      `<li><svg viewBox="0 0 34 14" aria-hidden="true">${SWATCHES[swatch]}</svg>${escaped(text)}</li>`,
  );
  const caption =
    swatches.length === 0 ? '' : `<figcaption><ul class="legend">${swatches.join('')}</ul></figcaption>`;
  return `<figure>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${escaped(title)}</title><desc id="${id}-desc">${escaped(description)}</desc>
${body}
</svg>${caption}
${table === undefined ? '' : `<details><summary>${escaped(title)}: the figures</summary>${tableHtml(table)}</details>`}
</figure>`;
}

/** A coordinate, to a tenth of what one sees. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

export function px(value: number): string {
  return String(tenth(value));
}

/** Figures beyond are nothing that a program measures, and would leave no room for others. */
const LARGEST = 1e15;
const SMALLEST = 1e-9;

export function isDrawable(value: number): boolean {
  return Number.isFinite(value) && value >= 0 && value <= LARGEST && (value === 0 || value >= SMALLEST);
}
