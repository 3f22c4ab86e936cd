/** The figures of the last ten seconds or so: all that was measured so far, minus what an earlier look saw. So recording a call costs no more. */
import { type Distribution, Histogram } from './histogram.js';

/** How many milliseconds a window reaches back if somebody looks often enough. */
const WINDOW_MS = 10_000;
/** A look is kept if the last kept one is at least this long ago, so that at most eleven are kept. Milliseconds. */
const SPACING_MS = 1000;

/** Times of calls that ended lately. */
export interface RecentTimes {
  /**
   * How long ago the window began: at the last look at the figures (`stats()`) that was at least ten seconds ago; if there was none, when
   * the pool was created. Milliseconds.
   */
  readonly ms: number;
  /** Running time of tasks. */
  readonly runMs: Distribution;
  /** Time of these calls in which their task did not run. */
  readonly waitMs: Distribution;
}

interface Look {
  readonly at: number;
  readonly run: Histogram;
  readonly wait: Histogram;
}

export class Recent {
  /** Oldest first; the window begins with the first. */
  readonly #looks: Look[];

  constructor(startedAt: number) {
    this.#looks = [{ at: startedAt, run: new Histogram(), wait: new Histogram() }];
  }

  /** @param look all that was measured so far; it is kept, and must not change */
  times(look: Look): RecentTimes {
    const looks = this.#looks;
    const { at, run, wait } = look;
    while (looks.length > 1 && at - looks[1]!.at >= WINDOW_MS) looks.shift();
    const begin = looks[0]!;
    if (at - looks.at(-1)!.at >= SPACING_MS) looks.push(look);
    const [runMs, waitMs] = [run.since(begin.run).snapshot(), wait.since(begin.wait).snapshot()];
    return { ms: Math.max(0, at - begin.at), runMs, waitMs };
  }
}
