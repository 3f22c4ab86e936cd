// The tables of scenarios, as cells and as Markdown: the rows of a scenario by metric; where scenarios are the points of a curve, rows by x.
import { counted } from '@threadwise/cli/analysis';
import { formatNumber, formatRatio, NONE, whyNot } from './format.js';
import { alongX } from '../conclusions/rows.js';

/** Escapes what looks like HTML, except for line breaks. */
const escapeCell = (text) => text.replaceAll('|', '\\|').replace(/<(?!br>)/g, '&lt;');

/** Markdown. A row may have fewer cells than the head. @param isFigures whether all columns but the first are aligned to the right @returns lines */
export function table(head, rows, { isFigures = false } = {}) {
  const line = (cells) => `| ${head.map((_, i) => escapeCell(String(cells[i] ?? ''))).join(' | ')} |`;
  const rule = head.map((_, i) => (isFigures && i > 0 ? '---:' : '---'));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)];
}

/** A table of figures with its title. */
export const titled = (title, [head, ...rows]) => [
  ...[`**${escapeCell(title)}**`, ''],
  ...table(head, rows, { isFigures: true }),
  '',
];

/** The head and the rows; a row without figures has its name and the reason. The first metric is shown with its range, and how it compares. */
export function cellsOf({ metrics: [first, ...others], bestPublished, rows }) {
  const best = bestPublished[first.id];
  const ifCompared = (cell) => (best === undefined ? [] : [cell]);
  const labels = others.map(({ label }) => label);
  const cells = rows.map((row) => {
    const figure = row.figures[first.id];
    if (figure === undefined) return [row.id, whyNot(row)];
    const ratio = row.id === best ? 'best' : formatRatio(figure.toBestPublished);
    return [
      ...[row.id, middle(row, first), row.samples.length > 1 ? range(figure) : ''],
      ...[...ifCompared(ratio), ...others.map((metric) => middle(row, metric))],
    ];
  });
  return [['', first.label, 'from - to', ...ifCompared('x best published'), ...labels], ...cells];
}

const range = ({ min, max }) => `${formatNumber(min)} - ${formatNumber(max)}`;

const middle = ({ figures }, { id }) => (figures[id] === undefined ? NONE : formatNumber(figures[id].median));

/** How many rounds the rows of a scenario have; 0 if none was measured. */
const roundsOf = ({ rows }) =>
  Math.max(0, ...rows.map(({ samples, figures }) => (Object.keys(figures).length > 0 ? samples.length : 0)));

/** `3 rounds`, if a scenario was measured in fewer rounds than others; else undefined */
function otherRounds(scenario, usual) {
  const own = roundsOf(scenario);
  return own === 0 || own === usual ? undefined : counted(own, 'round');
}

/** The title of a scenario, with its number of rounds if that is not the usual one. */
export function titleOf(scenario, rounds) {
  const other = otherRounds(scenario, rounds);
  return other === undefined ? scenario.title : `${scenario.title} (${other})`;
}

/** A table for each curve and each of its metrics, with rows by x; and which points have other rounds, and why some rows have no figures. */
export function curveTables(experiment, scenarios, rounds) {
  const curves = new Set(alongX(scenarios).map(({ curve }) => curve));
  return [...curves].flatMap((curve) => {
    const points = alongX(scenarios).filter((point) => point.curve === curve);
    const label = experiment.x?.(curve) ?? 'threads';
    const tables = points[0].metrics.flatMap((metric) => {
      const cells = curveCells(points, metric, label);
      const name = curve === undefined ? '' : `${curve}, `;
      return cells.length > 1 ? titled(`${name}${metric.label}`, cells) : [];
    });
    const notes = points.flatMap((point) => notesOf(point, `${label} ${formatNumber(point.x)}`, rounds));
    return notes.length === 0 ? tables : [...tables, ...notes, ''];
  });
}

function notesOf(point, place, rounds) {
  const other = otherRounds(point, rounds);
  const absent = point.rows.filter(({ failure, notAvailable }) => (failure ?? notAvailable) !== undefined);
  return [
    ...(other === undefined ? [] : [`- ${place}: ${other}`]),
    ...absent.map((row) => `- ${row.id}, ${place}: ${whyNot(row)}`),
  ];
}

function curveCells(points, metric, label) {
  const ids = [...new Set(points.flatMap(({ rows }) => rows.map(({ id }) => id)))];
  const figuresOf = ({ rows }, id) => rows.find((row) => row.id === id)?.figures ?? {};
  const measured = ids.filter((id) => points.some((point) => figuresOf(point, id)[metric.id] !== undefined));
  return [
    [label, ...points.map(({ x }) => formatNumber(x))],
    ...measured.map((id) => [
      id,
      ...points.map((point) => middle({ figures: figuresOf(point, id) }, metric)),
    ]),
  ];
}
