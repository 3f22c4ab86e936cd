/** The views of what was found of a function. */
import type { Findings } from './rules/findings.js';
import type { Views } from '../../report/outputs.js';

export const VIEWS: Views<Findings> = {
  '.json': async (findings) => (await import('./report/json.js')).renderJson(findings),
  '.html': async (findings) => (await import('./report/html.js')).renderHtml(findings),
  '.md': async (findings) => (await import('./report/markdown.js')).renderMarkdown(findings),
};
