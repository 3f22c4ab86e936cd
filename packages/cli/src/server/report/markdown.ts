/** Findings as Markdown, for an issue or a merge request: the verdict first, then tables. */
import { safeText, truncated } from '../../control/text.js';
import type { Table } from '../../report/tables.js';
import type { ServerFindings } from '../findings/findings.js';
import { beforeCode, recommendedCode } from './recommended.js';
import { tablesOf } from './tables.js';

/** In characters. What a process says before it ends may be a whole document. */
const LONGEST_TEXT = 600;

export function renderMarkdown(findings: ServerFindings): string {
  const { verdict, reasons, warnings } = findings;
  const code = recommendedCode(findings);
  const blocks = [
    `# ${plain(verdict.sentence)}`,
    ...list('Why', reasons),
    ...list('Before you believe it', warnings),
    '## Recommended',
    plain(beforeCode(findings)),
    ...(code.length === 0 ? [] : [['```js', ...code, '```'].join('\n')]),
    ...tablesOf(findings).flatMap((table) => [`## ${plain(table.title)}`, tableText(table)]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function list(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  return [`## ${title}`, texts.map((text) => `- ${plain(text)}`).join('\n')];
}

function tableText({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  const rule = `| ${head.map((_, i) => (i === 0 || head.length === 2 ? '---' : '---:')).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** Text that stays text, on one line, wherever it stands. */
function plain(text: string): string {
  return truncated(safeText(text), LONGEST_TEXT)
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/^(\s*)([#+-])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)]\s)/, '$1\\$2');
}
