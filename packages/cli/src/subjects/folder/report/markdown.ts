/** The findings of a folder as Markdown, for an issue or a merge request. */
import { listBlocks, plain, tableBlocks } from '../../../report/markdown.js';
import type { FolderFindings } from '../findings.js';
import { circumstancesTable, classTables, overviewTable } from './tables.js';

export function renderFolderMarkdown(findings: FolderFindings): string {
  const { verdict, reasons, warnings } = findings;
  const tables = [overviewTable(findings), ...classTables(findings), circumstancesTable(findings)];
  const blocks = [
    `# ${plain(verdict.sentence)}`,
    ...listBlocks('Why', reasons),
    ...listBlocks('Before you believe it', warnings),
    ...tables.flatMap(tableBlocks),
  ];
  return `${blocks.join('\n\n')}\n`;
}
