/** Options that each `threadwise analyze …` has. */
import type { Threads } from '../run/option-values.js';
import { UsageError } from '../usage-error.js';

const BUDGET_MS = 60_000;
/** Less, and not even one round of everything that decides is made. */
const LEAST_BUDGET_MS = 2000;

/** Milliseconds. */
export function budgetOf(given = BUDGET_MS): number {
  if (given >= LEAST_BUDGET_MS) return given;
  throw new UsageError('--budget: expected at least 2s');
}

/** @param what that number is here, for the message */
export function threadsOf(given: Threads | undefined, what: string): number | undefined {
  if (given === undefined || typeof given === 'number') return given;
  throw new UsageError(`--threads: expected a number, ${what}`);
}
