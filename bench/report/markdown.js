// The tables of the README: the highlights of scenarios, from saved results; and where and when something was measured.
import { counted, perCent } from '@threadwise/cli/analysis';
import { fasterThan, withInterval } from '../conclusions/conclusions.js';
import { bestRow } from '../conclusions/goals.js';
import { withInline } from '../conclusions/rows.js';
import { median } from '../conclusions/statistics.js';
import { formatNumber, formatRatio, NONE, whyNot } from './format.js';
import { table } from './tables.js';

const OURS = 'threadwise';
const HEAD = ['', 'threadwise', 'best published pool', 'times as good (95 % interval)', 'without a pool'];

/** Puts the tables of experiments between their markers in a text, where it has these. @param all [{ experiment, result }] */
export function withTables(text, all) {
  return all.reduce((before, { experiment, result }) => {
    const [begin, end] = ['', '/'].map((slash) => `<!-- ${slash}bench:${experiment.id} -->`);
    if (!before.includes(begin) || result === undefined) return before;
    const from = before.indexOf(begin) + begin.length;
    const to = before.indexOf(end, from);
    if (to === -1) throw new Error(`expected ${end} behind ${begin}`);
    return `${before.slice(0, from)}\n${renderMarkdown(experiment, result)}\n${before.slice(to)}`;
  }, text);
}

/** @param experiment says what its highlights are @param result what is saved of it @returns Markdown */
export function renderMarkdown({ id, scenarios }, result) {
  const wanted = withInline(result.scenarios).flatMap((measured) => {
    const { highlights = [] } = scenarios.find((one) => one.id === measured.id) ?? {};
    return highlights.map((highlight) => lineOf(measured, highlight));
  });
  if (wanted.length === 0) throw new Error(`Nothing in the result of '${id}' is for the table`);
  const absent = wanted.flatMap(({ missing }) => missing);
  return [
    ...table(
      HEAD,
      wanted.map(({ cells }) => cells),
      { isFigures: true },
    ),
    '',
    ...(absent.length === 0
      ? []
      : [`Not among the published pools: ${[...new Set(absent)].join('; ')}.`, '']),
    placeOf(
      result,
      wanted.flatMap(({ shown }) => shown),
    ),
  ].join('\n');
}

/** A line of the table; the figures that it shows; and the published pools that have none, with the reason. */
function lineOf(scenario, { metric: metricId, of = OURS, text = scenario.title }) {
  const metric = scenario.metrics.find(({ id }) => id === metricId);
  const { rows } = scenario;
  const own = rows.find(({ id }) => id === of);
  const [published, without] = [['published'], ['inline', 'bare']].map((roles) =>
    bestRow(
      rows.filter(({ role }) => roles.includes(role)),
      metric,
    ),
  );
  const ratio = published && fasterThan(scenario, of, published.id, metricId).ratio;
  const isThere = own?.figures[metricId] !== undefined;
  const figure = (row) => `${formatNumber(row.figures[metricId].median)} ${metric.unit}`;
  const named = (row) => (row === undefined ? '' : `${figure(row)} (${row.id})`);
  const compared =
    ratio === undefined ? formatRatio(own?.figures[metricId]?.toBestPublished) : withInterval(ratio);
  return {
    cells: [
      text,
      isThere ? figure(own) : own === undefined ? NONE : whyNot(own),
      named(published),
      compared,
      named(without),
    ],
    shown: [isThere ? own : undefined, published, without].filter(Boolean).map((row) => ({ row, metric })),
    missing: rows
      .filter((row) => row.role === 'published' && row.figures[metricId] === undefined)
      .map((row) => `${row.id} in '${text}' (${whyNot(row)})`),
  };
}

/** Where, when and in how many rounds it was measured, and how much these differ. @param shown [{ row, metric }], the figures that this is about */
export function placeOf({ machine, rounds, threads, date, git }, shown) {
  const { cpu, cores, node, loadAverage: [load] = [] } = machine;
  const measured = shown.filter(({ row, metric }) => row.figures[metric.id] !== undefined);
  const counts = measured.map(({ row }) => row.samples.length);
  const [least, most] = counts.length === 0 ? [rounds, rounds] : [Math.min(...counts), Math.max(...counts)];
  const said = least === most ? counted(most, 'round') : `${least} to ${counted(most, 'round')}`;
  const commit = git ? `, commit ${git.commit.slice(0, 7)}${git.hasChanges ? ' with changes' : ''}` : '';
  const noises = measured.flatMap(({ row, metric }) => row.figures[metric.id].noise ?? []);
  const sentences = [
    `${counted(threads, 'thread')} where a row says no other number, ${cores} cores of ${cpu}, Node ${node}, median of ${said}, ${date.slice(0, 10)}${commit}.`,
    most > 1 &&
      noises.length > 0 &&
      `The rounds of a row differ by ${perCent(median(noises))} of its figure (the median of all rows), by ${perCent(Math.max(...noises))} at most.`,
    load !== undefined && `Load of the machine before: ${formatNumber(load)}.`,
  ];
  return sentences.filter(Boolean).join(' ');
}
