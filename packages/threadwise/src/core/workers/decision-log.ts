/** The last decisions about a pool's size, for whoever asks why it is as large as it is. */
import type { SizingDecision } from './sizer.js';

/** How many are kept. Chosen by hand: a screen or two. */
const KEPT = 64;

export class DecisionLog {
  readonly #decisions: SizingDecision[] = [];

  add(decision: SizingDecision): void {
    this.#decisions.push(decision);
    if (this.#decisions.length > KEPT) this.#decisions.shift();
  }

  /** The oldest first. */
  snapshot(): readonly SizingDecision[] {
    return [...this.#decisions];
  }
}
