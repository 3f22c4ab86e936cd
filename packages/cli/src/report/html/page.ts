/** A report as one page that needs no network and runs no script: for a reader who has never used threads, and for one who has. */
import type { Block, Made, Paragraph, Report, Section, Tone } from '../model.js';
import { chartHtml } from './chart.js';
import { STYLE } from './style.js';
import { heatHtml, tableHtml } from './table.js';
import { escaped, prose } from './text.js';

/** Nothing may be loaded and nothing may run, also if a text of the user's has markup in it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** How many characters a heading may have before it is set smaller. */
const LONG = 80;
/** How many characters fit into a line of the box for code. Longer lines are wrapped. */
const CODE_COLUMNS = 56;
/** The classes of the style sheet for each tone. */
const CLASSES: Readonly<Record<Tone, string>> = {
  pays: 'threads',
  mixed: 'threads',
  'does not': 'inline',
  unknown: 'unknown',
};

type Recommended = NonNullable<Report['recommended']>;

export function renderHtml(report: Report, made: Made): string {
  const { findings, command, subject, badge, lead } = report;
  const { sentence } = findings.verdict;
  const head = [
    `<p class="brand">${command}: <code>${escaped(subject)}</code></p>`,
    badge === undefined ? '' : `<p class="badge">${escaped(badge)}</p>`,
    `<h1${sentence.length > LONG ? ' class="long"' : ''}>${prose(sentence)}</h1>`,
    lead === undefined ? '' : `<p class="muted">${escaped(lead)}</p>`,
    keysHtml(report.keys ?? []),
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
${lines(sectionsHtml(report))}
</main>
<footer><p>Findings version ${findings.schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

/** First the evidence, then what it means for a reader who has never used threads; the report's own last section, on how it was measured, ends the page. */
function sectionsHtml({ findings, meaning = [], recommended, sections }: Report): string[] {
  const { warnings, reasons } = findings;
  const own = sections().map((section) =>
    sectionHtml(section, ...section.blocks.map((block) => blockHtml(block, section.title))),
  );
  const isAlone = recommended === undefined;
  const toDo = recommended && whatToDo(recommended, reasons);
  return [
    sectionHtml({ id: 'warnings', title: 'Before you believe it', isWide: true }, listHtml(warnings)),
    sectionHtml({ id: 'why', title: 'Why', isWide: isAlone }, listHtml(reasons)),
    sectionHtml({ id: 'do', title: 'What to do', isWide: reasons.length === 0 }, toDo ?? ''),
    ...own.slice(0, -1),
    sectionHtml({ id: 'meaning', title: 'What this means', isWide: true }, meaningHtml(meaning)),
    ...own.slice(-1),
  ];
}

/** @param said the texts that the page shows already, and that are not repeated */
function whatToDo({ before, code, others = [] }: Recommended, said: readonly string[]): string {
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

function keysHtml(keys: NonNullable<Report['keys']>): string {
  if (keys.length === 0) return '';
  const cells = keys.map(
    ([name, value, more = '']) =>
      `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}<small>${escaped(more)}</small></dd></div>`,
  );
  return `<dl class="key">${cells.join('\n')}</dl>`;
}

function sectionHtml({ id, title, isWide }: Omit<Section, 'blocks'>, ...parts: readonly string[]): string {
  const content = parts.join('');
  if (content === '') return '';
  const classes = [isWide === true && 'wide', id === 'warnings' && 'warn'].filter(Boolean).join(' ');
  const named = classes === '' ? '' : ` class="${classes}"`;
  return `<section${named} aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2>\n${content}\n</section>`;
}

/** @param above the heading of the section: a table hides a caption of the same words */
function blockHtml(block: Block, above: string): string {
  if (block === undefined) return '';
  if (typeof block === 'string') return `<p>${prose(block)}</p>`;
  if ('list' in block) return listHtml(block.list);
  if ('body' in block) return chartHtml(block);
  return 'format' in block ? heatHtml(block) : tableHtml(block, above);
}

/** Empty where there are no texts. */
function listHtml(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `<ul>${lines(texts.map((text) => `<li>${prose(text)}</li>`))}</ul>`;
}

function meaningHtml(paragraphs: readonly Paragraph[]): string {
  if (paragraphs.length === 0) return '';
  const parts = paragraphs.map(
    ({ title, text }) => `<div><h3>${escaped(title)}</h3><p>${prose(text)}</p></div>`,
  );
  return `<div class="meaning">${lines(parts)}</div>`;
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
