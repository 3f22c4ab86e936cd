/** What a measurement is asked for, and how it says how far it is. */
import type { Passing } from '../../../run/work/passing.js';

export interface MeasurePlan {
  /** A file URL. */
  readonly module: string;
  /** As the user gave it, for messages and for the report. */
  readonly moduleGiven: string;
  /** Undefined: the default export, or the only function there is. */
  readonly export: string | undefined;
  /** One for each call. */
  readonly inputs: readonly unknown[];
  /** What the function gets of an input; by default the input itself. */
  readonly passing?: Passing;
  /** How many there were, of which these were taken. */
  readonly inputCount: number;
  /** Where they come from, and how they were chosen, in words. */
  readonly inputsHow: string;
  readonly budgetMs: number;
  readonly maxThreads?: number;
  /** Aborted: what is known so far is returned. */
  readonly signal: AbortSignal;
}

export interface MeasureEvents {
  /** `done`: of the budget, 0 to 1. */
  progress(step: { readonly what: string; readonly done: number }): void;
}
