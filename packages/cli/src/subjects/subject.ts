/** What can be analysed. Each subject has a folder of its own; the interface is what the code that all subjects share needs of it. */
import type { Command } from 'commander';
import type { NamedFile } from '../disk/file-id.js';
import type { Findings } from '../experiment/rules.js';
import type { Plan, Progress } from '../experiment/session.js';
import type { Report } from '../report/model.js';
import { outputsOf } from '../report/outputs.js';
import { duration } from '../format/figures.js';
import { parseDuration, parseWhole } from '../run/option-values.js';
import { UsageError } from '../exit-code.js';

export interface Subject<P extends Plan, Samples, F extends Findings> {
  /** @param look is given the samples so far, and returns the answer if there is no doubt about it */
  measure(plan: P, progress: Progress, look: (samples: Samples) => string | undefined): Promise<Samples>;
  /** Samples in, findings out: no clock, no I/O. */
  analyze(samples: Samples): F;
  /** Whether nothing in the findings is in doubt: they may have more parts than the answer. */
  isCertain?(findings: F): boolean;
  report(findings: F): Report;
}

/** Options that each subject has, as the argument parser gives them. */
export interface RawOptions {
  readonly budget?: number;
  readonly threads?: number;
  readonly out?: readonly string[];
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Adds `--budget`, and `--threads`, which means something else for each subject. */
export function addMeasuring(command: Command, threads: string): Command {
  return command
    .option('--threads <n>', threads, parseWorkers)
    .option('--budget <time>', 'the longest time to measure: 30s, 2m (default: 60s)', parseDuration);
}

export function parseCount(text: string): number {
  return parseWhole(text, 1, 'Expected a number of at least 1.');
}

export function addOutputs(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--out <files...>', 'write a report; its ending says which: .json, .html, .md')
    .option('--verbose', 'all figures on the terminal, too')
    .option('--quiet', 'no progress');
}

export const EXIT_CODES =
  "Exit codes: 0 a verdict, also 'cannot tell', 1 a report could not be written, 2 usage or bad input, 129 the\nterminal went away, 130 interrupted, 143 terminated.";

/** How many threads a pool of the library has at most; as many processes are more than any machine has memory for. */
const MOST_WORKERS = 1024;

/** A number of threads or processes. */
export function parseWorkers(text: string): number {
  return parseWhole(text, 1, `Expected a number from 1 to ${MOST_WORKERS}.`, MOST_WORKERS);
}

/** Where the report goes, and what may not be overwritten by it. */
export type Reporting = ReturnType<typeof reportingOf>;

/** @param read the files that the analysis reads */
export function reportingOf({ out, quiet = false, verbose = false }: RawOptions, read: readonly NamedFile[]) {
  return { outputs: outputsOf(out), read, quiet, isVerbose: verbose };
}

const BUDGET_MS = 60_000;
/** With a smaller budget there would not even be one round of everything that decides. */
const LEAST_BUDGET_MS = 2000;

/** Milliseconds. */
export function budgetOf({ budget = BUDGET_MS }: RawOptions): number {
  if (budget >= LEAST_BUDGET_MS) return budget;
  throw new UsageError(`--budget: expected at least 2s, got ${duration(budget)}`);
}
