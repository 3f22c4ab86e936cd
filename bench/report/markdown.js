// The table of the README: the highlights of scenarios, from a saved result.
import { counted } from '@threadwise/cli/analysis';
import { formatNumber, formatRatio } from './format.js';
import { bestRow } from '../conclusions/goals.js';

const OURS = 'threadwise';
const HEAD = [
  '| | threadwise | best published pool | times as good | without a pool |',
  '| --- | ---: | ---: | ---: | ---: |',
];

export const markersOf = (experiment) => ({
  begin: `<!-- bench:${experiment} -->`,
  end: `<!-- /bench:${experiment} -->`,
});

/** @param result the saved result of an experiment @returns Markdown */
export function renderMarkdown(result) {
  const lines = result.scenarios.flatMap((scenario) =>
    (scenario.highlights ?? []).map((highlight) => lineOf(scenario, highlight)).filter(Boolean),
  );
  if (lines.length === 0) throw new Error(`Nothing in the result of '${result.experiment}' is for the table`);
  return [...HEAD, ...lines, '', placeOf(result)].join('\n');
}

/** undefined if ours was not measured. */
function lineOf({ title, metrics, rows, bestPublished }, { metric: metricId, of = OURS, text = title }) {
  const metric = metrics.find(({ id }) => id === metricId);
  const own = rows.find(({ id }) => id === of);
  if (own?.figures[metricId] === undefined) return undefined;
  const published = rows.find(({ id }) => id === bestPublished[metricId]);
  const without = bestRow(
    rows.filter(({ role }) => role === 'inline' || role === 'bare'),
    metric,
  );
  const cells = [
    escapeCell(text),
    figure(own, metric),
    published ? `${figure(published, metric)} (${published.id})` : '',
    formatRatio(own.figures[metricId].toBestPublished),
    without ? `${figure(without, metric)} (${without.id})` : '',
  ];
  return `| ${cells.join(' | ')} |`;
}

const figure = ({ figures }, { id, unit }) => `${formatNumber(figures[id].median)} ${unit}`;

/** Escapes what looks like HTML, except for line breaks. */
export const escapeCell = (text) => text.replaceAll('|', '\\|').replace(/<(?!br>)/g, '&lt;');

export function placeOf({ machine, rounds, threads, date, git }) {
  const { cpu, cores, node } = machine;
  const where = `${counted(threads, 'thread')}, ${cores} cores of ${cpu}, Node ${node}`;
  const commit = git ? `, commit ${git.commit.slice(0, 7)}` : '';
  return `${where}, median of ${rounds} rounds, ${date.slice(0, 10)}${commit}.`;
}

/** Whether a text has a place for the table. */
export function hasMarkers(text, { begin }) {
  return text.includes(begin);
}

/** Puts a new table between the markers of a text. Throws if they are not there. */
export function replaceBetween(text, { begin, end }, table) {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`There are no markers for the table: ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`;
}
