/** The findings of a folder on a terminal: what to do first, then why, and the figures. */
import {
  type Line,
  painted,
  type Style,
  type TerminalOptions,
  tableLines,
  wrapped,
} from '../../report/terminal-lines.js';
import type { FolderAnswer, FolderFindings } from '../findings.js';
import { corePlots } from './core-plot.js';
import { circumstancesTable, classTables, overviewTable } from './tables.js';

export function renderFolderTerminal(findings: FolderFindings, options: TerminalOptions): string {
  const columns = Math.max(1, Math.floor(options.columns));
  const { verdict, reasons, warnings } = findings;
  const tables = [overviewTable(findings), ...classTables(findings)];
  const lines = [
    ...wrapped(verdict.sentence, columns, '', styleOf(verdict.answer)),
    ...listed('Why', reasons, columns, '-'),
    ...listed('Before you believe it', warnings, columns, '!', 'warn'),
    ...tables.flatMap((table) => [...heading(table.title, columns), ...tableLines(table, columns)]),
    ...corePlots(findings, columns),
    ...heading(circumstancesTable(findings).title, columns),
    ...tableLines(circumstancesTable(findings), columns),
  ];
  return painted(lines, { ...options, columns });
}

function styleOf(answer: FolderAnswer): Style {
  if (answer === 'unknown') return 'warn';
  return answer === 'workers' ? 'good' : 'bold';
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
