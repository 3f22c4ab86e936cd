/** What the analysis says: the input of every view. Plain JSON; its JSON view is documented in docs/analyze.md. */
import type * as OfAll from '../../../experiment/rules.js';
import type { Estimate } from '../../../experiment/statistics.js';
import type { breakEvenOf } from './break-even.js';
import type { Samples, VariantName } from './samples.js';

export type Answer = 'threads' | 'inline' | 'async' | 'unknown';

export type Verdict = OfAll.Verdict<Answer>;

/** The reasons why more threads do not do more. */
export type LimitName =
  | 'cores'
  | 'memory-bandwidth'
  | 'main-thread'
  | 'serial-part'
  | 'garbage-collection'
  | 'waiting'
  | 'crossing'
  | 'memory'
  | 'none';

export interface Limit {
  readonly name: LimitName;
  /** One sentence, with its figures. */
  readonly why: string;
}

/** Options of `createPool` that are worth setting, as JSON. */
export interface Recommended {
  readonly threads?: number;
  readonly placement?: 'auto' | 'inline';
  readonly tasksPerWorker?: number;
}

/** Another way of calling, and whether it changes the verdict. */
export interface Alternative {
  readonly name: VariantName;
  /** How many times as many calls as the pool without it. */
  readonly gain: Estimate;
  readonly changesVerdict: boolean;
  readonly sentence: string;
}

export interface Findings extends OfAll.Findings<Answer, Samples> {
  readonly breakEven: ReturnType<typeof breakEvenOf>;
  /** The fewest threads with at least 0.95 times the best rate; undefined: it cannot be told. */
  readonly knee: { readonly threads: number; readonly gain: Estimate } | undefined;
  readonly limits: readonly Limit[];
  /**
   * Amdahl's law, fitted to the rates by threads: the part that does not run in parallel, and the RMS error of the fit; no error where one
   * thread was compared with only one other number, which any part fits.
   */
  readonly amdahl: { readonly serialShare: Estimate; readonly error: number | undefined } | undefined;
  /** The one that makes the most calls first: of those that change the verdict, the first is the one that is recommended. */
  readonly alternatives: readonly Alternative[];
  readonly recommended: Recommended;
  /** How many times as many calls the best number of threads makes as the calling thread alone. */
  readonly gain: Estimate | undefined;
  /** Half the range of repeated runs of the same, as a share of their median: smaller effects are not seen. */
  readonly noise: number | undefined;
}
