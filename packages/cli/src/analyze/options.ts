/** All options of `threadwise analyze`, checked against each other once and resolved into one record. */

import type { Findings } from '../analysis/findings.js';
import { budgetOf, threadsOf } from '../reporting/options.js';
import { type Output, outputsOf } from '../reporting/outputs.js';
import type { InputOptions } from '../run/inputs/open-inputs.js';
import { type RawInputOptions, resolveInput } from '../run/options.js';
import type { Threads } from '../run/option-values.js';
import { UsageError } from '../usage-error.js';
import { VIEWS } from './views.js';

/** As the argument parser gives them. */
export interface RawAnalyzeOptions extends RawInputOptions {
  readonly budget?: number;
  readonly threads?: Threads;
  readonly out?: readonly string[];
  readonly compare?: boolean;
  readonly quiet?: boolean;
}

export interface AnalyzeOptions {
  readonly kind: 'analyze';
  /** As the user gave it. */
  readonly module: string;
  readonly input: InputOptions;
  readonly budgetMs: number;
  readonly maxThreads: number | undefined;
  readonly outputs: readonly Output<Findings>[];
  readonly quiet: boolean;
}

export interface CompareOptions {
  readonly kind: 'compare';
  readonly files: readonly [string, string];
}

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
  return {
    kind: 'analyze',
    module: first,
    input: resolveInput(raw, isStdinTerminal),
    budgetMs: budgetOf(raw.budget),
    maxThreads: threadsOf(raw.threads, 'the most threads that are tried'),
    outputs: outputsOf(raw.out, VIEWS),
    quiet: raw.quiet === true,
  };
}
