// How much work each sample does. Tuned so that a full run of all experiments ends within 70 minutes on two cores, and a
// quick run of one experiment within half a minute.

/**
 * Times are in milliseconds. A fresh process needs most of a second until all code that runs often is compiled.
 * `files`: how many are hashed; `passes`: how often all of them are, after `warmUpPasses`; the median counts; `repeats`: how
 * often a single call is made; `followMs`: how long a pool may adapt its size before it is measured for `sizingMs`; `calls`:
 * the most where calls are counted, `publishedCalls` with a published pool; `loadMs`: how long a server is measured;
 * `fibonacciRounds`: the most rounds in which one number is computed again and again.
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

/** The published packages in a run that takes only one of them: the most used. */
const ONE_PUBLISHED = ['piscina'];

/** A quick look, not a measurement: one round does not show the noise, and the code is hardly compiled. */
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

/** Everything that a quick run has, with the least work, for tests: they check that it runs, not how fast. */
export const LEAST = {
  rounds: 1,
  isQuick: true,
  isTogether: true, // side by side, since the figures do not matter
  published: ONE_PUBLISHED,
  budget: {
    ...{ warmUpMs: 0, measureMs: 1 },
    ...{ files: 5, warmUpPasses: 1, passes: 1 },
    ...{ blockMs: 5, repeats: 1, idleMs: 5, waitMs: 5, settleMs: 0 },
    ...{ followMs: 1, sizingMs: 20 },
    ...{ calls: 200, publishedCalls: 100, loadMs: 20, fibonacciRounds: 2 },
  },
};
