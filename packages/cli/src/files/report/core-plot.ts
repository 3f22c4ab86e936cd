/** How busy the cores were over time, in characters: one line for each core, while one way read. */
import { plot } from 'asciichart';
import { perCent } from '../../analysis/words.js';
import { type Line, wrapped } from '../../report/terminal-lines.js';
import type { FolderFindings } from '../findings.js';
import type { ClassSamples, WayName, WaySamples } from '../samples.js';
import { sizesInWords } from '../sentences.js';
import { titleOf } from '../ways.js';

/** What there is to see: one core at work, and all of them. */
const PLOTTED: readonly WayName[] = ['sync-loop', 'async-all', 'workers'];
const HEIGHT_ROWS = 4;
const MOST_COLUMNS = 40;
/** With fewer samples there is no curve. */
const LEAST_SAMPLES = 4;
/** With more lines nobody sees anything: the mean of all then. */
const MOST_CORES = 4;
const LABELS = 7;

/** Of the class in which most bytes were read. */
export function corePlots({ samples }: FolderFindings, columns: number): Line[] {
  const largest = samples.classes.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (largest === undefined || columns < MOST_COLUMNS + LABELS + 4) return [];
  return PLOTTED.flatMap((name) => {
    const way = largest.warm.ways.find((each) => each.name === name);
    return way === undefined ? [] : plotOf(largest, way, columns);
  });
}

function plotOf(sizes: ClassSamples, { name, busy }: WaySamples, columns: number): Line[] {
  const samples = busy.slice(0, MOST_COLUMNS);
  if (samples.length < LEAST_SAMPLES) return [];
  const steps = samples.flatMap((shares) =>
    Array.from({ length: Math.floor(MOST_COLUMNS / samples.length) }, () => shares),
  );
  const drawn = plot(linesOf(steps), {
    min: 0,
    max: 1,
    height: HEIGHT_ROWS,
    format: (share) => perCent(share).padStart(LABELS - 1),
  });
  return [
    { text: '' },
    ...wrapped(`Cores over time: ${titleOf(name)}, files ${sizesInWords(sizes)}`, columns, '', 'bold'),
    ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
  ];
}

/** For each core its shares over time. */
function linesOf(steps: readonly (readonly number[])[]): number[][] {
  const cores = Math.min(...steps.map((shares) => shares.length));
  if (cores > MOST_CORES) {
    return [steps.map((shares) => shares.reduce((sum, share) => sum + share, 0) / shares.length)];
  }
  return Array.from({ length: cores }, (_, core) => steps.map((shares) => shares[core]!));
}
