/**
 * Figures that are looked at together: so many of them, or as many as come to a sum. Their mean leaves out the largest
 * ones: those were not the code, but a collection of garbage, or another program on the core.
 */

/** One of so many is left out, and at least one of several. */
const TRIMMED = 16;

export class Window {
  readonly #figures: Float64Array;
  readonly #sumMost: number;
  #count = 0;
  #sum = 0;
  #mean: number | undefined;

  constructor(most: number, sumMost = Number.POSITIVE_INFINITY) {
    this.#figures = new Float64Array(most);
    this.#sumMost = sumMost;
  }

  /** Of the last window that was full; of what there is, as long as none was; undefined as long as there is nothing. */
  get mean(): number | undefined {
    return this.#mean ?? (this.#count === 0 ? undefined : this.#trimmedMean());
  }

  /** Whether that filled it; the next figure begins a new one. */
  add(figure: number): boolean {
    this.#figures[this.#count++] = figure;
    this.#sum += figure;
    if (this.#count < this.#figures.length && this.#sum < this.#sumMost) return false;
    this.#mean = this.#trimmedMean();
    this.clear();
    return true;
  }

  /** Begins anew; the mean stays. */
  clear(): void {
    this.#count = 0;
    this.#sum = 0;
  }

  #trimmedMean(): number {
    if (this.#count === 1) return this.#figures[0]!;
    const sorted = this.#figures.slice(0, this.#count).sort();
    const kept = sorted.subarray(0, Math.max(1, this.#count - Math.ceil(this.#count / TRIMMED)));
    return kept.reduce((sum, figure) => sum + figure, 0) / kept.length;
  }
}
