/** What to try next: at most two lines, chosen by how the run went. */

import type { RunOptions } from './options.js';
import { type Report, speedUpOf } from './report.js';

const MAX_HINTS = 2;
/** Below this the threads hardly pay. */
const POOR_SPEED_UP = 1.2;
/** Long enough that one would not like to begin again. */
const LONG_RUN_MS = 30_000;

export function hintsFor(report: Report, options: RunOptions): string[] {
  return rules.flatMap((rule) => rule(report, options) ?? []).slice(0, MAX_HINTS);
}

type Rule = (report: Report, options: RunOptions) => string | undefined;

/** Most urgent first. */
const rules: readonly Rule[] = [
  ({ end }, { journal }) =>
    end !== 'complete' && journal !== undefined
      ? 'the same command again goes on where this run stopped'
      : undefined,
  ({ end }) =>
    end === 'failed'
      ? '--on-error skip goes on past failing inputs, --retries 2 tries them again'
      : undefined,
  (report) => {
    if ((speedUpOf(report)?.whole ?? POOR_SPEED_UP) >= POOR_SPEED_UP) return undefined;
    return 'threads hardly pay for this function and this many inputs; more work per input makes them pay';
  },
  ({ elapsedMs }, { journal, reduce }) =>
    elapsedMs > LONG_RUN_MS && journal === undefined && reduce === undefined
      ? '--journal run.journal lets a killed run go on where it stopped'
      : undefined,
  (_report, { compareInline, input }) =>
    compareInline === undefined && !(input.kind === 'lines' && input.file === undefined)
      ? '--compare-inline measures what the threads bring'
      : undefined,
  ({ threads }, { threads: asked }) =>
    threads > 1 && asked === undefined
      ? `--threads 1 shows what ${threads} threads bring over one`
      : undefined,
  (_report, { reduce }) =>
    reduce === undefined ? '--reduce <export> folds the results into one value' : undefined,
];
