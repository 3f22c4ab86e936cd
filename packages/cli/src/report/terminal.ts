/** Findings on a terminal: the verdict first, then why, what to do, and the figures. */
import type { Answer, Findings } from '../analysis/findings.js';
import { beforeCode, recommendedCode } from './recommended-code.js';
import * as tables from './tables.js';
import {
  type Line,
  painted,
  type Style,
  type TerminalOptions,
  tableLines,
  wrapped,
} from './terminal-lines.js';
import { plotLines } from './terminal-plot.js';

const STYLES: Readonly<Record<Answer, Style>> = {
  threads: 'good',
  inline: 'bold',
  async: 'bold',
  unknown: 'warn',
};

export function renderTerminal(findings: Findings, options: TerminalOptions): string {
  const columns = Math.max(1, Math.floor(options.columns));
  const { verdict, reasons, warnings } = findings;
  const lines = [
    ...wrapped(verdict.sentence, columns, '', STYLES[verdict.answer]),
    ...listed('Why', reasons, columns, '-'),
    ...listed('Before you believe it', warnings, columns, '!', 'warn'),
    ...code(findings, columns),
    ...figures(findings, columns),
  ];
  return painted(lines, { ...options, columns });
}

function heading(title: string, columns: number): Line[] {
  return [{ text: '' }, ...wrapped(title, columns, '', 'bold')];
}

function listed(
  title: string,
  texts: readonly string[],
  columns: number,
  mark: string,
  style?: Style,
): Line[] {
  if (texts.length === 0) return [];
  const items = texts.flatMap((text) => wrapped(text, columns, `  ${mark} `, style));
  return [...heading(title, columns), ...items];
}

function code(findings: Findings, columns: number): Line[] {
  return [
    ...heading('Recommended', columns),
    ...wrapped(beforeCode(findings), columns, '  '),
    { text: '' },
    ...recommendedCode(findings, columns - 2).map((text) => ({ text: `  ${text}` })),
  ];
}

function figures(findings: Findings, columns: number): Line[] {
  const block = (table: tables.Table | undefined, more: Line[] = []): Line[] =>
    table === undefined ? [] : [...heading(table.title, columns), ...tableLines(table, columns), ...more];
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
