/** The views that a report can be written as: the ending of its file says which. A new one is a line here. */
import { extname } from 'node:path';
import { UsageError } from '../../usage-error.js';
import type { ServerFindings } from '../findings/findings.js';

export type View = (findings: ServerFindings) => Promise<string>;

const VIEWS: Readonly<Record<string, View>> = {
  '.json': async (findings) => (await import('./json.js')).renderJson(findings),
  '.html': async (findings) => (await import('./html.js')).renderHtml(findings),
  '.md': async (findings) => (await import('./markdown.js')).renderMarkdown(findings),
};

export function viewOf(file: string): View {
  const view = VIEWS[extname(file).toLowerCase()];
  if (view !== undefined) return view;
  throw new UsageError(`--out: expected a file that ends in ${Object.keys(VIEWS).join(', ')}, got '${file}'`);
}
