/**
 * How long synchronous reading has held up this thread's event loop in the present turn: from its first read on, whatever else ran
 * in between, since the loop stood still for that, too.
 */
import { promised } from '../core/promised.js';

export class LoopBudget {
  /** When it began in this turn; undefined: nothing was read in it yet. */
  #begin: number | undefined;
  #nextTurn: Promise<void> = Promise.resolve();

  /** Before a read; a turn ends by itself. */
  begin(): void {
    if (this.#begin !== undefined) return;
    this.#begin = performance.now();
    const { promise, resolve } = promised();
    this.#nextTurn = promise;
    setImmediate(() => {
      this.#begin = undefined;
      resolve();
    });
  }

  isSpent(budgetMs: number): boolean {
    return this.#begin !== undefined && performance.now() - this.#begin >= budgetMs;
  }

  /**
   * To be awaited while the budget is spent, by who reads right after finding that it is not: of many that wait, the first ones spend
   * it again.
   */
  get nextTurn(): Promise<void> {
    return this.#nextTurn;
  }
}

/** All readers of a thread hold up the same loop. */
export const loopBudget = new LoopBudget();
