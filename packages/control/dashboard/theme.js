/** The style sheet's colours, for what is drawn rather than styled; they follow the viewer's colour scheme. */

const NAMES = ['ink', 'quiet', 'line', 'surface', 'first', 'second', 'third', 'fourth', 'bad'];
const PREFERENCES = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'];

let colors;

export function theme() {
  colors ??= read();
  return colors;
}

function read() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
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
