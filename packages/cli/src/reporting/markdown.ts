/** What all `.md` reports are made of. Text stays text, whatever a name or an error of the user's brings along. */
import { safeText, truncated } from '../format/text.js';
import type { Table } from '../report/tables.js';

/** In characters. What a process says before it ends may be a whole document. */
const LONGEST_TEXT = 600;

/** None where there are no texts. */
export function listBlocks(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  return [`## ${title}`, texts.map((text) => `- ${plain(text)}`).join('\n')];
}

export function tableBlocks({ title, head, rows }: Table): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(inTable).join(' | ')} |`;
  const rule = `| ${head.map((_, i) => (i === 0 || head.length === 2 ? '---' : '---:')).join(' | ')} |`;
  return [`## ${plain(title)}`, [line(head), rule, ...rows.map(line)].join('\n')];
}

/** A text that begins a line: there, some characters would make a heading, a list, or a rule. */
export function plain(text: string): string {
  return inTable(text)
    .replace(/^(\s*)([#+-])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)]\s)/, '$1\\$2');
}

/** On one line, without markup but the code that our own sentences have in backticks. */
function inTable(text: string): string {
  const pieces = truncated(safeText(text), LONGEST_TEXT).split(/(`[^`]+`)/);
  return pieces.map((piece, i) => (i % 2 === 1 ? piece.replaceAll('|', '\\|') : escapedText(piece))).join('');
}

function escapedText(text: string): string {
  return text
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
