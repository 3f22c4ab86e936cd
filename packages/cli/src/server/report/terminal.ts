/** Findings on a terminal: the verdict first, then why, what to do, and the figures. */
import {
  type Line,
  painted,
  type Style,
  type TerminalOptions,
  tableLines,
  wrapped,
} from '../../report/terminal-lines.js';
import type { ServerAnswer, ServerFindings } from '../findings/findings.js';
import { beforeCode, recommendedCode } from './recommended.js';
import { tablesOf } from './tables.js';

const STYLES: Readonly<Record<ServerAnswer, Style>> = {
  leave: 'bold',
  offload: 'good',
  cluster: 'good',
  unknown: 'warn',
};

export function renderTerminal(findings: ServerFindings, options: TerminalOptions): string {
  const columns = Math.max(1, Math.floor(options.columns));
  const { verdict, reasons, warnings } = findings;
  const lines = [
    ...wrapped(verdict.sentence, columns, '', STYLES[verdict.answer]),
    ...listed('Why', reasons, columns, '-'),
    ...listed('Before you believe it', warnings, columns, '!', 'warn'),
    ...recommended(findings, columns),
    ...tablesOf(findings).flatMap((table) => [
      ...heading(table.title, columns),
      ...tableLines(table, columns),
    ]),
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

function recommended(findings: ServerFindings, columns: number): Line[] {
  const code = recommendedCode(findings).map((text) => ({ text: `  ${text}` }));
  return [
    ...heading('Recommended', columns),
    ...wrapped(beforeCode(findings), columns, '  '),
    ...(code.length === 0 ? [] : [{ text: '' }, ...code]),
  ];
}
