/** A canvas that is as sharp as the screen and as wide as its place; drawn in CSS pixels. */
import { theme } from './theme.js';

export const FONT_PX = 11;

export class Surface {
  #canvas;
  #context;
  #width = 0;
  #height;
  #scale = 0;

  /** `redraw` is called when the place has become wider or narrower. */
  constructor(canvas, height, redraw) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d');
    this.#height = height;
    canvas.style.height = `${height}px`;
    new ResizeObserver(([entry]) => {
      const width = Math.round(entry.contentRect.width);
      if (width === this.#width) return;
      this.#width = width;
      redraw();
    }).observe(canvas);
  }

  get width() {
    return this.#width;
  }

  get height() {
    return this.#height;
  }

  set height(height) {
    if (height === this.#height) return;
    this.#height = height;
    this.#canvas.style.height = `${height}px`;
  }

  /** The cleared context, or undefined as long as it has no place. */
  begin() {
    if (this.#width === 0) return undefined;
    const scale = devicePixelRatio;
    const [wide, high] = [Math.round(this.#width * scale), Math.round(this.#height * scale)];
    if (this.#canvas.width !== wide || this.#canvas.height !== high || this.#scale !== scale) {
      this.#canvas.width = wide;
      this.#canvas.height = high;
      this.#scale = scale;
    }
    const context = this.#context;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.#width, this.#height);
    context.globalAlpha = 1;
    context.setLineDash([]);
    context.lineWidth = 1;
    context.font = `${FONT_PX}px system-ui, sans-serif`;
    return context;
  }

  /** With a halo of the ground's colour, for where it stands over something. */
  text(words, x, y, { align = 'left', baseline = 'alphabetic' } = {}) {
    const context = this.#context;
    context.strokeStyle = theme().surface;
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.fillStyle = theme().quiet;
    context.textAlign = align;
    context.textBaseline = baseline;
    context.strokeText(words, x, y);
    context.lineWidth = 1;
    context.fillText(words, x, y);
  }

  /** A line of one pixel, on whole pixels. */
  rule(x1, y1, x2, y2) {
    const context = this.#context;
    context.strokeStyle = theme().line;
    context.beginPath();
    context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
    context.stroke();
  }
}
