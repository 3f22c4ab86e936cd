/** Findings as one page that needs no network and runs no script, with the parts that the page of `analyze` is made of. */
import { bytes, duration } from '../../analysis/words.js';
import { type Format, figureOf, rate } from '../../report/figures.js';
import { type Bar, barsChart } from '../../report/html/bars.js';
import { chartHtml } from '../../report/html/chart.js';
import { STYLE } from '../../report/html/style.js';
import { tableHtml } from '../../report/html/table.js';
import { escaped, prose } from '../../report/html/text.js';
import type { ServerAnswer, ServerFindings } from '../findings/findings.js';
import type { LaneSamples } from '../findings/samples.js';
import { beforeCode, recommendedCode } from './recommended.js';
import { lanesOf, tablesOf } from './tables.js';

/** Nothing may be loaded and nothing may run, whatever a text of the user's brings along. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** In characters: a heading that is longer is set smaller. */
const LONG = 80;

const SHORT: Readonly<Record<ServerAnswer, string>> = {
  leave: 'Leave it as it is',
  offload: 'Offload',
  cluster: 'Cluster it',
  unknown: 'No verdict',
};

/** As the style sheet has them. */
const CLASSES: Readonly<Record<ServerAnswer, string>> = {
  leave: 'inline',
  offload: 'threads',
  cluster: 'threads',
  unknown: 'unknown',
};

export function renderHtml(findings: ServerFindings): string {
  const { verdict, samples, schemaVersion } = findings;
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
<header class="${CLASSES[verdict.answer]}">
<p class="brand">threadwise analyze server: <code>${escaped(samples.subject.module)}</code></p>
<p class="badge">${SHORT[verdict.answer]}</p>
<h1${verdict.sentence.length > LONG ? ' class="long"' : ''}>${prose(verdict.sentence)}</h1>
</header>
<main>
${sections(findings).join('\n')}
</main>
<footer><p>Made by <code>threadwise analyze server</code>, findings version ${schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

function sections(findings: ServerFindings): string[] {
  return [
    section('warnings', 'Before you believe it', list(findings.warnings), 'wide warn'),
    section('do', 'What to do', recommended(findings)),
    section('why', 'Why', list(findings.reasons)),
    section(
      'rates',
      'Requests a second',
      bars(findings, 'rate', 'Requests a second', ({ rate: of }) => of, rate),
    ),
    section(
      'late',
      'The slowest answers',
      bars(findings, 'p99', 'One of a hundred takes longer', ({ p99Ms }) => p99Ms, duration),
    ),
    section(
      'loop',
      'How long the event loop is held up',
      bars(findings, 'loop', 'Event loop delay, p99', ({ loopDelayMs }) => loopDelayMs, duration),
    ),
    section(
      'memory',
      'Memory',
      bars(
        findings,
        'memory',
        'Resident memory of all processes',
        ({ residentBytes }) => residentBytes,
        bytes,
      ),
    ),
    ...tablesOf(findings).map((table, i) => section(`table-${i}`, table.title, tableHtml(table), 'wide')),
  ].filter((text) => text !== '');
}

function section(id: string, title: string, content: string, kind = ''): string {
  if (content === '') return '';
  const named = kind === '' ? '' : ` class="${kind}"`;
  return `<section${named} aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2>\n${content}\n</section>`;
}

function list(texts: readonly string[]): string {
  if (texts.length === 0) return '';
  return `<ul>${texts.map((text) => `<li>${prose(text)}</li>`).join('\n')}</ul>`;
}

function recommended(findings: ServerFindings): string {
  const lines = recommendedCode(findings).map(escaped);
  const code =
    lines.length === 0
      ? ''
      : `<pre tabindex="0" role="region" aria-label="Recommended code"><code>${lines.join('\n')}</code></pre>`;
  return `<p>${escaped(beforeCode(findings))}</p>${code}`;
}

function bars(
  findings: ServerFindings,
  id: string,
  title: string,
  seriesOf: (lane: LaneSamples) => readonly number[],
  format: Format,
): string {
  const all: Bar[] = lanesOf(findings).map(({ short, lane, isAsIs }) => ({
    name: short,
    figure: figureOf(seriesOf(lane)),
    isInline: isAsIs,
  }));
  const drawn = barsChart(`chart-${id}`, title, all, format);
  return drawn === undefined ? '' : chartHtml(drawn);
}
