/** A report as Markdown, for an issue or a merge request: the verdict first, then tables. The user's names and errors are escaped. */
import { type Report, shortened, type Table } from './model.js';

const CODE_COLUMNS = 100; // how many characters a line of code may have: more than on a terminal

export function renderMarkdown({ findings, recommended, figures, meaning }: Report): string {
  const { verdict, reasons, warnings } = findings;
  const code = recommended?.code(CODE_COLUMNS) ?? [];
  const blocks = [
    `# ${plain(verdict.sentence)}`,
    ...listBlocks('Why', reasons),
    ...listBlocks('Before you believe it', warnings),
    ...(recommended === undefined ? [] : ['## Recommended', plain(recommended.before)]),
    ...(code.length === 0 ? [] : [['```js', ...code, '```'].join('\n')]),
    ...figures.flatMap((each) => (typeof each === 'object' ? tableBlocks(each) : [])),
    ...(meaning === undefined ? [] : ['## What it means']),
    ...(meaning ?? []).map(({ title, text }) => `**${title}.** ${plain(text)}`),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** None where there are no texts. */
function listBlocks(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  return [`## ${title}`, texts.map((text) => `- ${plain(text)}`).join('\n')];
}

function tableBlocks({ title, head, rows }: Table): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(inTable).join(' | ')} |`;
  const rule = `| ${head.map((_, i) => (i === 0 || head.length === 2 ? '---' : '---:')).join(' | ')} |`;
  return [`## ${plain(title)}`, [line(head), rule, ...rows.map(line)].join('\n')];
}

/** A text that begins a line: there, some characters would make a heading, a list, or a rule. */
function plain(text: string): string {
  return inTable(text)
    .replace(/^(\s*)([#+-])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)]\s)/, '$1\\$2');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text as a table's cell: on one line, with no markup but the code that our own sentences put in backticks. */
function inTable(text: string): string {
  return shortened(text).replace(/(`[^`]+`)|[\\`*_[\]|~&<>]/g, (found, code?: string) =>
    code === undefined ? (ENTITIES[found] ?? `\\${found}`) : code.replaceAll('|', '\\|'),
  );
}
