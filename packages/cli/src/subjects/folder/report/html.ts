/** The findings of a folder as one page that needs no network and runs no script. */
import { count, rate } from '../../../format/figures.js';
import { barsChart } from '../../../report/html/bars.js';
import { type Chart, chartHtml } from '../../../report/html/chart.js';
import { lanesChart } from '../../../report/html/lanes.js';
import { tableHtml } from '../../../report/html/table.js';
import { listHtml, pageHtml, section } from '../../../report/page.js';
import type { ClassFinding, FolderFindings } from '../findings.js';
import { sizesInWords } from '../sentences.js';
import { coreTimes } from './core-times.js';
import { barsOf, circumstancesTable, classTables, overviewTable } from './tables.js';

const MOST_STEPS = 120;
const MOST_CORES = 16;

export function renderFolderHtml(findings: FolderFindings): string {
  const { verdict, samples, schemaVersion } = findings;
  const { folder, files } = samples.subject;
  return pageHtml({
    sentence: verdict.sentence,
    kind: verdict.answer === 'unknown' ? 'unknown' : 'threads',
    command: 'threadwise analyze files',
    subject: folder,
    below: `<p class="muted">${count(files)} files were found.</p>`,
    sections: sections(findings),
    schemaVersion,
  });
}

function sections(findings: FolderFindings): string[] {
  const tables = classTables(findings).map((table) => tableHtml(table));
  return [
    section('warnings', 'Before you believe it', listHtml(findings.warnings), 'wide warn'),
    section('why', 'Why', listHtml(findings.reasons), 'wide'),
    section('sizes', 'What is there, and what is best', tableHtml(overviewTable(findings)), 'wide'),
    ...findings.classes.map((each, i) =>
      section(`rates-${i}`, `How fast: ${sizesInWords(each)}`, chart(each, i)),
    ),
    ...coreTimes(findings, MOST_STEPS, MOST_CORES).map(({ way, title, lines }) =>
      section(`cores-${way}`, title, drawn(lanesChart(`lanes-${way}`, title, lines))),
    ),
    section('figures', 'All figures', tables.join('\n'), 'wide'),
    section('measured', 'The measurement', tableHtml(circumstancesTable(findings)), 'wide'),
  ];
}

function chart(finding: ClassFinding, i: number): string {
  const bars = barsOf(finding).map(({ isOurs, ...bar }) => ({ ...bar, isInline: !isOurs }));
  return drawn(barsChart(`bars-${i}`, `Files per second, ${sizesInWords(finding)}`, bars, rate));
}

function drawn(chart: Chart | undefined): string {
  return chart === undefined ? '' : chartHtml(chart);
}
