/**
 * Figures that are looked at together: so many of them, or as many as come to a sum. Their mean leaves out the largest
 * ones: those were not the code, but a collection of garbage, or another program on the core.
 */

/** One of so many is left out, and at least one of several. */
const TRIMMED = 16;

export class Window {
  readonly #most: number;
  readonly #sumMost: number;
  #figures: number[] = [];
  #sum = 0;
  #mean: number | undefined;

  constructor(most: number, sumMost = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#sumMost = sumMost;
  }

  /** Of the last window that was full; of what there is, as long as none was; undefined as long as there is nothing. */
  get mean(): number | undefined {
    return this.#mean ?? (this.#figures.length === 0 ? undefined : trimmedMean(this.#figures));
  }

  /** Whether that filled it; the next figure begins a new one. */
  add(figure: number): boolean {
    this.#figures.push(figure);
    this.#sum += figure;
    if (this.#figures.length < this.#most && this.#sum < this.#sumMost) return false;
    this.#mean = trimmedMean(this.#figures);
    this.clear();
    return true;
  }

  /** Begins anew; the mean stays. */
  clear(): void {
    this.#figures = [];
    this.#sum = 0;
  }
}

function trimmedMean(figures: readonly number[]): number {
  const kept = figures
    .toSorted((a, b) => a - b)
    .slice(0, Math.max(1, figures.length - Math.ceil(figures.length / TRIMMED)));
  return kept.reduce((sum, figure) => sum + figure, 0) / kept.length;
}
