/** What a run says when it is over: measured numbers and what to try next. Pure: a report in, text out. */

import Table from 'cli-table3';
import { noBorders } from '../format/no-borders.js';
import { minus } from './counts.js';
import { formatBytes, formatCount, formatDuration, formatRate } from '../format/numbers.js';
import { type Report, speedUpOf } from './report.js';

type Row = [name: string, value: string];

export function renderSummary(report: Report, hints: readonly string[]): string {
  const table = new Table({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
  });
  table.push(...rows(report));
  const lines = table.toString().split('\n');
  const next = hints.map((hint) => `next: ${hint}`);
  return [...lines.map((line) => line.trimEnd()), ...next, ''].join('\n');
}

function rows(report: Report): Row[] {
  const { counts, earlier, failed, threads, elapsedMs, startMs, unit, end } = report;
  const now = minus(counts, earlier);
  const perSecond = (amount: number): number => (amount / elapsedMs) * 1000;
  const before = earlier.inputs === 0 ? '' : `, ${formatCount(earlier.inputs)} of them in earlier runs`;
  const byteRate = now.bytes === 0 ? '' : `, ${formatBytes(perSecond(now.bytes))}/s`;
  return [
    ['inputs', `${formatCount(counts.inputs)} ${nameOf(unit, counts.inputs)}${endings[end]}${before}`],
    ...(counts.bytes === 0 ? [] : [['bytes', formatBytes(counts.bytes)] satisfies Row]),
    ['failed', formatCount(failed)],
    ['rate', `${formatRate(perSecond(now.inputs))} ${unit}/s${byteRate}`],
    ['threads', formatCount(threads)],
    ['time', `${formatDuration(elapsedMs)}, ${formatDuration(startMs)} of it to start the threads`],
    ...inlineRows(report),
  ];
}

const endings: Readonly<Record<Report['end'], string>> = {
  complete: '',
  failed: ' (stopped at a failure)',
  interrupted: ' (interrupted)',
};

/** Says what was measured and what is computed from it, so that nobody takes an estimate for a measurement. */
function inlineRows(report: Report): Row[] {
  const { inline, unit } = report;
  if (inline === undefined) return [];
  const speedUp = speedUpOf(report);
  if (speedUp === undefined) return [['inline', 'nothing was measured']];
  const { inlineMs, whole, started } = speedUp;
  const sample = `a sample of ${formatCount(inline.inputs)} ${nameOf(unit, inline.inputs)} (${inline.how})`;
  const failure = inline.failure === undefined ? '' : `; in the sample failed: ${inline.failure}`;
  return [
    [
      'inline',
      `about ${formatDuration(inlineMs)}, estimated from ${sample} that took ${formatDuration(inline.ms)}${failure}`,
    ],
    ['speed-up', `about ${factor(whole)}, ${factor(started)} once the threads had started`],
  ];
}

function factor(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} x`;
}

/** The units end in a plural s. */
function nameOf(unit: string, count: number): string {
  return count === 1 ? unit.slice(0, -1) : unit;
}
