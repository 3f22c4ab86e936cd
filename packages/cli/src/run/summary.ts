/** What a run says when it is over: measured numbers and what to try next. Pure: a report in, text out. */

import { cut, printable } from '../format/cut.js';
import { after, count, counted, formatBytes, formatDuration, formatRate } from '../format/figures.js';
import { inColumns } from '../format/text.js';
import { type Counts, minus } from './inputs/input-source.js';
import type { InlineSample } from './inline-sample.js';
import type { RunOptions } from './options.js';

/** The numbers of a finished run. */
export interface Report {
  /** What inputs are called: files, lines, values, numbers. */
  readonly unit: string;
  readonly end: 'complete' | 'failed' | 'interrupted';
  readonly counts: Counts;
  /** The part of the counts that earlier runs of the journal did. */
  readonly earlier: Counts;
  readonly failed: number;
  readonly threads: number;
  /** How many machines of a fleet there were; undefined where the threads are this machine's. */
  readonly machines: number | undefined;
  /** How many threads ended by themselves, in a task or between two, and why the last one did. They were replaced. */
  readonly crashes: { readonly count: number; readonly last: string };
  /** The time from creating the pool to the last result. */
  readonly elapsedMs: number;
  /** The part of `elapsedMs` until the workers had loaded the module. */
  readonly startMs: number;
  readonly inline: InlineSample | undefined;
  /** Whether the inputs cannot be read again, as those of a pipe. */
  readonly isReadOnce: boolean;
}

/**
 * How many milliseconds the main thread alone would have taken, and how many times as fast the run was: as a whole, and without the
 * start of the threads. Undefined if that was not measured.
 */
function speedUpOf({ inline, counts, earlier, elapsedMs, startMs }: Report) {
  const { inputs } = minus(counts, earlier);
  if (inline === undefined || inline.inputs === 0 || inputs === 0) return undefined;
  const inlineMs = inline.estimateMs(inputs);
  return { inlineMs, whole: inlineMs / elapsedMs, started: inlineMs / (elapsedMs - startMs) };
}

/** How many characters of an error are shown. */
const MOST_REASON = 200;

export function renderSummary(report: Report, hints: readonly string[]): string {
  return [...inColumns(rows(report)), ...hints.map((hint) => `next: ${hint}`), ''].join('\n');
}

function rows(report: Report): [name: string, value: string][] {
  const { counts, earlier, failed, threads, machines, crashes, elapsedMs, startMs, unit, end } = report;
  const now = minus(counts, earlier);
  const perSecond = (amount: number): number => (amount / elapsedMs) * 1000;
  const before = earlier.inputs === 0 ? '' : `, ${count(earlier.inputs)} of them in earlier runs`;
  const byteRate = now.bytes === 0 ? '' : `, ${formatBytes(perSecond(now.bytes))}/s`;
  const on = machines === undefined ? '' : ` on ${counted(machines, 'machine')}`;
  const crashed = crashes.count === 0 ? '' : `; ${endedThreads(crashes)}`;
  const start = machines === undefined ? 'start the threads' : 'reach the fleet';
  return [
    ['inputs', `${things(counts.inputs, unit)}${endings[end]}${before}`],
    ...(counts.bytes === 0 ? [] : [['bytes', formatBytes(counts.bytes)] as [string, string]]),
    ['failed', count(failed)],
    ['rate', `${formatRate(perSecond(now.inputs))} ${unit}/s${byteRate}`],
    ['threads', `${count(threads)}${on}${crashed}`],
    ['time', `${formatDuration(elapsedMs)}, ${formatDuration(startMs)} of it to ${start}`],
    ...inlineRows(report),
  ];
}

export function endedThreads(crashes: Report['crashes']): string {
  const why = printable(cut(crashes.last.split('\n', 1)[0]!, MOST_REASON));
  const last = why === '' ? '' : `, the last by ${why}`;
  return `ended by themselves: ${count(crashes.count)}${last}`;
}

const endings: Readonly<Record<Report['end'], string>> = {
  complete: '',
  // Inputs that failed are not among them.
  failed: ' done (stopped at a failure)',
  interrupted: ' (interrupted)',
};

/** Says what was measured and what is computed from it, so that nobody takes an estimate for a measurement. */
function inlineRows(report: Report): [name: string, value: string][] {
  const { inline, unit } = report;
  if (inline === undefined) return [];
  const speedUp = speedUpOf(report);
  if (speedUp === undefined) return [['inline', 'nothing was measured']];
  const { inlineMs, whole, started } = speedUp;
  const sample = `a sample of ${things(inline.inputs, unit)} (${inline.how})`;
  const failure = inline.failure === undefined ? '' : `; in the sample failed: ${inline.failure}`;
  return [
    [
      'inline',
      `${after('about', formatDuration(inlineMs))} with reading and writing, estimated from ${sample} that took ${formatDuration(inline.ms)}${failure}`,
    ],
    ['speed-up', `${after('about', factor(whole))}, ${factor(started)} once the threads had started`],
  ];
}

function factor(value: number): string {
  if (value < 0.005) return 'less than 0.01 x';
  return `${value.toFixed(value < 10 ? 2 : 1)} x`;
}

/** All units end in a plural s. */
const things = (number: number, unit: string): string => counted(number, unit.slice(0, -1));

const MAX_HINTS = 2;
/** With a smaller speed-up, threads hardly pay. */
const POOR_SPEED_UP = 1.2;
/** After a run that took more milliseconds than this, --journal is suggested: nobody would like to repeat it. */
const LONG_RUN_MS = 30_000;

/** At most two lines, chosen by how the run went. */
export function hintsFor(report: Report, options: RunOptions): string[] {
  const { end, threads, machines, elapsedMs, isReadOnce } = report;
  const { journal, reduce, compareInline } = options;
  const isFleet = machines !== undefined;
  /** Most urgent first. */
  const rules: readonly (readonly [applies: boolean, hint: string])[] = [
    [end !== 'complete' && journal !== undefined, 'the same command again goes on where this run stopped'],
    [end === 'failed', '--on-error skip goes on past failing inputs, --retries 2 tries them again'],
    [
      (speedUpOf(report)?.whole ?? POOR_SPEED_UP) < POOR_SPEED_UP,
      'threads hardly pay for this function and this many inputs; more work per input may make them pay',
    ],
    [
      elapsedMs > LONG_RUN_MS && journal === undefined && reduce === undefined,
      '--journal run.journal lets a killed run go on where it stopped',
    ],
    [
      !isFleet && compareInline === undefined && !isReadOnce,
      '--compare-inline measures what the threads bring',
    ],
    [
      !isFleet && threads > 1 && options.threads === undefined,
      `--threads 1 shows what ${threads} threads bring over one`,
    ],
    [reduce === undefined, '--reduce <export> folds the results into one value'],
  ];
  const fitting = rules.filter(([applies]) => applies).map(([, hint]) => hint);
  return fitting.slice(0, MAX_HINTS);
}
