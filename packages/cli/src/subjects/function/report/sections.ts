/** The parts of the page, in the order in which they are read; what was not measured has none. */
import type { Estimate, Findings } from '../rules/findings.js';
import { bytes, duration, perCent } from '../../../format/words.js';
import { listHtml, section } from '../../../report/page.js';
import { explanation } from './explanation.js';
import { factor, figureOf, NONE, real, shown, withRange } from '../../../format/figures.js';
import { beforeCode, recommendedCode } from './recommended-code.js';
import * as tables from './tables.js';
import { type Bar, barsChart } from '../../../report/html/bars.js';
import { type Chart, chartHtml } from '../../../report/html/chart.js';
import { gainCurve, rateCurve } from './curves.js';
import { matrixHtml } from './matrix.js';
import { tableHtml } from '../../../report/html/table.js';
import { escaped, prose } from '../../../report/html/text.js';

/** In characters: a line of code that is longer scrolls. */
const CODE_COLUMNS = 56;

export function sections(findings: Findings): string[] {
  return [
    warnings(findings),
    section('meaning', 'What this means', meaning(findings), 'wide'),
    section('do', 'What to do', recommended(findings)),
    section('why', 'Why', listHtml(findings.reasons)),
    section('rates', 'How many calls a second, by threads', rates(findings)),
    section('even', 'From where on threads pay', breakEven(findings)),
    section('cores', 'Cores and threads', cores(findings), isWide(findings) ? 'wide' : ''),
    section('loop', 'How long the event loop is held up', loop(findings)),
    section('memory', 'Memory', memory(findings)),
    section('call', 'One call', oneCall(findings)),
    section('crossing', 'The crossing', crossing(findings)),
    section('limits', 'What keeps more threads from doing more', limits(findings)),
    section('measured', 'How it was measured', measured(findings), 'wide'),
  ];
}

function warnings({ warnings: texts }: Findings): string {
  return section('warnings', 'Before you believe it', listHtml(texts), 'wide warn');
}

function meaning(findings: Findings): string {
  const paragraphs = explanation(findings).map(
    ({ title, text }) => `<div><h3>${escaped(title)}</h3><p>${prose(text)}</p></div>`,
  );
  return `<div class="meaning">${paragraphs.join('\n')}</div>`;
}

function recommended(findings: Findings): string {
  const lines = recommendedCode(findings, CODE_COLUMNS).map(escaped);
  const code = `<pre tabindex="0" role="region" aria-label="Recommended code"><code>${lines.join('\n')}</code></pre>`;
  const ways = findings.alternatives.map(({ sentence, changesVerdict }) =>
    changesVerdict ? `${sentence}. That changes the verdict` : sentence,
  );
  const others = ways.length === 0 ? '' : `<h3>Other ways of calling</h3>${listHtml(ways)}`;
  return `<p>${escaped(beforeCode(findings))}</p>${code}${others}`;
}

function chart(made: Chart | undefined): string {
  return made === undefined ? '' : chartHtml(made);
}

function table(made: tables.Table | undefined): string {
  return made === undefined ? '' : tableHtml(made);
}

function rates(findings: Findings): string {
  const { gain, knee } = findings;
  const sayings = [
    real(gain) && `With the best number of threads: ${withRange(gain, factor)} as many calls as inline.`,
    knee && `More than ${tables.threadsOf(knee.threads)} bring less than a twentieth each.`,
  ].filter((text) => typeof text === 'string');
  const drawn = chart(rateCurve(findings));
  const lead = drawn === '' ? '' : sayings.map((text) => `<p>${escaped(text)}</p>`).join('');
  return drawn === '' ? table(tables.ratesTable(findings)) : lead + drawn;
}

function breakEven(findings: Findings): string {
  return table(tables.breakEvenTable(findings)) + chart(gainCurve(findings));
}

const ABOUT_CORES =
  'The same calls, with the program bound to fewer cores: more threads than cores bring nothing to what computes. ' +
  'Small: the 95 % interval, where there is one. The stronger the colour, the more calls.';

function cores(findings: Findings): string {
  const matrix = matrixHtml(findings);
  return matrix === '' ? '' : `<p>${ABOUT_CORES}</p>${matrix}`;
}

/** As many columns as half of the page has room for. */
const COLUMNS_OF_HALF = 3;

function isWide(findings: Findings): boolean {
  return tables.coreMatrix(findings).threads.length > COLUMNS_OF_HALF;
}

function loop({ samples: { inline, threads } }: Findings): string {
  const alone = figureOf(inline.loopDelayMs);
  const pools = byThreads(threads, (each) => each.loopDelayMs);
  const drawn = chart(
    barsChart('delay', 'Delay of a timer, 99th percentile', [before(alone), ...pools], duration),
  );
  if (drawn === '') return '';
  const isShorter = pools.some(({ figure }) => figure && alone && figure.high < alone.low);
  const rest = isShorter ? ' In a pool it has to wait for the handing over alone.' : '';
  return `<p>While a function computes inline, a timer, a request, or a click has to wait.${rest}</p>${drawn}`;
}

function before(figure: Estimate | undefined): Bar {
  return { name: 'inline', figure, isInline: true };
}

function byThreads(
  samples: Findings['samples']['threads'],
  read: (each: Findings['samples']['threads'][number]) => readonly number[],
): Bar[] {
  return tables
    .byThreads(samples)
    .map((each) => ({ name: tables.threadsOf(each.threads), figure: figureOf(read(each)) }));
}

function memory({ samples: { inline, threads, start } }: Findings): string {
  const { residentBytes } = inline;
  const alone = residentBytes === undefined ? undefined : figureOf([residentBytes]);
  const bars = [before(alone), ...byThreads(threads, (each) => each.residentBytes)];
  const each = figureOf(start?.bytesPerThread);
  const lead = each === undefined ? '' : `<p>One more thread takes ${escaped(withRange(each, bytes))}.</p>`;
  return lead + chart(barsChart('resident', 'Resident memory of the program', bars, bytes));
}

function oneCall(findings: Findings): string {
  const { callMs, coldMs } = findings.samples.inline;
  const exactly = (value: number | undefined): Estimate | undefined =>
    value === undefined ? undefined : { value, low: value, high: value };
  const bars: Bar[] = [
    { name: 'median (p50)', figure: exactly(callMs?.p50) },
    { name: 'p90', figure: exactly(callMs?.p90) },
    { name: 'p99', figure: exactly(callMs?.p99) },
    { name: 'longest', figure: exactly(callMs?.max) },
    { name: 'the first, cold', figure: exactly(coldMs) },
  ];
  const drawn = barsChart('times', 'Running time, inline', bars, duration);
  const figures = drawn && { ...drawn, table: tables.runTimesTable(findings) };
  return chart(figures) + table(tables.sizesTable(findings)) + table(tables.bySizeTable(findings));
}

function crossing(findings: Findings): string {
  const made = table(tables.crossingsTable(findings));
  const lead = 'What a call costs that does nothing, with values as large as those of the function:';
  return made === '' ? '' : `<p>${lead}</p>${made}`;
}

function limits({ limits: found, amdahl }: Findings): string {
  const serial = real(amdahl?.serialShare);
  const error = shown(amdahl?.error, (value) => value.toFixed(3));
  const isTested = error !== NONE;
  const fit = isTested
    ? `Amdahl's law, fitted to the rates: ${withRange(serial, perCent)} of the work does not run in parallel. ` +
      `The fit is off by ${error} (RMS; less than 0.05 is good).`
    : `By Amdahl's law ${withRange(serial, perCent)} of the work would not run in parallel. One thread was compared with ` +
      'one other number only, which any share fits: whether it is that, nobody knows.';
  return (
    listHtml(found.map(({ name, why }) => `${name.replaceAll('-', ' ')}: ${why}`)) +
    (serial ? `<p>${escaped(fit)}</p>` : '')
  );
}

function measured(findings: Findings): string {
  return table(tables.circumstancesTable(findings));
}
