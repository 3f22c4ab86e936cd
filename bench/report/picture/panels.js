// The panels of a picture: curves with their intervals as bands, figures on a line for each name, and spans of time.
import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { formatNumber } from '../format.js';
import { mark, tenth } from './style.js';

/** The space around the plot for its title and the names of its axes, in units of the drawing. */
const MARGIN = { top: 44, bottom: 46, left: 46, right: 14 };
/** The width of a character, about. */
const CHARACTER = 6.9;
/** The height of a line: at least `least`, and `mark` for each of its marks. */
const LANE = { least: 26, mark: 12 };
const MOST_LABELS = 330;
/** The most ticks of a logarithmic scale; if there were more, only powers of ten are named. */
const MOST_TICKS = 9;
/** The number of points above which they are too close to each other for marks. */
const MANY_POINTS = 40;

export const escaped = (text) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The height of a panel. */
export function heightOf({ rows, lanes }) {
  const count = (rows ?? lanes)?.length;
  return count === undefined ? 300 : MARGIN.top + MARGIN.bottom + count * laneOf({ rows });
}

/** The width of the names of a panel's lines. Of panels side by side with the same lines, only the first names them. */
export function labelsOf({ rows, lanes, isNamed = true }) {
  const names = (rows ?? lanes)?.map(({ label }) => label.length * CHARACTER + 14) ?? [];
  return isNamed && names.length > 0 ? Math.min(MOST_LABELS, Math.max(...names)) : 0;
}

const laneOf = ({ rows = [] }) => Math.max(LANE.least, ...rows.map(({ marks }) => LANE.mark * marks.length));

/** @param panel as README.md describes it; at: its place, { left, top, width, height } @returns SVG */
export function renderPanel(panel, at) {
  const labels = panel.rows || panel.lanes ? Math.max(MARGIN.right, labelsOf(panel)) : MARGIN.left;
  const plot = {
    left: at.left + labels,
    right: at.left + at.width - MARGIN.right,
    top: at.top + MARGIN.top,
    bottom: at.top + at.height - MARGIN.bottom,
  };
  const title = text(at.left + 4, at.top + 16, panel.title, 'strong');
  const draw = panel.rows ? dots : panel.lanes ? spans : curves;
  return [title, ...draw(panel, plot, at)].join('\n');
}

const text = (x, y, content, name = '', anchor = 'start') =>
  `<text${name && ` class="${name}"`} x="${tenth(x)}" y="${tenth(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;

function curves({ x, y, series }, plot, at) {
  const points = series.flatMap(({ points: own }) => own);
  const across = scaleOf(
    points.map((point) => ({ value: point.x })),
    x,
    [plot.left + 10, plot.right - 10],
    false,
  );
  const up = scaleOf(points, y, [plot.bottom, plot.top], true);
  const isMany = series.some(({ points: own }) => own.length > MANY_POINTS);
  return [
    ...ticksOf(up, y, 6).map((value) => {
      const height = up(value);
      const name = text(plot.left - 6, height + 4, formatNumber(value), '', 'end');
      return `<path class="grid" d="M${plot.left} ${tenth(height)}H${plot.right}"/>${name}`;
    }),
    below(across, x, plot),
    text(at.left + 4, at.top + 34, y.label),
    ...series.map(({ kind, points: own }) => curve(kind, own, across, up, isMany)),
  ];
}

function curve(kind, points, across, up, isMany) {
  const banded = points.filter(({ low, high }) => high > low);
  const at = (point) => tenth(across(point.x));
  const band = area(
    at,
    (point) => tenth(up(point.low)),
    (point) => tenth(up(point.high)),
  )(banded);
  const path = line(at, (point) => tenth(up(point.value)))(points);
  const marks = points.map((point) => mark(kind, across(point.x), up(point.value), isMany));
  return [
    banded.length > 1 ? `<path class="b ${kind}" d="${band}"/>` : '',
    points.length > 1 ? `<path class="l ${kind}" d="${path}"/>` : '',
    ...(banded.length === 1 ? banded.map((point) => whisker(kind, point, across, up)) : []),
    ...(isMany ? [] : marks),
  ].join('');
}

function whisker(kind, { x, low, high }, across, up) {
  const at = tenth(across(x));
  return `<path class="w ${kind}" d="M${at - 4} ${tenth(up(low))}h8M${at} ${tenth(up(low))}V${tenth(up(high))}M${at - 4} ${tenth(up(high))}h8"/>`;
}

/** A line for each name, with a mark for each figure, and its interval as a band. */
function dots({ x, rows, isNamed }, plot) {
  const lane = laneOf({ rows });
  const figures = rows.flatMap(({ marks }) => marks);
  const across = scaleOf(figures, x, [plot.left + 6, plot.right - 6], true);
  return [
    below(across, x, plot, true),
    ...rows.flatMap(({ label, marks }, i) => {
      const y = plot.top + (i + 0.5) * lane;
      return [
        text(plot.left - 8, y + 4, isNamed === false ? '' : shortened(label), '', 'end'),
        `<path class="grid" d="M${plot.left} ${y}H${plot.right}"/>`,
        ...marks.map(({ kind, value, low = value, high = value }, k) => {
          const middle = y + (k - (marks.length - 1) / 2) * (lane / (marks.length + 0.5));
          const [from, to] = [across(low), across(high)].map(tenth);
          const band =
            to > from
              ? `<rect class="b ${kind}" x="${from}" y="${tenth(middle - 5)}" width="${tenth(to - from)}" height="10"/>`
              : '';
          return (
            band +
            (mark(kind, across(value), middle) ||
              `<path class="w ${kind}" d="M${tenth(across(value))} ${tenth(middle - 6)}v12"/>`)
          );
        }),
      ];
    }),
  ];
}

/** A line with the spans of time in which something happened. @param lanes [{ label, kind, spans: [[from, to], …] }] */
function spans({ x, lanes }, plot) {
  const lane = laneOf({});
  const across = scaleOf(
    [0, ...lanes.flatMap(({ spans: own }) => own.flat())].map((value) => ({ value })),
    x,
    [plot.left, plot.right],
    true,
  );
  return [
    below(across, x, plot, true),
    ...lanes.flatMap(({ label, kind, spans: own }, i) => {
      const y = plot.top + (i + 0.5) * lane;
      const bars = own.map(
        ([from, to]) =>
          `M${tenth(across(from))} ${tenth(y - 7)}V${tenth(y + 7)}H${tenth(Math.max(across(to), across(from) + 1))}V${tenth(y - 7)}Z`,
      );
      return [
        text(plot.left - 8, y + 4, shortened(label), '', 'end'),
        `<path class="grid" d="M${plot.left} ${y}H${plot.right}"/>`,
        `<path class="s ${kind}" d="${bars.join('')}"/>`,
      ];
    }),
  ];
}

/** Cuts a name to the room that there is for it. */
function shortened(label) {
  const most = Math.floor((MOST_LABELS - 14) / CHARACTER);
  return label.length <= most ? label : `${label.slice(0, most - 1)}…`;
}

/** The horizontal axis with its figures and its name. @param isTall whether lines run through the plot */
function below(across, axis, { left, right, top, bottom }, isTall = false) {
  let end = -Infinity;
  const names = ticksOf(across, axis, (right - left) / 55).map((value) => {
    const [at, label] = [across(value), formatNumber(value)];
    const half = (label.length * CHARACTER) / 2;
    const grid = isTall ? `<path class="grid" d="M${tenth(at)} ${top}V${bottom}"/>` : '';
    const tick = `${grid}<path class="axis" d="M${tenth(at)} ${bottom}v5"/>`;
    if (at - half < end) return tick;
    end = at + half + CHARACTER;
    return tick + text(at, bottom + 18, label, '', 'middle');
  });
  return `<path class="axis" d="M${left} ${bottom}H${right}"/>${names.join('')}${text((left + right) / 2, bottom + 36, axis.label, '', 'middle')}`;
}

/** The factor by which intervals may stretch an axis beyond the figures; anything further out is cut off. */
const STRETCH = 1.5;

/** @param figures [{ value, low, high }] @param isFromZero whether a linear axis begins at zero */
function scaleOf(figures, { isLog = false, most: reaches = -Infinity }, range, isFromZero) {
  const seen = figures.filter(({ value }) => !isLog || value > 0);
  const values = seen.map(({ value }) => value);
  const [lowest, highest] = [Math.min(...values), Math.max(...values, reaches)];
  const least = Math.max(lowest / STRETCH, Math.min(...seen.map(({ value, low = value }) => low)));
  const most = Math.max(
    highest,
    Math.min(highest * STRETCH, Math.max(...seen.map(({ value, high = value }) => high))),
  );
  if (isLog) return scaleLog(least === most ? [least / 2, most * 2] : [least, most], range).clamp(true);
  // Values a little below zero are noise.
  const from = isFromZero && lowest > -0.05 * most ? 0 : lowest;
  const scale = scaleLinear([from, most === from ? from + 1 : most], range).clamp(true);
  return isFromZero ? scale.nice(5) : scale;
}

/** The ticks of an axis. A logarithmic axis has them at 1, 2 and 5 times each power of ten, or at the powers only if those are too many. */
function ticksOf(scale, { isLog = false }, most) {
  if (!isLog) return scale.ticks(Math.max(2, most));
  const named = (digits) =>
    scale
      .ticks(10)
      .filter((value) => digits.includes(Math.round(value / 10 ** Math.floor(Math.log10(value * 1.001)))));
  const some = named([1, 2, 5]);
  return some.length > Math.min(most + 2, MOST_TICKS) ? named([1]) : some;
}
