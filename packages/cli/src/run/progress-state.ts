/** What is known of a run that goes on, and how it reads: shared by every way of showing it. */

import { type Counts, minus } from './counts.js';
import { formatBytes, formatCount, formatDuration, formatRate } from '../format/numbers.js';

export interface Progress {
  update(counts: Counts): void;
  stop(): void;
}

export interface ProgressOptions {
  readonly style: 'bar' | 'lines' | 'none';
  readonly stream: NodeJS.WritableStream;
  /** Asked each time: the number of files may still change by our own output. */
  readonly totals: () => { readonly total: number | undefined; readonly totalBytes: number | undefined };
  /** What was done before this run began. */
  readonly earlier: Counts;
}

type Totals = ReturnType<ProgressOptions['totals']>;

/** Between 0 and 1, by inputs where their number is known and else by bytes. */
export function shareOf({ inputs, bytes }: Counts, { total, totalBytes }: Totals): number | undefined {
  if (total !== undefined) return total === 0 ? 1 : inputs / total;
  if (totalBytes !== undefined) return totalBytes === 0 ? 1 : bytes / totalBytes;
  return undefined;
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
  if (counts.failed > 0) parts.push(`${formatCount(counts.failed)} failed`);
  return parts.join(' | ');
}

function countOf({ inputs, bytes }: Counts, { total, totalBytes }: Totals): string {
  if (total !== undefined) return `${formatCount(inputs)} of ${formatCount(total)}`;
  if (totalBytes === undefined) return `${formatCount(inputs)} done`;
  return `${formatCount(inputs)} done, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
}
