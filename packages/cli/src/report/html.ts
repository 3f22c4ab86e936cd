/** Findings as one page that needs no network and runs no script: for a reader who has never used threads, and for one who has. */
import type { Findings } from '../analysis/findings.js';
import { duration } from '../analysis/words.js';
import { cheapestOf, SHORT } from './explanation.js';
import { factor, middle, NONE, noise, range, shown } from './figures.js';
import { sections } from './html/sections.js';
import { STYLE } from './html/style.js';
import { escaped, prose } from './html/text.js';
import { subjectName } from './tables.js';

/** Nothing may be loaded and nothing may run, whatever a text of the user's brings along. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** In characters: a heading that is longer is set smaller. */
const LONG = 80;

export function renderHtml(findings: Findings): string {
  const { verdict, schemaVersion } = findings;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escaped(verdict.sentence)}</title>
<style>${STYLE}</style>
</head>
<body>
${head(findings)}
<main>
${sections(findings).join('\n')}
</main>
<footer><p>Made by <code>threadwise analyze</code>, findings version ${schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

function head(findings: Findings): string {
  const { verdict } = findings;
  return `<header class="${verdict.answer}">
<p class="brand">threadwise analyze: <code>${escaped(subjectName(findings))}</code></p>
<p class="badge">${SHORT[verdict.answer]}</p>
<h1${verdict.sentence.length > LONG ? ' class="long"' : ''}>${prose(verdict.sentence)}</h1>
${keyFigures(findings)}
</header>`;
}

type Key = readonly [name: string, value: string, more?: string];

function keyFigures({ gain, breakEven, noise: share, samples }: Findings): string {
  const { crossings, inline } = samples;
  const keys: Key[] = [
    ['threads against inline', middle(gain, factor), range(gain, factor)],
    ['a call takes', shown(inline.callMs?.p50, duration), 'median'],
    ['a crossing costs', shown(cheapestOf(crossings), duration), 'CPU time'],
    ['threads pay from', middle(breakEven.runMs, duration), 'running time of a call'],
    ['noise', noise(share), 'repeated runs of the same'],
  ];
  const known = keys.filter(([, value]) => value !== NONE);
  if (known.length === 0) return '';
  const cells = known.map(
    ([name, value, more = '']) =>
      `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}<small>${escaped(more)}</small></dd></div>`,
  );
  return `<dl class="key">${cells.join('\n')}</dl>`;
}
