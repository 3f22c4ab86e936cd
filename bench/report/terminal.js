// Renders results as tables for the terminal.
import Table from 'cli-table3';
import { formatGoal, formatNumber, formatRatio } from './format.js';

const PLAIN = { style: { head: [], border: [] } };

/** @param scenario a scenario of summary.js @returns lines of text */
export function renderScenario(scenario) {
  const table = scenario.layout === 'grid' ? gridOf(scenario) : tableOf(scenario);
  return `${scenario.title}\n${table}\n`;
}

/** The table if the first metric is the main one: shows its range, and how it compares. */
function tableOf({ metrics, bestPublished, rows }) {
  const [first, ...others] = metrics;
  const labels = others.map(({ label }) => label);
  const table = new Table({
    ...PLAIN,
    head: ['', 'version', first.label, 'from - to', 'noise', ...labels, 'x best\npublished'],
    colAligns: ['left', 'left', ...Array(metrics.length + 3).fill('right')],
  });
  const cells = ({ id, figures, samples }) => {
    if (figures[first.id] === undefined) return [''];
    const { median, min, max, noise, toBestPublished } = figures[first.id];
    return [
      formatNumber(median),
      samples.length > 1 ? `${formatNumber(min)} - ${formatNumber(max)}` : '',
      samples.length > 1 ? formatNoise(noise) : '',
      ...others.map((metric) => (figures[metric.id] ? formatNumber(figures[metric.id].median) : '')),
      id === bestPublished[first.id] ? 'best' : formatRatio(toBestPublished),
    ];
  };
  return filled(table, rows, metrics.length + 3, cells);
}

/** The table if all metrics are equal: shows below each figure how it compares, and its noise. */
function gridOf({ metrics, bestPublished, rows }) {
  const table = new Table({
    ...PLAIN,
    head: ['', 'version', ...metrics.map(({ label }) => label.replaceAll(' ', '\n'))],
    colAligns: ['left', 'left', ...metrics.map(() => 'right')],
  });
  const cells = ({ id: row, figures, samples }) =>
    metrics.map(({ id }) => {
      if (figures[id] === undefined) return '';
      const { median, noise, toBestPublished } = figures[id];
      const compared = row === bestPublished[id] ? 'best' : formatRatio(toBestPublished);
      const below = samples.length > 1 ? [compared, `~${formatNoise(noise)}`] : [compared];
      return [formatNumber(median), ...below].join('\n');
    });
  return filled(table, rows, metrics.length, cells);
}

/** What was published, and how it was measured; '' if nothing was. */
export function renderPublished(published) {
  if (published === undefined) return '';
  const { source, machine, method, finding, tables = [] } = published;
  const drawn = tables.map(({ title, head, rows }) => {
    const table = new Table({ ...PLAIN, head: head.map(String) });
    for (const row of rows) table.push(row.map(String));
    return `${title}, as published\n${table}`;
  });
  return [`Published: ${source} (${machine})`, method, `Finding: ${finding}`, ...drawn, ''].join('\n');
}

/** The conclusions, one on each line; '' if there are none. */
export function renderConclusions(conclusions) {
  if (conclusions.length === 0) return '';
  return ['Conclusions, from these figures', ...conclusions.map((sentence) => `- ${sentence}.`), ''].join(
    '\n',
  );
}

/** Fills a table. A row that failed or is not available says so instead of figures. */
function filled(table, rows, width, cellsOf) {
  for (const row of rows) {
    const { id, version = '', failure, notAvailable } = row;
    const said =
      notAvailable === undefined ? failure && `failed: ${failure}` : `not available: ${notAvailable}`;
    const cells = said === undefined ? cellsOf(row) : [{ content: shorten(said), colSpan: width }];
    table.push([id, version, ...cells]);
  }
  return table;
}

/** The goals of all scenarios in one table, except goals of rows that took no part; '' if there are none. */
export function renderGoals(scenarios) {
  const table = new Table({
    ...PLAIN,
    head: ['', 'goal', 'measured', 'from - to', 'met'],
    colAligns: ['left', 'left', 'right', 'right', 'left'],
    colWidths: [null, 54],
    wordWrap: true,
  });
  for (const { id, metrics, rows, goals } of scenarios) {
    for (const goal of goals.filter(({ of }) => rows.some((row) => row.id === of))) {
      const { measured, range, verdict } = formatGoal(goal, metrics);
      table.push([id, goal.text, measured, range, verdict]);
    }
  }
  return table.length === 0 ? '' : `Goals\n${table}\n`;
}

const formatNoise = (noise) => (noise > 0 && noise < 0.005 ? '< 1 %' : `${Math.round(noise * 100)} %`);

/** Shortens the error output of a process to the line with the reason, without the folders of files. */
function shorten(text) {
  const [first, ...rest] = text.split('\n');
  const reason = rest.find((line) => /^\w*Error\b/.test(line));
  const line = reason === undefined ? first : `${first.split(': ')[0]}: ${reason}`;
  return line
    .trim()
    .replace(/file:\/\/\S*\//g, '')
    .slice(0, 100);
}
