/** Shows how far a run is, on standard error: a bar on a terminal, plain lines otherwise, or nothing. */

import { count, formatBytes, formatDuration, formatRate } from '../format/figures.js';
import { canDrawOn } from '../format/text.js';
import { type Counts, type InputSource, minus } from './inputs/input-source.js';
import type { RunOptions } from './options.js';

/** Must be read anew each time: `total` falls when a listed file turns out to be the run's own output. */
type Totals = Pick<InputSource, 'total' | 'totalBytes'>;

const LINE_INTERVAL_MS = 2000;
const BAR_INTERVAL_MS = 100;

/** Resolves to the function that ends the progress. @param earlier what earlier runs of the journal did */
export async function startProgress(
  { quiet, out, reduce }: RunOptions,
  totals: Totals,
  earlier: Counts,
  counts: () => Counts,
): Promise<() => void> {
  if (quiet) return () => {};
  const begin = performance.now();
  const state = (): string => stateOf(counts(), earlier, totals, performance.now() - begin);
  const writesToTerminal = process.stdout.isTTY === true && out === undefined && reduce === undefined;
  // Results on the same terminal show the progress themselves, and a bar between them would garble both.
  if (!canDrawOn(process.stderr) || writesToTerminal) {
    const timer = setInterval(() => process.stderr.write(`${state()}\n`), LINE_INTERVAL_MS).unref();
    return () => clearInterval(timer);
  }
  // Loaded only where there is a terminal.
  const { makeBar, WHOLE } = await import('../bar.js');
  const done = (): number => WHOLE * (shareOf(counts(), totals) ?? 0);
  const hasShare = shareOf(earlier, totals) !== undefined;
  const bar = makeBar(process.stderr, `${hasShare ? '{bar} {percentage}% ' : ''}{state}`);
  bar.start(WHOLE, done(), { state: state() });
  const timer = setInterval(() => bar.update(done(), { state: state() }), BAR_INTERVAL_MS).unref();
  return () => {
    clearInterval(timer);
    bar.stop();
  };
}

/** The share that is done, from 0 to 1: of the inputs if their number is known, or else of the bytes. */
function shareOf({ inputs, bytes }: Counts, { total, totalBytes }: Totals): number | undefined {
  const [done, all] = total === undefined ? [bytes, totalBytes] : [inputs, total];
  // A file that is read may grow, and files that earlier runs have done may be gone.
  return all === undefined ? undefined : all === 0 ? 1 : Math.min(1, done / all);
}

/** "1,200 of 5,312 | 2,400/s | 1.7 s left", as far as it can be known. */
export function stateOf(counts: Counts, earlier: Counts, totals: Totals, elapsedMs: number): string {
  const now = minus(counts, earlier);
  const parts = [countOf(counts, totals)];
  if (elapsedMs > 0) parts.push(`${formatRate((now.inputs / elapsedMs) * 1000)}/s`);
  const share = shareOf(counts, totals);
  const shareNow = share === undefined ? 0 : share - (shareOf(earlier, totals) ?? 0);
  if (share !== undefined && shareNow > 0) {
    parts.push(`${formatDuration((elapsedMs * (1 - share)) / shareNow)} left`);
  }
  if (counts.failed > 0) parts.push(`${count(counts.failed)} failed`);
  return parts.join(' | ');
}

function countOf({ inputs, bytes }: Counts, { total, totalBytes }: Totals): string {
  if (total !== undefined) return `${count(inputs)} of ${count(total)}`;
  if (totalBytes === undefined) return `${count(inputs)} done`;
  return `${count(inputs)} done, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
}
