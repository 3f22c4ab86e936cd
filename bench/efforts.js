// How much each sample does, in one place. Tuned so that a full run of an experiment ends within half an hour on two
// cores.

/**
 * Times in milliseconds. A fresh process needs most of a second until everything that runs often is compiled.
 * `files`: how many are hashed; `passes`: over all of them, of which the median counts, after `warmUpPasses`; `repeats`:
 * of a single call; `followMs`: in which a pool finds its size, before `sizingMs` in which it is measured; `calls`:
 * the most where they are counted, `publishedCalls` with a published pool; `loadMs`: for which a server is measured.
 */
export const FULL = {
  rounds: 5,
  budget: {
    ...{ warmUpMs: 600, measureMs: 400 },
    ...{ files: 4096, warmUpPasses: 2, passes: 2 },
    ...{ blockMs: 500, repeats: 15, idleMs: 10_000, waitMs: 1000, settleMs: 300 },
    ...{ followMs: 5000, sizingMs: 2000 },
    ...{ calls: 10_000_000, publishedCalls: 100_000, loadMs: 3000 },
  },
};

/** A look and not a measurement: one round says nothing about the noise. */
export const QUICK = {
  rounds: 1,
  budget: {
    ...{ warmUpMs: 600, measureMs: 200 },
    ...{ files: 4096, warmUpPasses: 1, passes: 1 },
    ...{ blockMs: 500, repeats: 5, idleMs: 2000, waitMs: 1000, settleMs: 300 },
    ...{ followMs: 2000, sizingMs: 500 },
    ...{ calls: 10_000_000, publishedCalls: 10_000, loadMs: 500 },
  },
};

/** Everything once, for tests: whether it runs, and not how fast. */
export const LEAST = {
  rounds: 1,
  budget: {
    ...{ warmUpMs: 0, measureMs: 1 },
    ...{ files: 5, warmUpPasses: 1, passes: 1 },
    ...{ blockMs: 5, repeats: 1, idleMs: 5, waitMs: 5, settleMs: 0 },
    ...{ followMs: 1, sizingMs: 20 },
    ...{ calls: 200, publishedCalls: 100, loadMs: 20 },
  },
};
