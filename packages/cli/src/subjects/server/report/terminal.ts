/** Findings on a terminal: the verdict first, then why, what to do, and the figures. */
import type { Style, TerminalOptions } from '../../../report/terminal-lines.js';
import { codeLines, renderReport, titledTable } from '../../../report/terminal.js';
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
  return renderReport(findings, STYLES[findings.verdict.answer], options, (columns) => [
    ...codeLines(beforeCode(findings), recommendedCode(findings), columns),
    ...tablesOf(findings).flatMap((table) => titledTable(table, columns)),
  ]);
}
