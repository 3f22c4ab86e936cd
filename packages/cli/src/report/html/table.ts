/** Tables of the page: each scrolls in a box of its own, which the keyboard reaches. */
import { orNotMeasured } from '../../subjects/function/report/explanation.js';
import type { Table } from '../../subjects/function/report/tables.js';
import { escaped } from './text.js';

export function tableHtml({ title, head, rows }: Table): string {
  const isPairs = head.length === 2;
  const columns = head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows.map(([name = '', ...cells]) => {
    const rest = cells.map((cell) => `<td>${escaped(orNotMeasured(cell))}</td>`).join('');
    return `<tr><th scope="row">${escaped(name)}</th>${rest}</tr>`;
  });
  return scrolling(
    title,
    `<table${isPairs ? ' class="pairs"' : ''}><caption>${escaped(title)}</caption>` +
      `<thead><tr>${columns}</tr></thead><tbody>${body.join('\n')}</tbody></table>`,
  );
}

/** @param name said to who gets there without seeing it */
export function scrolling(name: string, content: string): string {
  return `<div class="scroll" role="region" tabindex="0" aria-label="${escaped(name)}">${content}</div>`;
}
