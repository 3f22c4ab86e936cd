// How much each sample does, in one place. Tuned so that a full run of all experiments ends within 70 minutes on two
// cores, and a quick one of an experiment within half a minute.

/**
 * Times in milliseconds. A fresh process needs most of a second until everything that runs often is compiled.
 * `files`: how many are hashed; `passes`: over all of them, of which the median counts, after `warmUpPasses`; `repeats`:
 * of a single call; `followMs`: in which a pool finds its size, before `sizingMs` in which it is measured; `calls`:
 * the most where they are counted, `publishedCalls` with a published pool; `loadMs`: for which a server is measured;
 * `fibonacciRounds`: the most of those in which one number is computed again and again.
 */
export const FULL = {
  rounds: 5,
  budget: {
    ...{ warmUpMs: 600, measureMs: 300 },
    ...{ files: 4096, warmUpPasses: 1, passes: 2 },
    ...{ blockMs: 500, repeats: 11, idleMs: 5000, waitMs: 1000, settleMs: 300 },
    ...{ followMs: 5000, sizingMs: 1000 },
    ...{ calls: 10_000_000, publishedCalls: 100_000, loadMs: 2000, fibonacciRounds: 100 },
  },
};

/** Of the published pools, the one that a run has which takes but one of them: the most used. */
const ONE_PUBLISHED = ['piscina'];

/** A look and not a measurement: one round says nothing about the noise, and the code is hardly compiled. */
export const QUICK = {
  rounds: 1,
  isQuick: true,
  published: ONE_PUBLISHED,
  budget: {
    ...{ warmUpMs: 100, measureMs: 100 },
    ...{ files: 1024, warmUpPasses: 1, passes: 1 },
    ...{ blockMs: 200, repeats: 2, idleMs: 500, waitMs: 200, settleMs: 100 },
    ...{ followMs: 800, sizingMs: 300 },
    ...{ calls: 200_000, publishedCalls: 5000, loadMs: 400, fibonacciRounds: 20 },
  },
};

/** Everything that a quick run has, with as little as there can be of it, for tests: whether it runs, and not how fast. */
export const LEAST = {
  rounds: 1,
  isQuick: true,
  isTogether: true, // side by side: nobody looks at the figures
  published: ONE_PUBLISHED,
  budget: {
    ...{ warmUpMs: 0, measureMs: 1 },
    ...{ files: 5, warmUpPasses: 1, passes: 1 },
    ...{ blockMs: 5, repeats: 1, idleMs: 5, waitMs: 5, settleMs: 0 },
    ...{ followMs: 1, sizingMs: 20 },
    ...{ calls: 200, publishedCalls: 100, loadMs: 20, fibonacciRounds: 2 },
  },
};
