/** All options of `threadwise analyze files`, checked once and resolved into one record. */
import { budgetOf, threadsOf } from '../reporting/options.js';
import { type Output, outputsOf } from '../reporting/outputs.js';
import type { Threads } from '../run/option-values.js';
import type { FolderFindings } from './findings.js';
import { VIEWS } from './report/views.js';

/** As the argument parser gives them. */
export interface RawFolderOptions {
  readonly match?: readonly string[];
  readonly dot?: boolean;
  readonly budget?: number;
  readonly threads?: Threads;
  readonly cold?: boolean;
  readonly out?: readonly string[];
  readonly quiet?: boolean;
}

export interface FolderOptions {
  readonly folder: string;
  readonly patterns: readonly string[];
  readonly dot: boolean;
  readonly budgetMs: number;
  readonly threads: number | undefined;
  readonly cold: boolean;
  readonly outputs: readonly Output<FolderFindings>[];
  readonly quiet: boolean;
}

export function resolveFolderOptions(folder: string, raw: RawFolderOptions): FolderOptions {
  return {
    folder,
    patterns: raw.match ?? [],
    dot: raw.dot === true,
    budgetMs: budgetOf(raw.budget),
    threads: threadsOf(raw.threads, 'how many read at the same time'),
    cold: raw.cold === true,
    outputs: outputsOf(raw.out, VIEWS),
    quiet: raw.quiet === true,
  };
}
