/** The matrix of cores and threads: a table whose cells are the darker the more calls they stand for. */
import type { Findings } from '../rules/findings.js';
import { counted } from '../../../format/words.js';
import { middle, range, rate } from '../../../format/figures.js';
import { coreMatrix } from './tables.js';
import { scrolling } from '../../../report/html/table.js';
import { escaped } from '../../../report/html/text.js';

const SHADES = 5;
const TITLE = 'Calls a second by cores and threads';

/** Empty where it was not measured. */
export function matrixHtml(findings: Findings): string {
  const { cores, threads, cell } = coreMatrix(findings);
  if (cores.length === 0) return '';
  const all = cores.flatMap((n) => threads.flatMap((m) => cell(n, m)?.value ?? []));
  const most = Math.max(...all);
  const head = threads.map((n) => `<th scope="col">${escaped(counted(n, 'thread'))}</th>`).join('');
  const rows = cores.map((n) => {
    const cells = threads.map((m) => cellHtml(cell(n, m), most)).join('');
    return `<tr><th scope="row">${escaped(counted(n, 'core'))}</th>${cells}</tr>`;
  });
  return scrolling(
    TITLE,
    `<table class="heat"><caption>${escaped(TITLE)}</caption><thead><tr><th scope="col">may use</th>${head}</tr></thead>` +
      `<tbody>${rows.join('\n')}</tbody></table>`,
  );
}

function cellHtml(figure: ReturnType<ReturnType<typeof coreMatrix>['cell']>, most: number): string {
  if (figure === undefined) return '<td>not measured</td>';
  const share = most > 0 ? Math.max(0, figure.value) / most : 0;
  const shade = Math.min(SHADES - 1, Math.floor(share * SHADES));
  const [value, interval] = [middle(figure, rate), range(figure, rate)];
  const small = value === interval ? '' : `<small>${escaped(interval)}</small>`;
  return `<td class="heat-${shade}">${escaped(value)}${small}</td>`;
}
