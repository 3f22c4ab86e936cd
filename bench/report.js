// The table on the terminal.
import Table from 'cli-table3';

/** @param scenario one of summary.js @returns lines of text */
export function renderScenario({ title, metrics, bestPublished, rows }) {
  const [first] = metrics;
  const table = new Table({
    head: ['', 'version', ...headsOf(metrics), 'x best published'],
    colAligns: [
      'left',
      'left',
      ...metrics.flatMap((metric) => (metric === first ? ['right', 'right', 'right'] : ['right'])),
      'right',
    ],
    style: { head: [], border: [] },
  });
  for (const row of rows) table.push(cellsOf(row, metrics, bestPublished));
  return `${title}\n${table}\n`;
}

/** The first metric is shown with its range. */
function headsOf([first, ...others]) {
  return [first.label, 'from - to', 'noise', ...others.map(({ label }) => label)];
}

function cellsOf({ id, version, failure, figures, samples }, metrics, bestPublished) {
  if (failure !== undefined) {
    return [id, version ?? '', { content: `failed: ${firstLine(failure)}`, colSpan: metrics.length + 3 }];
  }
  const [first, ...others] = metrics.map((metric) => figures[metric.id]);
  return [
    id,
    version ?? '',
    formatNumber(first.median),
    `${formatNumber(first.min)} - ${formatNumber(first.max)}`,
    samples.length > 1 ? `${Math.round(first.noise * 100)} %` : '',
    ...others.map((figure) => formatNumber(figure.median)),
    id === bestPublished ? 'best' : formatRatio(first.toBestPublished),
  ];
}

/** Of what a process wrote before it ended, the line that says why. */
function firstLine(text) {
  const lines = text.split('\n');
  const line = lines.find((candidate) => /^\w*Error\b/.test(candidate)) ?? lines[0];
  return line.trim().slice(0, 100);
}

/** Three digits that mean something, and thousands apart. */
export function formatNumber(value) {
  const digits = Number(value.toPrecision(3));
  return digits.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

export function formatRatio(value) {
  return value === undefined ? '' : `${value.toPrecision(value >= 100 ? 3 : 2)} x`;
}
