/** How many tasks a worker is handed beyond those it can begin, so that tiny tasks share a message. */

/**
 * Work that may lie unbegun at a worker, in milliseconds: long enough to hide the crossing (about 0.02 ms there and
 * back), short enough not to matter to the tasks that wait behind it. Chosen by hand.
 */
const TARGET_MS = 0.5;
/** The most tasks that may lie unbegun at a worker. */
export const MAX_PREFETCH = 64;
/** Weight of the newest run time in the moving average. */
const NEWEST_WEIGHT = 0.1;
/** How many functions' run times are remembered at the most. */
const MAX_NAMES = 1000;

export class Prefetch {
  readonly #averageMs = new Map<string, number>();

  /** Notes a run time. One long run resets the average, so that a burst does not pile up behind a slow task. */
  observe(name: string, runMs: number): void {
    const average = this.#averageMs.get(name);
    const isJump = average === undefined || runMs > Math.max(TARGET_MS, average);
    if (average === undefined && this.#averageMs.size >= MAX_NAMES) this.#averageMs.clear();
    this.#averageMs.set(name, isJump ? runMs : average + (runMs - average) * NEWEST_WEIGHT);
  }

  /** How many tasks of this function may lie unbegun at a worker; 0 before any has ended. */
  depth(name: string): number {
    return prefetchDepth(this.#averageMs.get(name));
  }
}

/** @param averageMs mean run time of such tasks. Default: not known, and taken to be long */
export function prefetchDepth(averageMs = Number.POSITIVE_INFINITY): number {
  return Math.min(MAX_PREFETCH, Math.floor(TARGET_MS / Math.max(averageMs, TARGET_MS / MAX_PREFETCH)));
}
