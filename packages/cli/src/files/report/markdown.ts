/** The findings of a folder as Markdown, for an issue or a merge request. */
import { safeText, truncated } from '../../control/text.js';
import type { Table } from '../../report/tables.js';
import type { FolderFindings } from '../findings.js';
import { circumstancesTable, classTables, overviewTable } from './tables.js';

/** In characters. */
const LONGEST_TEXT = 600;

export function renderFolderMarkdown(findings: FolderFindings): string {
  const { verdict, reasons, warnings } = findings;
  const tables = [overviewTable(findings), ...classTables(findings), circumstancesTable(findings)];
  const blocks = [
    `# ${escaped(verdict.sentence)}`,
    ...list('Why', reasons),
    ...list('Before you believe it', warnings),
    ...tables.flatMap(tableBlocks),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function list(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`## ${title}`, texts.map((text) => `- ${escaped(text)}`).join('\n')];
}

function tableBlocks({ title, head, rows }: Table): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `| ${head.map((_, i) => (i === 0 || head.length === 2 ? '---' : '---:')).join(' | ')} |`;
  return [`## ${escaped(title)}`, [line(head), rule, ...rows.map(line)].join('\n')];
}

/** Text that stays text: on one line, without markup but the code that our own sentences have in backticks. */
function escaped(text: string): string {
  const pieces = truncated(safeText(text), LONGEST_TEXT).split(/(`[^`]+`)/);
  return pieces.map((piece, i) => (i % 2 === 1 ? piece.replaceAll('|', '\\|') : plain(piece))).join('');
}

function plain(text: string): string {
  return text
    .replace(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
