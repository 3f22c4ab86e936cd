/** All options of `threadwise analyze`, checked against each other once and resolved into one record. */

import type { InputOptions } from '../run/inputs/open-inputs.js';
import { type RawInputOptions, resolveInput } from '../run/options.js';
import type { Threads } from '../run/work/batch-pool.js';
import { UsageError } from '../usage-error.js';
import { type View, viewOf } from './views.js';

/** As the argument parser gives them. */
export interface RawAnalyzeOptions extends RawInputOptions {
  readonly budget?: number;
  readonly threads?: Threads;
  readonly out?: readonly string[];
  readonly compare?: boolean;
  readonly quiet?: boolean;
}

export interface Output {
  readonly file: string;
  readonly view: View;
}

export interface AnalyzeOptions {
  readonly kind: 'analyze';
  /** As the user gave it. */
  readonly module: string;
  readonly input: InputOptions;
  readonly budgetMs: number;
  readonly maxThreads: number | undefined;
  readonly outputs: readonly Output[];
  readonly quiet: boolean;
}

export interface CompareOptions {
  readonly kind: 'compare';
  readonly files: readonly [string, string];
}

const BUDGET_MS = 60_000;
/** Less, and not even one round of everything that decides is made. */
const LEAST_BUDGET_MS = 2000;

export function resolveAnalyzeOptions(
  first: string | undefined,
  second: string | undefined,
  raw: RawAnalyzeOptions,
  isStdinTerminal: boolean,
): AnalyzeOptions | CompareOptions {
  if (raw.compare === true) {
    if (first === undefined || second === undefined) {
      throw new UsageError('--compare: expected two reports, such as before.json after.json');
    }
    return { kind: 'compare', files: [first, second] };
  }
  if (first === undefined) throw new UsageError('expected a module, such as ./tasks.js#hash');
  if (second !== undefined) throw new UsageError(`unexpected '${second}' after the module`);
  const { budget: budgetMs = BUDGET_MS, threads } = raw;
  if (budgetMs < LEAST_BUDGET_MS) throw new UsageError('--budget: expected at least 2s');
  if (threads !== undefined && typeof threads !== 'number') {
    throw new UsageError('--threads: expected a number, the most threads that are tried');
  }
  return {
    kind: 'analyze',
    module: first,
    input: resolveInput(raw, isStdinTerminal),
    budgetMs,
    maxThreads: threads,
    outputs: (raw.out ?? []).map((file) => ({ file, view: viewOf(file) })),
    quiet: raw.quiet === true,
  };
}
