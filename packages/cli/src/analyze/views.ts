/** The views that a report can be written as: the ending of its file says which. A new one is a line here. */

import { extname } from 'node:path';
import type { Findings } from '../analysis/findings.js';
import { UsageError } from '../usage-error.js';

export type View = (findings: Findings) => Promise<string>;

const VIEWS: Readonly<Record<string, View>> = {
  '.json': async (findings) => (await import('../report/json.js')).renderJson(findings),
  '.html': async (findings) => (await import('../report/html.js')).renderHtml(findings),
  '.md': async (findings) => (await import('../report/markdown.js')).renderMarkdown(findings),
};

export function viewOf(file: string): View {
  const view = VIEWS[extname(file).toLowerCase()];
  if (view !== undefined) return view;
  throw new UsageError(`--out: expected a file that ends in ${Object.keys(VIEWS).join(', ')}, got '${file}'`);
}
