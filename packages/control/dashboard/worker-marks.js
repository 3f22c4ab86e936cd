/** How a worker's state is drawn, in the time line and in its legend: by shape, so that it can be told without colours. */
import { element } from './dom.js';
import { percent } from './format.js';
import { Surface } from './surface.js';
import { theme } from './theme.js';

/** Of a worker that does nothing: still to be seen. */
const FAINTEST = 0.1;
/** Of the line below a worker that has a task. */
const LINE_PX = 2;
/** Between the strokes of one that starts. */
const HATCH_PX = 4;

/** `busy`: share of time in which its event loop was active, 0 to 1. `load`: tasks that it has. */
export function drawMark(context, { state, busy, load }, { x, y, wide, high }) {
  const { ink, first, quiet, bad } = theme();
  const fill = (color, top, height) => {
    context.fillStyle = color;
    context.fillRect(x, top, wide, height);
  };
  switch (state) {
    case 'ready':
      context.globalAlpha = FAINTEST + (1 - FAINTEST) * busy;
      fill(first, y, high);
      context.globalAlpha = 1;
      // A worker that waits for something is not idle, and its event loop is.
      if (load > 0) fill(ink, y + high - LINE_PX, LINE_PX);
      return;
    case 'retiring':
      return fill(first, y + high / 2, high / 2);
    case 'starting':
      context.fillStyle = quiet;
      for (let at = Math.ceil(x / HATCH_PX) * HATCH_PX; at < x + wide; at += HATCH_PX) {
        context.fillRect(at, y, 1.5, high);
      }
      return;
    case 'stopping':
      return fill(quiet, y + high / 2 - 1, LINE_PX);
    default:
      return fill(bad, y, LINE_PX);
  }
}

const LEGEND = [
  [{ state: 'ready', busy: 0, load: 0 }, `ready, event loop ${percent(0)} busy`],
  [{ state: 'ready', busy: 0.5, load: 0 }, percent(0.5)],
  [{ state: 'ready', busy: 1, load: 0 }, percent(1)],
  [{ state: 'ready', busy: 0, load: 1 }, 'has a task'],
  [{ state: 'starting' }, 'starting'],
  [{ state: 'retiring' }, 'retiring'],
  [{ state: 'stopping' }, 'stopping'],
  [{ state: 'dead' }, 'dead'],
];
const SWATCH_HEIGHT = 12;

/** Returns what draws it anew, in other colours. */
export function makeLegend(parent) {
  const redraws = LEGEND.map(([mark, label]) => {
    const canvas = element('canvas', { class: 'swatch', 'aria-hidden': 'true' });
    parent.append(element('span', {}, canvas, label));
    const surface = new Surface(canvas, SWATCH_HEIGHT, () => redraw());
    const redraw = () => {
      const context = surface.begin();
      if (context === undefined) return;
      drawMark(context, mark, { x: 0, y: 0, wide: surface.width, high: surface.height });
    };
    return redraw;
  });
  return () => {
    for (const redraw of redraws) redraw();
  };
}
