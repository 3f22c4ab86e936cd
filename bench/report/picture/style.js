// The style of pictures: each kind of row has its own colour, line and mark, so that none is told by its colour alone.
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle, symbolWye } from 'd3-shape';

/** For each kind: its colours [light, dark], the dashes of its line, its mark. */
const KINDS = {
  published: [['#5b6570', '#a5afba'], '7 4', symbolDiamond],
  rebuilt: [['#a3123f', '#ff8fab'], '', symbolSquare],
  ours: [['#0b5cad', '#6db3ff'], '', symbolCircle],
  ours2: [['#00695f', '#4fd1c5'], '9 3', symbolTriangle],
  ours3: [['#4a6b00', '#b5d96a'], '2 3', symbolWye],
  other: [['#6b3fa0', '#c9a6ff'], '9 3 2 3', symbolTriangle],
  inline: [['#8a4b00', '#ffb454'], '4 2', undefined],
};

const CARD = { ground: ['#ffffff', '#171c23'], text: ['#1b1f24', '#e6e9ee'], muted: ['#525c66', '#a5afba'] };
const LINES = { grid: ['#d9dfe5', '#333c47'], axis: ['#525c66', '#a5afba'] };

const MARK_AREA = 46;

export const has = (kind) => kind in KINDS;

/** Draws the mark of a kind. @param isSmall whether many marks are close to each other */
export function mark(kind, x, y, isSmall = false) {
  const [, , shape] = KINDS[kind];
  if (shape === undefined) return '';
  const path = symbol(shape, isSmall ? MARK_AREA / 2 : MARK_AREA)();
  return `<path class="m ${kind}" transform="translate(${tenth(x)} ${tenth(y)})" d="${rounded(path)}"/>`;
}

/** Rounds to a tenth of a unit of the drawing. */
export const tenth = (value) => Math.round(value * 10) / 10;

const rounded = (path) => path.replace(/-?\d+\.\d+/g, (number) => String(tenth(Number(number))));

function colours(shade) {
  const { ground, text, muted } = CARD;
  const kinds = Object.entries(KINDS).map(([kind, [both]]) => `.${kind}{--c:${both[shade]}}`);
  return [
    `svg{--ground:${ground[shade]};--text:${text[shade]};--muted:${muted[shade]}}`,
    `.grid{stroke:${LINES.grid[shade]}}.axis{stroke:${LINES.axis[shade]}}`,
    ...kinds,
  ].join('');
}

const dashes = Object.entries(KINDS).flatMap(([kind, [, dash]]) =>
  dash === '' ? [] : [`.l.${kind}{stroke-dasharray:${dash}}`],
);

/** Light or dark, as the reader's system asks for. */
export const STYLE = [
  colours(0),
  `@media(prefers-color-scheme:dark){${colours(1)}}`,
  '.card{fill:var(--ground)}text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--muted)}',
  '.strong{fill:var(--text);font-weight:600}.grid,.axis{fill:none}',
  '.l{fill:none;stroke:var(--c);stroke-width:2}.b{fill:var(--c);fill-opacity:.18}',
  '.m{fill:var(--c);stroke:var(--ground)}.published.m{fill:var(--ground);stroke:var(--c);stroke-width:1.6}',
  '.w{fill:none;stroke:var(--c);stroke-width:1.6}.s{fill:var(--c)}',
  ...dashes,
].join('');
