/** Tables of the page: each scrolls in a box of its own, which the keyboard reaches. */
import { middle, NONE, range } from '../../format/figures.js';
import type { HeatTable, Table } from '../model.js';
import { escaped } from './text.js';

const NOT_MEASURED = 'not measured';

/** @param above the heading above the table: a caption of the same words is for screen readers only */
export function tableHtml({ title, head, rows }: Table, above?: string): string {
  const cells = (row: readonly string[]): string =>
    row.map((cell) => `<td>${escaped(cell === NONE ? NOT_MEASURED : cell)}</td>`).join('');
  const body = rows.map(([name = '', ...rest]) => rowHtml(name, cells(rest)));
  const kinds = [head.length === 2 ? 'pairs' : '', title === above ? 'named' : ''];
  return scrolling(title, head, body, kinds.filter(Boolean).join(' '));
}

/** How many shades the style sheet has. */
const SHADES = 5;

export function heatHtml({ title, head, rows, format }: HeatTable): string {
  const most = Math.max(...rows.flatMap(({ cells }) => cells.map((figure) => figure?.value ?? 0)));
  const cell = (figure: HeatTable['rows'][number]['cells'][number]): string => {
    if (figure === undefined) return `<td>${NOT_MEASURED}</td>`;
    const share = most > 0 ? Math.max(0, figure.value) / most : 0;
    const shade = Math.min(SHADES - 1, Math.floor(share * SHADES));
    const [value, interval] = [middle(figure, format), range(figure, format)];
    const small = value === interval ? '' : `<small>${escaped(interval)}</small>`;
    return `<td class="heat-${shade}">${escaped(value)}${small}</td>`;
  };
  const body = rows.map(({ name, cells }) => rowHtml(name, cells.map(cell).join('')));
  return scrolling(title, head, body, 'heat');
}

function rowHtml(name: string, cells: string): string {
  return `<tr><th scope="row">${escaped(name)}</th>${cells}</tr>`;
}

/** The title is also the label of the box, for screen readers. */
function scrolling(title: string, head: readonly string[], body: readonly string[], kind: string): string {
  const named = kind === '' ? '' : ` class="${kind}"`;
  const columns = head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const table =
    `<table${named}><caption>${escaped(title)}</caption>` +
    `<thead><tr>${columns}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
  return `<div class="scroll" role="region" tabindex="0" aria-label="${escaped(title)}, table">${table}</div>`;
}
