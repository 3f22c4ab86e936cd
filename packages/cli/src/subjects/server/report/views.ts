/** The views of what was found of a server. */
import type { Views } from '../../../report/outputs.js';
import type { ServerFindings } from '../findings/findings.js';

export const VIEWS: Views<ServerFindings> = {
  '.json': async (findings) => (await import('./json.js')).renderJson(findings),
  '.html': async (findings) => (await import('./html.js')).renderHtml(findings),
  '.md': async (findings) => (await import('./markdown.js')).renderMarkdown(findings),
};
