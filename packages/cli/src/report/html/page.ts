/** A report as one page that needs no network and runs no script: for a reader who has never used threads, and for one who has. */
import type { Block, Made, Report, Section } from '../model.js';
import { chartHtml } from './chart.js';
import { STYLE } from './style.js';
import { escaped, heatHtml, prose, tableHtml } from './text.js';

/** Nothing may be loaded and nothing may run, also if a text of the user's has markup in it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const LONG = 80; // how many characters a heading may have before it is set smaller
const CODE_COLUMNS = 56; // how many characters fit into a line of the box for code. Longer lines are wrapped
/** The classes of the style sheet for each tone. */
const CLASSES = { pays: 'threads', mixed: 'threads', 'does not': 'inline', unknown: 'unknown' };

export function renderHtml(report: Report, made: Made): string {
  const { findings, command, subject, badge, lead, keys = [] } = report;
  const { sentence } = findings.verdict;
  const cells = keys.map(
    ([name, value, more = '']) =>
      `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}<small>${escaped(more)}</small></dd></div>`,
  );
  const head = [
    `<p class="brand">${command}: <code>${escaped(subject)}</code></p>`,
    badge === undefined ? '' : `<p class="badge">${escaped(badge)}</p>`,
    `<h1${sentence.length > LONG ? ' class="long"' : ''}>${prose(sentence)}</h1>`,
    lead === undefined ? '' : `<p class="muted">${escaped(lead)}</p>`,
    cells.length === 0 ? '' : `<dl class="key">${cells.join('\n')}</dl>`,
    madeHtml(made),
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
<header class="${CLASSES[report.tone]}">
${lines(head)}
</header>
<main>
${lines(sectionsOf(report).map(sectionHtml))}
</main>
<footer><p>Findings version ${findings.schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

/** A section that may have parts of the page's own. */
type Shown = Omit<Section, 'blocks'> & { readonly blocks: readonly (Block | { readonly html: string })[] };

/** First the evidence, then what it means for a reader who has never used threads; the report's own last section, on how it was measured, ends the page. */
function sectionsOf({ findings, meaning = [], recommended, sections }: Report): Shown[] {
  const { warnings, reasons } = findings;
  const own = sections();
  const toDo = recommended && whatToDo(recommended, reasons);
  const means = meaning.map(
    ({ title, text }) => `<div><h3>${escaped(title)}</h3><p>${prose(text)}</p></div>`,
  );
  const meant = means.length === 0 ? '' : `<div class="meaning">${lines(means)}</div>`;
  return [
    { id: 'warnings', title: 'Before you believe it', isWide: true, blocks: [{ list: warnings }] },
    { id: 'why', title: 'Why', isWide: recommended === undefined, blocks: [{ list: reasons }] },
    { id: 'do', title: 'What to do', isWide: reasons.length === 0, blocks: [{ html: toDo ?? '' }] },
    ...own.slice(0, -1),
    { id: 'meaning', title: 'What this means', isWide: true, blocks: [{ html: meant }] },
    ...own.slice(-1),
  ];
}

/** @param said the texts that the page shows already, and that are not repeated */
function whatToDo(
  { before, code, others = [] }: NonNullable<Report['recommended']>,
  said: readonly string[],
): string {
  const more = listHtml(others.filter((text) => !said.includes(text)));
  const ways = more === '' ? '' : `<h3>Other ways of calling</h3>${more}`;
  const pasted = code(CODE_COLUMNS).map(escaped).join('\n');
  const box =
    pasted === ''
      ? ''
      : `<pre tabindex="0" role="region" aria-label="Recommended code"><code>${pasted}</code></pre>`;
  return `<p>${prose(before)}</p>${box}${ways}`;
}

function madeHtml({ at, command, version }: Made): string {
  const when = at.toISOString();
  const time = `<time datetime="${when}">${when.slice(0, 16).replace('T', ' ')} UTC</time>`;
  return `<p class="made muted">${time}, threadwise ${escaped(version)}: <code>${escaped(command)}</code></p>`;
}

function sectionHtml({ id, title, isWide, blocks }: Shown): string {
  const content = blocks.map((block) => blockHtml(block, title)).join('');
  if (content === '') return '';
  const classes = [isWide === true && 'wide', id === 'warnings' && 'warn'].filter(Boolean).join(' ');
  const named = classes === '' ? '' : ` class="${classes}"`;
  return `<section${named} aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2>\n${content}\n</section>`;
}

/** @param above the heading of the section: a table hides a caption of the same words */
function blockHtml(block: Shown['blocks'][number], above: string): string {
  if (block === undefined) return '';
  if (typeof block === 'string') return `<p>${prose(block)}</p>`;
  if ('html' in block) return block.html;
  if ('list' in block) return listHtml(block.list);
  if ('body' in block) return chartHtml(block);
  return 'format' in block ? heatHtml(block) : tableHtml(block, above);
}

/** Empty where there are no texts. */
function listHtml(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `<ul>${lines(texts.map((text) => `<li>${prose(text)}</li>`))}</ul>`;
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
