/** The last few of many figures: a collection of garbage makes one of them large, and does not move their median. */

const COUNT = 9;

export class Recent {
  readonly #figures: number[] = [];
  #next = 0;

  /** Only keeps the figure, because this runs for one call in a few. */
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
