// The tables of docs/experiments.md: the rows of a scenario by metric; where scenarios are the points of a curve, rows by x.
import { formatNumber, formatRatio } from './format.js';
import { escapeCell } from './markdown.js';
import { alongX } from '../conclusions/rows.js';

/** The cell of a figure that does not exist. */
export const NONE = '-';

/** @param isFigures whether all columns but the first are aligned to the right @returns lines */
export function table(head, rows, { isFigures = false } = {}) {
  const line = (cells) => `| ${cells.map((cell) => escapeCell(String(cell))).join(' | ')} |`;
  const rule = head.map((_, i) => (isFigures && i > 0 ? '---:' : '---'));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)];
}

/** A line for each row of the scenario; the first metric with its range. A row without figures says why. */
export function scenarioTable({ title, metrics, rows, bestPublished }) {
  const [first, ...others] = metrics;
  const isCompared = bestPublished[first.id] !== undefined;
  const head = ['', first.label, 'from - to', ...others.map(({ label }) => label)];
  if (isCompared) head.push('x best published');
  const lines = rows.map((row) => {
    const { id, figures } = row;
    if (figures[first.id] === undefined) return [id, whyNot(row), ...Array(head.length - 2).fill('')];
    const cells = [id, middle(row, first), range(row, first), ...others.map((metric) => middle(row, metric))];
    if (isCompared)
      cells.push(id === bestPublished[first.id] ? 'best' : formatRatio(figures[first.id].toBestPublished));
    return cells;
  });
  return [`**${escapeCell(title)}**`, '', ...table(head, lines, { isFigures: true }), ''];
}

const middle = ({ figures }, { id }) => (figures[id] === undefined ? NONE : formatNumber(figures[id].median));

function range({ figures, samples }, { id }) {
  const { min, max } = figures[id];
  return samples.length > 1 ? `${formatNumber(min)} - ${formatNumber(max)}` : '';
}

export function whyNot({ failure, notAvailable }) {
  if (notAvailable !== undefined) return `not available: ${firstLine(notAvailable)}`;
  return failure === undefined ? NONE : `failed: ${firstLine(failure)}`;
}

const firstLine = (text) => text.split('\n')[0];

/** A table for each curve and each of its metrics, with rows by x; and why some rows have no figures. */
export function curveTables(experiment, scenarios) {
  const curves = new Set(alongX(scenarios).map(({ curve }) => curve));
  return [...curves].flatMap((curve) => {
    const points = alongX(scenarios).filter((scenario) => scenario.curve === curve);
    const name = curve === undefined ? '' : `${curve}, `;
    const label = experiment.x?.(curve) ?? 'threads';
    const tables = points[0].metrics.flatMap((metric) => curveTable(points, metric, { name, label }));
    return [...tables, ...absentees(points, label)];
  });
}

function curveTable(points, metric, { name, label }) {
  const rows = rowIds(points).filter((id) =>
    points.some((point) => figuresOf(point, id)?.[metric.id] !== undefined),
  );
  if (rows.length === 0) return [];
  const lines = rows.map((id) => [
    id,
    ...points.map((point) => middle({ figures: figuresOf(point, id) ?? {} }, metric)),
  ]);
  const head = [label, ...points.map(({ x }) => formatNumber(x))];
  return [`**${escapeCell(`${name}${metric.label}`)}**`, '', ...table(head, lines, { isFigures: true }), ''];
}

function rowIds(points) {
  return [...new Set(points.flatMap(({ rows }) => rows.map(({ id }) => id)))];
}

const figuresOf = ({ rows }, id) => rows.find((row) => row.id === id)?.figures;

function absentees(points, label) {
  const lines = points.flatMap(({ x, rows }) =>
    rows
      .filter(({ failure, notAvailable }) => failure !== undefined || notAvailable !== undefined)
      .map((row) => `- ${row.id}, ${label} ${formatNumber(x)}: ${whyNot(row)}`),
  );
  return lines.length === 0 ? [] : [...lines, ''];
}
