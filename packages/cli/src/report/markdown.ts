/** Findings as Markdown, for an issue or a merge request: the verdict first, then tables. */
import type { Findings } from '../analysis/findings.js';
import { safeText, truncated } from '../control/text.js';
import { explanation } from './explanation.js';
import { beforeCode, recommendedCode } from './recommended-code.js';
import * as tables from './tables.js';

/** Code is not broken for a terminal here, only for a reader. */
const CODE_COLUMNS = 100;
/** In characters. */
const LONGEST_TEXT = 600;

export function renderMarkdown(findings: Findings): string {
  const { verdict, reasons, warnings } = findings;
  const blocks = [
    `# ${plain(verdict.sentence)}`,
    ...list('Why', reasons),
    ...list('Before you believe it', warnings),
    '## Recommended',
    plain(beforeCode(findings)),
    ['```js', ...recommendedCode(findings, CODE_COLUMNS), '```'].join('\n'),
    ...TABLES.flatMap((make) => tableBlocks(make(findings))),
    '## What it means',
    ...explanation(findings).map(({ title, text }) => `**${title}.** ${plain(text)}`),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const TABLES: readonly ((findings: Findings) => tables.Table | undefined)[] = [
  tables.ratesTable,
  tables.breakEvenTable,
  tables.crossingsTable,
  tables.spinsTable,
  tables.coresTable,
  tables.runTimesTable,
  tables.sizesTable,
  tables.bySizeTable,
  tables.circumstancesTable,
];

function list(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  return [`## ${title}`, texts.map((text) => `- ${plain(text)}`).join('\n')];
}

function tableBlocks(table: tables.Table | undefined): string[] {
  if (table === undefined) return [];
  const line = (cells: readonly string[]): string => `| ${cells.map(inTable).join(' | ')} |`;
  const rule = `| ${table.head.map((_, i) => (i === 0 || table.head.length === 2 ? '---' : '---:')).join(' | ')} |`;
  return [`## ${plain(table.title)}`, [line(table.head), rule, ...table.rows.map(line)].join('\n')];
}

/** A text that begins a line: there, some characters would make a heading, a list, or a rule. */
function plain(text: string): string {
  return inTable(text)
    .replace(/^(\s*)([#+-])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)]\s)/, '$1\\$2');
}

/** Text that stays text: on one line, without markup but the code that our own sentences have in backticks. */
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
