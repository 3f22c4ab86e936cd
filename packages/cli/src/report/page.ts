/** A page that needs no network and runs no script: what all `.html` reports have around their sections. */
import { STYLE } from './html/style.js';
import { escaped, prose } from './html/text.js';

/** Nothing may be loaded and nothing may run, whatever a text of the user's brings along. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** In characters: a heading that is longer is set smaller. */
const LONG = 80;

export interface Page {
  /** Text, as all that is not called HTML. */
  readonly sentence: string;
  /** Of the heading, as the style sheet has them. */
  readonly kind: 'threads' | 'inline' | 'async' | 'unknown';
  readonly command: string;
  readonly subject: string;
  readonly badge?: string;
  /** HTML, below the heading. */
  readonly below?: string;
  /** HTML; '' is left out. */
  readonly sections: readonly string[];
  readonly schemaVersion: number;
}

export function pageHtml({
  sentence,
  kind,
  command,
  subject,
  badge,
  below,
  sections,
  schemaVersion,
}: Page): string {
  const head = [
    `<p class="brand">${command}: <code>${escaped(subject)}</code></p>`,
    badge === undefined ? '' : `<p class="badge">${escaped(badge)}</p>`,
    `<h1${sentence.length > LONG ? ' class="long"' : ''}>${prose(sentence)}</h1>`,
    below ?? '',
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escaped(sentence)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="${kind}">
${lines(head)}
</header>
<main>
${lines(sections)}
</main>
<footer><p>Made by <code>${command}</code>, findings version ${schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** @param content HTML; without any there is no section */
export function section(id: string, title: string, content: string, kind = ''): string {
  if (content === '') return '';
  const named = kind === '' ? '' : ` class="${kind}"`;
  return `<section${named} aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2>\n${content}\n</section>`;
}

export function listHtml(texts: readonly string[]): string {
  if (texts.length === 0) return '';
  return `<ul>${texts.map((text) => `<li>${prose(text)}</li>`).join('\n')}</ul>`;
}
