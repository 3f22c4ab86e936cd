// Curves in characters, the same on the terminal and in Markdown: without colours, so each curve has a letter at its points.

import { estimate } from '@threadwise/cli/analysis';
import { plot } from 'asciichart';
import { formatNumber } from './format.js';
import { metricOf, seriesOf } from '../conclusions/rows.js';

const HEIGHT_ROWS = 10;
/** Of one step of the curve, in columns: as wide as there is room. */
const STEP = { most: 10, least: 4 };
const MOST_COLUMNS = 76;
/** In cells of the chart, from the left: one has the label, one the axis, at which curves begin. */
const OFFSET = 2;
const LETTERS = 'abcdefgh';
/** Where several curves have a point. */
const SEVERAL = '*';

/**
 * @param definition one of an experiment's `plots` @param scenarios as summary.js makes them
 * @returns text; '' where there are fewer than two points, or no row that was measured at all of them
 */
export function renderPlot(definition, scenarios) {
  const { title, metric, x: { label, of = ({ x }) => x } = {}, isLog = false } = definition;
  const { scenarios: isOf = () => true, rows = [] } = definition;
  const points = pointsIn(scenarios.filter(isOf), of);
  const curves = curvesOf(points, rows, metric, isLog);
  const scale = scaleOf(curves, isLog);
  if (points.length < 2 || scale === undefined) return '';
  const { unit } = metricOf(points[0].scenario, metric);
  const drawn = draw(
    curves,
    points.map(({ x }) => formatNumber(x)),
    scale,
  );
  const names = curves.map(({ row, letter }) => `${letter} ${row}`);
  const inLine = names.join('   ');
  const legend = inLine.length <= MOST_COLUMNS ? inLine : names.join('\n');
  const several = drawn.includes(SEVERAL) ? `; ${SEVERAL} several` : '';
  return [
    title,
    '',
    drawn,
    '',
    `${unit}${isLog ? ', a scale of powers' : ''}, by ${label}${several}`,
    legend,
  ].join('\n');
}

function pointsIn(scenarios, of) {
  const points = scenarios.map((scenario) => ({ scenario, x: of(scenario) }));
  return points.filter(({ x }) => Number.isFinite(x)).toSorted((a, b) => a.x - b.x);
}

/** Each row that was measured somewhere: [{ row, letter, values }], values with undefined where it was not. */
function curvesOf(points, rows, metric, isLog) {
  const read = (value) => (isLog ? Math.log10(value) : value);
  const valueAt = (scenario, row) => {
    const value = estimate(seriesOf(scenario, row, metric))?.value;
    return value === undefined || !Number.isFinite(read(value)) ? undefined : read(value);
  };
  return rows
    .map((row) => ({ row, values: points.map(({ scenario }) => valueAt(scenario, row)) }))
    .filter(({ values }) => values.some((value) => value !== undefined))
    .slice(0, LETTERS.length)
    .map((curve, i) => ({ ...curve, letter: LETTERS[i] }));
}

/** From which value to which; undefined: there is nothing to draw a line of. */
function scaleOf(curves, isLog) {
  const all = curves.flatMap(({ values }) => values.filter((value) => value !== undefined));
  if (!curves.some(isComplete)) return undefined;
  const [lowest, highest] = [Math.min(...all), Math.max(...all)];
  const min = isLog ? Math.floor(lowest) : Math.min(0, lowest);
  const max = isLog ? Math.max(min + 1, Math.ceil(highest)) : highest;
  if (min === max) return undefined;
  // What asciichart makes of nothing, step by step, is not always nothing.
  const exact = (value) => (Math.abs(value) < max * 1e-9 ? 0 : value);
  return { min, max, format: (value) => formatNumber(isLog ? 10 ** value : exact(value)) };
}

const isComplete = ({ values }) => values.every((value) => value !== undefined);

function draw(curves, ticks, { min, max, format }) {
  const heights = Array.from({ length: HEIGHT_ROWS + 1 }, (_, i) => min + ((max - min) * i) / HEIGHT_ROWS);
  const labels = Math.max(...heights.map((value) => format(value).length)) + 1;
  const room = Math.floor((MOST_COLUMNS - labels) / (ticks.length - 1));
  const step = Math.max(STEP.least, Math.min(STEP.most, room));
  const series = curves.filter(isComplete).map(({ values }) => stretched(values, step));
  const chart = plot(series, {
    ...{ min, max, height: HEIGHT_ROWS, offset: OFFSET },
    format: (value) => `${format(value).padStart(labels - 1)} `,
  });
  const lines = marked(chart.split('\n'), curves, { min, max, labels, step });
  return [...lines, axis(ticks, labels, step)].map((line) => line.trimEnd()).join('\n');
}

/** As many columns between two points as a step has, on a straight line. */
function stretched(values, step) {
  const between = values.slice(1).flatMap((value, i) => {
    const from = values[i];
    return Array.from({ length: step }, (_, k) => from + ((value - from) * (k + 1)) / step);
  });
  return [values[0], ...between];
}

/** The letters, where asciichart has the points: it rounds to rows like that. */
function marked(lines, curves, { min, max, labels, step }) {
  const cells = lines.map((line) => [...line]);
  const ratio = HEIGHT_ROWS / (max - min);
  const rowOf = (value) => cells.length - 1 - (Math.round(value * ratio) - Math.round(min * ratio));
  const taken = new Set();
  for (const { letter, values } of curves) {
    values.forEach((value, i) => {
      if (value === undefined) return;
      const [row, column] = [rowOf(value), labels + i * step];
      const place = `${row} ${column}`;
      cells[row][column] = taken.has(place) ? SEVERAL : letter;
      taken.add(place);
    });
  }
  return cells.map((line) => line.join(''));
}

/** What x is, each below its point; one for which there is no room is left out. */
function axis(ticks, labels, step) {
  return ticks.reduce((text, tick, i) => {
    const column = labels + i * step;
    return text.length >= column && i > 0 ? text : text.padEnd(column) + tick;
  }, '');
}

/** All plots of an experiment that can be drawn. */
export function renderPlots({ plots = [] }, scenarios) {
  return plots.map((plot) => renderPlot(plot, scenarios)).filter((text) => text !== '');
}
