/** The findings of a folder as one page that needs no network and runs no script. */
import { count, rate } from '../../report/figures.js';
import { barsChart } from '../../report/html/bars.js';
import { chartHtml } from '../../report/html/chart.js';
import { STYLE } from '../../report/html/style.js';
import { tableHtml } from '../../report/html/table.js';
import { escaped, prose } from '../../report/html/text.js';
import type { ClassFinding, FolderFindings } from '../findings.js';
import { sizesInWords } from '../sentences.js';
import { barsOf, circumstancesTable, classTables, overviewTable } from './tables.js';

/** Nothing may be loaded and nothing may run, whatever a name of a file brings along. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** In characters: a heading that is longer is set smaller. */
const LONG = 80;

export function renderFolderHtml(findings: FolderFindings): string {
  const { verdict, samples, schemaVersion } = findings;
  const sentence = verdict.sentence;
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
<header class="${verdict.answer === 'unknown' ? 'unknown' : 'threads'}">
<p class="brand">threadwise analyze files: <code>${escaped(samples.subject.folder)}</code></p>
<h1${sentence.length > LONG ? ' class="long"' : ''}>${prose(sentence)}</h1>
<p class="muted">${count(samples.subject.files)} files were found.</p>
</header>
<main>
${sections(findings).join('\n')}
</main>
<footer><p>Made by <code>threadwise analyze files</code>, findings version ${schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

function sections(findings: FolderFindings): string[] {
  const tables = classTables(findings).map((table) => tableHtml(table));
  return [
    section('warnings', 'Before you believe it', list(findings.warnings), 'wide warn'),
    section('why', 'Why', list(findings.reasons), 'wide'),
    section('sizes', 'What is there, and what is best', tableHtml(overviewTable(findings)), 'wide'),
    ...findings.classes.map((each, i) =>
      section(`rates-${i}`, `How fast: ${sizesInWords(each)}`, chart(each, i), ''),
    ),
    section('figures', 'All figures', tables.join('\n'), 'wide'),
    section('measured', 'The measurement', tableHtml(circumstancesTable(findings)), 'wide'),
  ].filter((text) => text !== '');
}

function section(id: string, title: string, content: string, kind: string): string {
  if (content === '') return '';
  const named = kind === '' ? '' : ` class="${kind}"`;
  return `<section${named} aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2>\n${content}\n</section>`;
}

function list(texts: readonly string[]): string {
  if (texts.length === 0) return '';
  return `<ul>${texts.map((text) => `<li>${prose(text)}</li>`).join('\n')}</ul>`;
}

function chart(finding: ClassFinding, i: number): string {
  const bars = barsOf(finding).map(({ isOurs, ...bar }) => ({ ...bar, isInline: !isOurs }));
  const drawn = barsChart(`bars-${i}`, `Files per second, ${sizesInWords(finding)}`, bars, rate);
  return drawn === undefined ? '' : chartHtml(drawn);
}
