/**
 * What a crossing costs: the processor time that a call to a thread takes beside running, measured on some calls of
 * many. The calling thread's part is measured where our code can see it; the rest is estimated.
 */
import type { PlacementLearner } from '../contracts.js';

/** One call in this many is measured: reading the clock costs a tenth of a whole call. */
const EVERY = 64;
/** The first ones are all measured, so that a figure is there soon. */
const FIRST = 64;
/**
 * What it costs to be woken for results, most of it in Node and the kernel, where our code cannot measure. Milliseconds;
 * measured with `perf`, on Linux.
 */
const WAKE_MS = 0.005;
/** The calling thread's part counts this many times, since the worker's part is taken to be as large. Chosen by hand. */
const SIDES = 2;
/** How much the last batch counts in the mean size of a batch. */
const WEIGHT = 1 / 8;
/** How many figures a median is of. */
const FIGURES = 9;

/** The median of the last few figures: a collection of garbage makes one of them large, and does not move it. */
export class RollingMedian {
  readonly #figures: number[] = [];
  #next = 0;

  /** Only keeps the figure, because this runs for one call in a few. */
  add(figure: number): void {
    this.#figures[this.#next] = figure;
    this.#next = (this.#next + 1) % FIGURES;
  }

  /** The median of the figures; undefined before the first one. */
  get median(): number | undefined {
    const sorted = this.#figures.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1];
  }
}

export class CrossingMeter {
  readonly #now: () => number;
  readonly #submissions = new RollingMedian();
  readonly #settlements = new RollingMedian();
  #calls = 0;
  #results = 0;
  #inBatch = 0;
  #meanBatch = 1;
  /** When the last result came, if the time to the next one is to be measured. */
  #lastAt: number | undefined;
  /** Told what a call of a function costs; undefined where all calls go the same way. */
  learner: PlacementLearner | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What a crossing costs; undefined before anything was measured. Milliseconds. */
  get costMs(): number | undefined {
    const { median } = this.#submissions;
    return median === undefined ? undefined : this.#costOf(median);
  }

  /** Whether the next call's submission is to be measured. @param isRare there are few of them to measure */
  wantsSubmission(isRare: boolean): boolean {
    const count = this.#calls++;
    return isRare || count % EVERY === 0 || count < FIRST;
  }

  submitted(name: string, ms: number): void {
    this.#submissions.add(ms);
    this.learner?.find(name)?.crossed(this.#costOf(ms));
  }

  /** Results have come. Within a batch, the time from one to the next is what taking a result costs. */
  settled(count = 1): void {
    this.#inBatch += count;
    if (this.#lastAt !== undefined) {
      this.#settlements.add(this.#now() - this.#lastAt);
      this.#lastAt = undefined;
    } else if (this.#results++ % EVERY === 0) {
      this.#lastAt = this.#now();
    }
  }

  /** The results that came together have been taken. */
  batchEnded(): void {
    this.#lastAt = undefined;
    if (this.#inBatch === 0) return;
    this.#meanBatch += (this.#inBatch - this.#meanBatch) * WEIGHT;
    this.#inBatch = 0;
  }

  #costOf(submitMs: number): number {
    const settleMs = this.#settlements.median ?? submitMs;
    return SIDES * (submitMs + settleMs + WAKE_MS / this.#meanBatch);
  }
}
