/** The style sheet's colours, for what is drawn rather than styled; they follow the viewer's colour scheme. */
import { element } from './dom.js';

const NAMES = ['ink', 'quiet', 'line', 'surface', 'first', 'second', 'third', 'fourth', 'bad'];
const PREFERENCES = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'];

let colors;

export function theme() {
  colors ??= read();
  return colors;
}

/** An element shows what a colour comes to in the viewer's scheme. */
function read() {
  const probe = element('i', { style: 'forced-color-adjust: none' });
  document.body.append(probe);
  const colorOf = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const all = Object.fromEntries(NAMES.map((name) => [name, colorOf(name)]));
  probe.remove();
  return all;
}

/** Calls back when everything must be drawn anew. */
export function onThemeChange(redraw) {
  for (const query of PREFERENCES) {
    matchMedia(query).addEventListener('change', () => {
      colors = undefined;
      redraw();
    });
  }
}

export const wantsLessMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
