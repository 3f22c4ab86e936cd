/** The findings of a folder on a terminal: what to do first, then why, and the figures. */
import type { Style, TerminalOptions } from '../../../report/terminal-lines.js';
import { renderReport, titledTable } from '../../../report/terminal.js';
import type { FolderAnswer, FolderFindings } from '../findings.js';
import { corePlots } from './core-plot.js';
import { circumstancesTable, classTables, overviewTable } from './tables.js';

export function renderFolderTerminal(findings: FolderFindings, options: TerminalOptions): string {
  const tables = [overviewTable(findings), ...classTables(findings)];
  return renderReport(findings, styleOf(findings.verdict.answer), options, (columns) => [
    ...tables.flatMap((table) => titledTable(table, columns)),
    ...corePlots(findings, columns),
    ...titledTable(circumstancesTable(findings), columns),
  ]);
}

function styleOf(answer: FolderAnswer): Style {
  if (answer === 'unknown') return 'warn';
  return answer === 'workers' ? 'good' : 'bold';
}
