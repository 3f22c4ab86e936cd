/** Findings as Markdown, for an issue or a merge request: the verdict first, then tables. */
import type { Findings } from '../rules/findings.js';
import { listBlocks, plain, tableBlocks } from '../../../report/markdown.js';
import { explanation } from './explanation.js';
import { beforeCode, recommendedCode } from './recommended-code.js';
import * as tables from './tables.js';

/** Code is not broken for a terminal here, only for a reader. */
const CODE_COLUMNS = 100;

export function renderMarkdown(findings: Findings): string {
  const { verdict, reasons, warnings } = findings;
  const blocks = [
    `# ${plain(verdict.sentence)}`,
    ...listBlocks('Why', reasons),
    ...listBlocks('Before you believe it', warnings),
    '## Recommended',
    plain(beforeCode(findings)),
    ['```js', ...recommendedCode(findings, CODE_COLUMNS), '```'].join('\n'),
    ...TABLES.flatMap((make) => make(findings) ?? []).flatMap(tableBlocks),
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
