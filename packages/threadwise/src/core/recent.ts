/** The last few of many figures: their median is not moved by the one that met a collection of garbage. */

const COUNT = 9;

export class Recent {
  readonly #figures: number[] = [];
  #next = 0;

  /** For every few calls: so it only keeps the figure. */
  add(figure: number): void {
    this.#figures[this.#next] = figure;
    this.#next = (this.#next + 1) % COUNT;
  }

  /** Undefined as long as there is none. */
  get median(): number | undefined {
    const sorted = this.#figures.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1];
  }
}
