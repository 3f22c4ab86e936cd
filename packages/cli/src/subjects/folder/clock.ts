/** The time that a measurement of a folder has, and who watches it. */
import type { FolderEvents, FolderPlan } from './plan.js';

/** An answer that should come at once comes within that, or never. Milliseconds. */
const LEAST_PATIENCE_MS = 10_000;

export class Clock {
  readonly #plan: FolderPlan;
  readonly #events: FolderEvents;
  readonly #begin = performance.now();

  constructor(plan: FolderPlan, events: FolderEvents) {
    this.#plan = plan;
    this.#events = events;
  }

  get remainingMs(): number {
    return Math.max(0, this.#plan.budgetMs - (performance.now() - this.#begin));
  }

  get isOver(): boolean {
    return this.#plan.signal.aborted || this.remainingMs === 0;
  }

  /** How long an answer may take that should take `expectedMs`. */
  patience(expectedMs = 0): number {
    return LEAST_PATIENCE_MS + 5 * expectedMs;
  }

  say(what: string): void {
    const done = 1 - this.remainingMs / this.#plan.budgetMs;
    this.#events.progress({ what, done: Math.min(1, Math.max(0, done)) });
  }
}
