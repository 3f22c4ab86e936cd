/** Findings on a terminal: the verdict first, then why, what to do, and the figures. */
import type { Answer, Findings } from '../rules/findings.js';
import { codeLines, renderReport, titledTable } from '../../../report/terminal.js';
import { beforeCode, recommendedCode } from './recommended-code.js';
import * as tables from './tables.js';
import type { Line, Style, TerminalOptions } from '../../../report/terminal-lines.js';
import { plotLines } from './terminal-plot.js';

const STYLES: Readonly<Record<Answer, Style>> = {
  threads: 'good',
  inline: 'bold',
  async: 'bold',
  unknown: 'warn',
};

export function renderTerminal(findings: Findings, options: TerminalOptions): string {
  return renderReport(findings, STYLES[findings.verdict.answer], options, (columns) => [
    ...codeLines(beforeCode(findings), recommendedCode(findings, columns - 2), columns),
    ...figures(findings, columns),
  ]);
}

function figures(findings: Findings, columns: number): Line[] {
  const block = (table: tables.Table | undefined, more: Line[] = []): Line[] =>
    table === undefined ? [] : [...titledTable(table, columns), ...more];
  return [
    ...block(tables.ratesTable(findings), plotLines(findings, columns)),
    ...block(tables.breakEvenTable(findings)),
    ...block(tables.crossingsTable(findings)),
    ...block(tables.coresTable(findings)),
    ...block(tables.runTimesTable(findings)),
    ...block(tables.sizesTable(findings)),
    ...block(tables.bySizeTable(findings)),
    ...block(tables.circumstancesTable(findings)),
  ];
}
