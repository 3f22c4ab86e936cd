/** A small line chart of the last minutes, with its text alternative. */
import { GAP_MS, minutesOf } from './history.js';
import { Surface } from './surface.js';
import { theme } from './theme.js';

const HEIGHT = 84;
const TOP = 14;
const BOTTOM = 15;
/** What is shorter than that is drawn as that: a logarithm has no zero. Milliseconds. */
const LOG_FLOOR = 0.001;
/** Lines differ by their strokes, not by their colours alone. */
export const STROKES = [
  { color: 'first', dash: [], width: 1.75 },
  { color: 'second', dash: [6, 3], width: 1.5 },
  { color: 'third', dash: [2, 3], width: 1.5 },
  { color: 'fourth', dash: [8, 3, 2, 3], width: 1.5 },
];

/**
 * `series`: `{ label, pick }`, `pick(sample)` a number or undefined. `scale`: `linear` from zero, `ratio` from 0 to 1,
 * `bytes`, or `log` for what spans decades. `least`: the top is never below that. `axis`: how its ends
 * are written, in one unit.
 */
export function makeChart(canvas, { title, series, format, axis, scale, least = 0 }) {
  const surface = new Surface(canvas, HEIGHT, redraw);
  let samples = [];
  let now = 0;
  let minutes = 0;
  return { update, redraw };

  function update(known, at) {
    samples = known;
    now = at;
    minutes = minutesOf(samples, now);
    redraw();
    canvas.setAttribute('aria-label', describe());
  }

  function redraw() {
    const context = surface.begin();
    if (context === undefined) return;
    const range = rangeOf();
    frame();
    // The first is the most important one and lies on top.
    for (let i = series.length - 1; i >= 0; i--) line(context, range, i);
    words(range);
  }

  function frame() {
    const { width, height } = surface;
    const base = height - BOTTOM;
    surface.rule(0, TOP, width, TOP);
    surface.rule(0, base, width, base);
    surface.rule(width / 2, base, width / 2, base + 3);
  }

  /** Over the lines, so that it can be read. */
  function words({ bottom, top }) {
    const { width, height } = surface;
    surface.text(axis(top), 0, TOP - 3);
    if (bottom > 0) surface.text(axis(bottom), 0, height - BOTTOM - 3);
    surface.text(`−${minutes} min`, 0, height - 2);
    surface.text('now', width, height - 2, { align: 'right' });
  }

  function line(context, range, index) {
    const { color, dash, width } = STROKES[index];
    const { pick } = series[index];
    context.strokeStyle = theme()[color];
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    let before;
    for (const sample of samples) {
      const value = pick(sample);
      if (value === undefined) continue;
      const x = surface.width * (1 - (now - sample.at) / (minutes * 60_000));
      const y = heightOf(value, range);
      if (before === undefined || sample.at - before > GAP_MS) context.moveTo(x - 1, y);
      context.lineTo(x, y);
      before = sample.at;
    }
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
  }

  function heightOf(value, { bottom, top }) {
    const share =
      scale === 'log'
        ? Math.log(Math.max(value, bottom) / bottom) / Math.log(top / bottom)
        : (value - bottom) / (top - bottom);
    return TOP + (surface.height - TOP - BOTTOM) * (1 - Math.min(1, share));
  }

  function rangeOf() {
    if (scale === 'ratio') return { bottom: 0, top: 1 };
    let [low, high] = [Number.POSITIVE_INFINITY, least];
    for (const sample of samples) {
      for (const { pick } of series) {
        const value = pick(sample);
        if (value === undefined) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (scale === 'log') return decades(low, high);
    return { bottom: 0, top: scale === 'bytes' ? roundBytes(high) : roundUp(high) };
  }

  function describe() {
    const lines = series.map(({ label, pick }) => {
      const values = samples.map(pick).filter((value) => value !== undefined);
      if (values.length === 0) return `${label}: nothing yet`;
      const [last, low, high] = [values.at(-1), Math.min(...values), Math.max(...values)].map(format);
      return `${label}: now ${last}, lowest ${low}, highest ${high}`;
    });
    return `${title}, line chart of the last ${minutes} minutes. ${lines.join('. ')}.`;
  }
}

/** The next of 1, 2, 5, 10, 20, … */
export function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((each) => each * power >= value * (1 - Number.EPSILON * 8));
  return step * power;
}

function roundBytes(value) {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(Math.max(value, 1)) / Math.log(1024)));
  return roundUp(value / unit) * unit;
}

/** Whole powers of ten around it, two at the least. */
export function decades(low, high) {
  const from = Number.isFinite(low) ? Math.floor(Math.log10(Math.max(low, LOG_FLOOR))) : 0;
  const to = Math.ceil(Math.log10(Math.max(high, LOG_FLOOR)));
  return { bottom: 10 ** from, top: 10 ** Math.max(to, from + 2) };
}
