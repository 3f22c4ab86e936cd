/** All options of `threadwise analyze files`, checked once and resolved into one record. */
import { extname } from 'node:path';
import type { Threads } from '../run/work/batch-pool.js';
import { UsageError } from '../usage-error.js';
import type { FolderFindings } from './findings.js';

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

export interface FolderOutput {
  readonly file: string;
  readonly view: FolderView;
}

export interface FolderOptions {
  readonly folder: string;
  readonly patterns: readonly string[];
  readonly dot: boolean;
  readonly budgetMs: number;
  readonly threads: number | undefined;
  readonly cold: boolean;
  readonly outputs: readonly FolderOutput[];
  readonly quiet: boolean;
}

export type FolderView = (findings: FolderFindings) => Promise<string>;

/** A new view is a line here. */
const VIEWS: Readonly<Record<string, FolderView>> = {
  '.json': async (findings) => (await import('./report/json.js')).renderFolderJson(findings),
  '.html': async (findings) => (await import('./report/html.js')).renderFolderHtml(findings),
  '.md': async (findings) => (await import('./report/markdown.js')).renderFolderMarkdown(findings),
};

const BUDGET_MS = 60_000;
/** Less, and not even one round is made. */
const LEAST_BUDGET_MS = 2000;

export function resolveFolderOptions(folder: string, raw: RawFolderOptions): FolderOptions {
  const { budget: budgetMs = BUDGET_MS, threads } = raw;
  if (budgetMs < LEAST_BUDGET_MS) throw new UsageError('--budget: expected at least 2s');
  if (threads !== undefined && typeof threads !== 'number') {
    throw new UsageError('--threads: expected a number, how many read at the same time');
  }
  return {
    folder,
    patterns: raw.match ?? [],
    dot: raw.dot === true,
    budgetMs,
    threads,
    cold: raw.cold === true,
    outputs: (raw.out ?? []).map((file) => ({ file, view: viewOf(file) })),
    quiet: raw.quiet === true,
  };
}

function viewOf(file: string): FolderView {
  const view = VIEWS[extname(file).toLowerCase()];
  if (view !== undefined) return view;
  throw new UsageError(`--out: expected a file that ends in ${Object.keys(VIEWS).join(', ')}, got '${file}'`);
}
