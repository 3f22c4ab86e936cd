/** How busy the cores were over time, in characters: one line for each core. */
import { plot } from 'asciichart';
import { perCent } from '../../../format/words.js';
import { type Line, wrapped } from '../../../report/terminal-lines.js';
import type { FolderFindings } from '../findings.js';
import { type CoreTimes, coreTimes } from './core-times.js';

const HEIGHT_ROWS = 4;
const MOST_COLUMNS = 40;
const MOST_CORES = 4;
const LABELS = 7;

export function corePlots(findings: FolderFindings, columns: number): Line[] {
  if (columns < MOST_COLUMNS + LABELS + 4) return [];
  return coreTimes(findings, MOST_COLUMNS, MOST_CORES).flatMap((times) => plotOf(times, columns));
}

function plotOf({ title, lines }: CoreTimes, columns: number): Line[] {
  const drawn = plot(
    lines.map(({ shares }) => stretched(shares)),
    {
      min: 0,
      max: 1,
      height: HEIGHT_ROWS,
      format: (share) => perCent(share).padStart(LABELS - 1),
    },
  );
  return [
    { text: '' },
    ...wrapped(title, columns, '', 'bold'),
    ...drawn.split('\n').map((text) => ({ text: `  ${text}` })),
  ];
}

function stretched(shares: readonly number[]): number[] {
  return shares.flatMap((share) =>
    Array.from({ length: Math.floor(MOST_COLUMNS / shares.length) }, () => share),
  );
}
