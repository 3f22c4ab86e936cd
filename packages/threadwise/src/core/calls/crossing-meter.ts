/** What a crossing costs: the processor time that a call to a thread takes beside running, measured on some calls where our code can see it. */
import type { PlacementLearner } from '../contracts.js';

/** One call in this many is measured, since reading the clock costs a tenth of a whole call, and all of the first, so that a figure is there soon. */
const EVERY = 64;
const FIRST = 64;
/** What it costs to be woken for results, most of it in Node and the kernel. Milliseconds; measured with `perf`, on Linux. */
const WAKE_MS = 0.005;
/** The calling thread's part counts twice, since the worker's part is taken to be as large. Chosen by hand. */
const SIDES = 2;
/** How much the last batch counts in the mean size of a batch. */
const WEIGHT = 1 / 8;
const FIGURES = 9;

/** The median of the last few figures: a collection of garbage makes one of them large, and does not move it. */
export class RollingMedian {
  readonly #figures: number[] = [];
  #next = 0;

  add(figure: number): void {
    this.#figures[this.#next] = figure;
    this.#next = (this.#next + 1) % FIGURES;
  }

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
    const last = this.#lastAt;
    this.#inBatch += count;
    if (last !== undefined) this.#settlements.add(this.#now() - last);
    this.#lastAt = last === undefined && this.#results++ % EVERY === 0 ? this.#now() : undefined;
  }

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
