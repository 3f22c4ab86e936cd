/** What all reports have on a terminal: the verdict first, then why, what to know before, and what is their own. */

import type { Table } from '../subjects/function/report/tables.js';
import {
  type Line,
  painted,
  type Style,
  type TerminalOptions,
  tableLines,
  wrapped,
} from './terminal-lines.js';

export interface TerminalReport {
  readonly verdict: { readonly sentence: string };
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** @param body what stands below, in so many columns */
export function renderReport(
  { verdict, reasons, warnings }: TerminalReport,
  style: Style,
  options: TerminalOptions,
  body: (columns: number) => readonly Line[],
): string {
  const columns = Math.max(1, Math.floor(options.columns));
  const lines = [
    ...wrapped(verdict.sentence, columns, '', style),
    ...listed('Why', reasons, columns, '-'),
    ...listed('Before you believe it', warnings, columns, '!', 'warn'),
    ...body(columns),
  ];
  return painted(lines, { ...options, columns });
}

/** Code to paste, with what is to be said before it. */
export function codeLines(before: string, code: readonly string[], columns: number): Line[] {
  const lines = code.map((text) => ({ text: `  ${text}` }));
  return [
    ...heading('Recommended', columns),
    ...wrapped(before, columns, '  '),
    ...(lines.length === 0 ? [] : [{ text: '' }, ...lines]),
  ];
}

export function titledTable(table: Table, columns: number): Line[] {
  return [...heading(table.title, columns), ...tableLines(table, columns)];
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
