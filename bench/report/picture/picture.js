// Draws a picture of an experiment as SVG: panels side by side below a legend. It needs no script and no network.
import { escaped, heightOf, labelsOf, renderPanel } from './panels.js';
import { has, mark, STYLE } from './style.js';

const WIDTH = 920;
const GAP = 16;
const LEGEND_LINE = 22;
const CHARACTER = 7.1;
const SWATCH = 40;

/**
 * @param definition { title, columns, legend: [[kind, name], …], panels }: README.md describes the kinds of panels
 * @returns SVG; undefined if there is nothing to draw
 */
export function renderPicture({ title, columns, legend, panels: wanted }) {
  const drawn = wanted.map(withoutNothing).filter((panel) => sizeOf(panel) > 0);
  if (drawn.length === 0) return undefined;
  const kinds = new Set(drawn.flatMap(kindsOf));
  const { body, height: top } = legendOf(legend.filter(([kind]) => kinds.has(kind)));
  const across = Math.min(columns ?? drawn.length, drawn.length);
  const lines = Array.from({ length: Math.ceil(drawn.length / across) }, (_, i) =>
    drawn.slice(i * across, (i + 1) * across),
  );
  let y = top;
  const places = lines.map((line) => {
    const named = line.reduce((sum, panel) => sum + labelsOf(panel), 0);
    const width = (WIDTH - GAP * (across + 1) - named) / across;
    let left = GAP;
    const panels = line.map((panel) => {
      const at = { left, top: y, width: width + labelsOf(panel), height: heightOf(panel) };
      left += at.width + GAP;
      return renderPanel(panel, at);
    });
    y += Math.max(...line.map(heightOf));
    return panels.join('\n');
  });
  const height = Math.ceil(y);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style><rect class="card" width="${WIDTH}" height="${height}" rx="8"/>`,
    body,
    ...places,
    '</svg>\n',
  ].join('\n');
}

/** A panel without what was not measured. */
function withoutNothing(panel) {
  const isThere = ({ value }) => Number.isFinite(value);
  const { series, rows, lanes } = panel;
  return {
    ...panel,
    series: series
      ?.map((one) => ({ ...one, points: one.points.filter(isThere) }))
      .filter(({ points }) => points.length > 0),
    rows: rows
      ?.map((row) => ({ ...row, marks: row.marks.filter(isThere) }))
      .filter(({ marks }) => marks.length > 0),
    lanes: lanes?.filter(({ spans }) => spans.length > 0),
  };
}

const sizeOf = ({ series, rows, lanes }) => (series ?? rows ?? lanes).length;

const kindsOf = ({ series = [], rows = [], lanes = [] }) =>
  [...series, ...rows.flatMap(({ marks }) => marks), ...lanes].map(({ kind }) => kind);

function legendOf(entries) {
  let [x, y] = [GAP, LEGEND_LINE];
  const items = entries
    .filter(([kind]) => has(kind))
    .map(([kind, name]) => {
      const width = SWATCH + name.length * CHARACTER + GAP;
      if (x > GAP && x + width > WIDTH) [x, y] = [GAP, y + LEGEND_LINE];
      const at = x;
      x += width;
      return `<path class="l ${kind}" d="M${at} ${y - 4}h30"/>${mark(kind, at + 15, y - 4)}<text x="${at + SWATCH - 4}" y="${y}">${escaped(name)}</text>`;
    });
  return { body: items.join('\n'), height: y + 14 };
}
