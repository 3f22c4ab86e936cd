/** Findings as Markdown, for an issue or a merge request: the verdict first, then tables. */
import { listBlocks, plain, tableBlocks } from '../../../report/markdown.js';
import type { ServerFindings } from '../findings/findings.js';
import { beforeCode, recommendedCode } from './recommended.js';
import { tablesOf } from './tables.js';

export function renderMarkdown(findings: ServerFindings): string {
  const { verdict, reasons, warnings } = findings;
  const code = recommendedCode(findings);
  const blocks = [
    `# ${plain(verdict.sentence)}`,
    ...listBlocks('Why', reasons),
    ...listBlocks('Before you believe it', warnings),
    '## Recommended',
    plain(beforeCode(findings)),
    ...(code.length === 0 ? [] : [['```js', ...code, '```'].join('\n')]),
    ...tablesOf(findings).flatMap(tableBlocks),
  ];
  return `${blocks.join('\n\n')}\n`;
}
