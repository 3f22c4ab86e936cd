/** Findings as one page that needs no network and runs no script, with the parts that the page of `analyze` is made of. */
import { bytes, duration } from '../../../format/words.js';
import { type Format, figureOf, rate } from '../../../format/figures.js';
import { type Bar, barsChart } from '../../../report/html/bars.js';
import { chartHtml } from '../../../report/html/chart.js';
import { tableHtml } from '../../../report/html/table.js';
import { escaped } from '../../../report/html/text.js';
import { listHtml, type Page, pageHtml, section } from '../../../report/page.js';
import type { ServerAnswer, ServerFindings } from '../findings/findings.js';
import type { LaneSamples } from '../findings/samples.js';
import { beforeCode, recommendedCode } from './recommended.js';
import { lanesOf, tablesOf } from './tables.js';

const SHORT: Readonly<Record<ServerAnswer, string>> = {
  leave: 'Leave it as it is',
  offload: 'Offload',
  cluster: 'Cluster it',
  unknown: 'No verdict',
};

/** As the style sheet has them. */
const CLASSES: Readonly<Record<ServerAnswer, Page['kind']>> = {
  leave: 'inline',
  offload: 'threads',
  cluster: 'threads',
  unknown: 'unknown',
};

export function renderHtml(findings: ServerFindings): string {
  const { verdict, samples, schemaVersion } = findings;
  return pageHtml({
    sentence: verdict.sentence,
    kind: CLASSES[verdict.answer],
    command: 'threadwise analyze server',
    subject: samples.subject.module,
    badge: SHORT[verdict.answer],
    sections: sections(findings),
    schemaVersion,
  });
}

function sections(findings: ServerFindings): string[] {
  return [
    section('warnings', 'Before you believe it', listHtml(findings.warnings), 'wide warn'),
    section('do', 'What to do', recommended(findings)),
    section('why', 'Why', listHtml(findings.reasons)),
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
  ];
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
