/** The views of what was found of a folder. */
import type { Views } from '../../../report/outputs.js';
import type { FolderFindings } from '../findings.js';

export const VIEWS: Views<FolderFindings> = {
  '.json': async (findings) => (await import('./json.js')).renderFolderJson(findings),
  '.html': async (findings) => (await import('./html.js')).renderFolderHtml(findings),
  '.md': async (findings) => (await import('./markdown.js')).renderFolderMarkdown(findings),
};
