/** A report as one page that needs no network and runs no script: for a reader who has never used threads, and for one who has. */
import type { Block, Made, Report, Section, Tone } from '../model.js';
import { chartHtml } from './chart.js';
import { STYLE } from './style.js';
import { heatHtml, tableHtml } from './table.js';
import { escaped, prose } from './text.js';

/** Nothing may be loaded and nothing may run, whatever a text of the user's brings along. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** How many characters a heading may have before it is set smaller. */
const LONG = 80;
/** How wide the box for code is. A longer line of code scrolls. Characters. */
const CODE_COLUMNS = 56;
/** The classes of the style sheet for each tone. */
const CLASSES: Readonly<Record<Tone, string>> = {
  pays: 'threads',
  mixed: 'threads',
  'does not': 'inline',
  unknown: 'unknown',
};

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
${lines(sectionsOf(report).map((each) => sectionHtml(each)))}
</main>
<footer><p>Findings version ${findings.schemaVersion}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`;
}

/** The verdict's evidence first, then what it means to who has never used threads; how it was measured is the last of a report's own. */
function sectionsOf({ findings, meaning = [], recommended, sections }: Report): Section[] {
  const { warnings, reasons } = findings;
  const own = sections();
  return [
    { id: 'warnings', title: 'Before you believe it', isWide: true, blocks: [{ list: warnings }] },
    { id: 'why', title: 'Why', isWide: recommended === undefined, blocks: [{ list: reasons }] },
    {
      id: 'do',
      title: 'What to do',
      isWide: reasons.length === 0,
      blocks: recommended === undefined ? [] : whatToDo(recommended, reasons),
    },
    ...own.slice(0, -1),
    { id: 'meaning', title: 'What this means', isWide: true, blocks: [{ paragraphs: meaning }] },
    ...own.slice(-1),
  ];
}

function whatToDo(
  { before, code, others = [] }: NonNullable<Report['recommended']>,
  said: readonly string[],
): Block[] {
  const more = others.filter((text) => !said.includes(text));
  const ways = more.length === 0 ? [] : [{ heading: 'Other ways of calling' }, { list: more }];
  return [before, { code: code(CODE_COLUMNS) }, ...ways];
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

function sectionHtml({ id, title, isWide, blocks }: Section): string {
  const content = blocks.map((block) => (block === undefined ? '' : blockHtml(block, title))).join('');
  if (content === '') return '';
  const classes = [isWide === true && 'wide', id === 'warnings' && 'warn'].filter(Boolean).join(' ');
  const named = classes === '' ? '' : ` class="${classes}"`;
  return `<section${named} aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2>\n${content}\n</section>`;
}

/** @param above the heading of the section, which need not be said again */
function blockHtml(block: Block, above: string): string {
  if (typeof block === 'string') return `<p>${prose(block)}</p>`;
  if ('heading' in block) return `<h3>${escaped(block.heading)}</h3>`;
  if ('list' in block) return around('ul', block.list, (text) => `<li>${prose(text)}</li>`);
  if ('table' in block) return block.table === undefined ? '' : tableHtml(block.table, above);
  if ('heat' in block) return heatHtml(block.heat);
  if ('chart' in block) return block.chart === undefined ? '' : chartHtml(block.chart);
  if ('code' in block) {
    if (block.code.length === 0) return '';
    return `<pre tabindex="0" role="region" aria-label="Recommended code"><code>${block.code.map(escaped).join('\n')}</code></pre>`;
  }
  const html = around(
    'div',
    block.paragraphs,
    ({ title, text }) => `<div><h3>${escaped(title)}</h3><p>${prose(text)}</p></div>`,
  );
  return html.replace('<div>', '<div class="meaning">');
}

/** Empty where there is nothing in it. */
function around<T>(element: string, parts: readonly T[], partHtml: (part: T) => string): string {
  return parts.length === 0 ? '' : `<${element}>${parts.map(partHtml).join('\n')}</${element}>`;
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
