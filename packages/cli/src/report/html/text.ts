/** Text from elsewhere, escaped so that the page shows it and nothing in it acts as markup; and tables, each in a box that scrolls. */
import { middle, NONE, range } from '../../format/figures.js';
import { type HeatTable, type Row, shortened, type Table } from '../model.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content of an element or an attribute in quotes. */
export function escaped(text: string): string {
  return shortened(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const SHORT_CODE = 24; // how many characters of code are kept on one line, though a hyphen would let it break
/** A figure and its unit: they stay on one line. */
const BEFORE_UNIT = /(?<=\d) (?=(?:x|[mun]?s|min|[KMG]iB|bytes?)\b|%)|(?<=±) /g;

/** `escaped`, with what our sentences put in backticks as code. */
export function prose(text: string): string {
  return escaped(text)
    .replace(BEFORE_UNIT, '\u00a0')
    .replace(/`([^`]+)`/g, (_, code: string) => {
      const whole = code.length <= SHORT_CODE ? ' class="whole"' : '';
      return `<code${whole}>${code}</code>`;
    });
}

const NOT_MEASURED = 'not measured';

/** @param above the heading above the table: a caption of the same words is for screen readers only */
export function tableHtml({ title, head, rows }: Table, above?: string): string {
  const cell = (text: string) => `<td>${escaped(text === NONE ? NOT_MEASURED : text)}</td>`;
  const body = rows.map(([name = '', ...cells]) => [name, ...cells.map(cell)]);
  const kinds = [head.length === 2 ? 'pairs' : '', title === above ? 'named' : ''];
  return scrolling(title, head, body, kinds.filter(Boolean).join(' '));
}

const SHADES = 5; // how many shades the style sheet has

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
  const body = rows.map(({ name, cells }) => [name, ...cells.map(cell)]);
  return scrolling(title, head, body, 'heat');
}

/** @param title also the label of the box, for screen readers. @param rows a name and cells that are HTML already */
function scrolling(title: string, head: Row, rows: readonly Row[], kind: string) {
  const named = kind === '' ? '' : ` class="${kind}"`;
  const columns = head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows.map(
    ([name = '', ...cells]) => `<tr><th scope="row">${escaped(name)}</th>${cells.join('')}</tr>`,
  );
  const table =
    `<table${named}><caption>${escaped(title)}</caption>` +
    `<thead><tr>${columns}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
  return `<div class="scroll" role="region" tabindex="0" aria-label="${escaped(title)}, table">${table}</div>`;
}
