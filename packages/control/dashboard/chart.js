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
export class Chart {
  #canvas;
  #surface;
  #spec;
  #samples = [];
  #now = 0;
  #minutes = 0;

  constructor(canvas, spec) {
    this.#canvas = canvas;
    this.#spec = spec;
    this.#surface = new Surface(canvas, HEIGHT, () => this.redraw());
  }

  update(samples, now) {
    this.#samples = samples;
    this.#now = now;
    this.#minutes = minutesOf(samples, now);
    this.redraw();
    this.#canvas.setAttribute('aria-label', this.#describe());
  }

  redraw() {
    const context = this.#surface.begin();
    if (context === undefined) return;
    const range = this.#range();
    this.#frame();
    // The first is the most important one and lies on top.
    this.#spec.series.forEach((_, i, { length }) => {
      this.#line(context, range, length - 1 - i);
    });
    this.#words(range);
  }

  #frame() {
    const { width, height } = this.#surface;
    const base = height - BOTTOM;
    this.#surface.rule(0, TOP, width, TOP);
    this.#surface.rule(0, base, width, base);
    this.#surface.rule(width / 2, base, width / 2, base + 3);
  }

  /** Over the lines, so that it can be read. */
  #words({ bottom, top }) {
    const { width, height } = this.#surface;
    const { axis } = this.#spec;
    this.#surface.text(axis(top), 0, TOP - 3);
    if (bottom > 0) this.#surface.text(axis(bottom), 0, height - BOTTOM - 3);
    this.#surface.text(`−${this.#minutes} min`, 0, height - 2);
    this.#surface.text('now', width, height - 2, { align: 'right' });
  }

  #line(context, range, index) {
    const { color, dash, width } = STROKES[index];
    const { pick } = this.#spec.series[index];
    context.strokeStyle = theme()[color];
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    let before;
    for (const sample of this.#samples) {
      const value = pick(sample);
      if (value === undefined) continue;
      const [x, y] = [this.#x(sample.at), this.#y(value, range)];
      if (before === undefined || sample.at - before > GAP_MS) context.moveTo(x - 1, y);
      context.lineTo(x, y);
      before = sample.at;
    }
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
  }

  #x(at) {
    return this.#surface.width * (1 - (this.#now - at) / (this.#minutes * 60_000));
  }

  #y(value, { bottom, top }) {
    const high = this.#surface.height - TOP - BOTTOM;
    const share =
      this.#spec.scale === 'log'
        ? Math.log(Math.max(value, bottom) / bottom) / Math.log(top / bottom)
        : (value - bottom) / (top - bottom);
    return TOP + high * (1 - Math.min(1, share));
  }

  #range() {
    const { scale, series, least = 0 } = this.#spec;
    if (scale === 'ratio') return { bottom: 0, top: 1 };
    let [low, high] = [Number.POSITIVE_INFINITY, least];
    for (const sample of this.#samples) {
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

  #describe() {
    const { series, format, title } = this.#spec;
    const lines = series.map(({ label, pick }) => {
      const values = this.#samples.map(pick).filter((value) => value !== undefined);
      if (values.length === 0) return `${label}: nothing yet`;
      const [now, low, high] = [values.at(-1), Math.min(...values), Math.max(...values)].map(format);
      return `${label}: now ${now}, lowest ${low}, highest ${high}`;
    });
    return `${title}, line chart of the last ${this.#minutes} minutes. ${lines.join('. ')}.`;
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
