/** Compares the recommendation with the best that was measured: both are measured again, in turn. */
import { isDeepStrictEqual } from 'node:util';
import { createPool } from 'threadwise';
import { ratio } from '../dist/experiment/statistics.js';
import { fastest } from '../dist/subjects/function/rules/scaling.js';

const ROUNDS = 11;
/** How many milliseconds each pool is called in a round. */
const SLICE_MS = 80;
/** How many calls are open at a time, as with a server under load. */
const OUTSTANDING = 64;

/**
 * @param report as `analyze --out` writes it
 * @returns how many times the calls of the best number of threads; undefined if nothing, the best, or another way of calling is recommended
 */
export async function recommendedToBest({ recommended, alternatives, samples }, module, task, inputs) {
  const best = { threads: fastest(samples)?.threads };
  const isOtherWay = alternatives.some(({ changesVerdict }) => changesVerdict);
  if (recommended.threads === undefined || isOtherWay || isDeepStrictEqual(recommended, best))
    return undefined;
  const pools = [recommended, best].map((options) => createPool(module, options));
  const rates = pools.map(() => []);
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [i, pool] of pools.entries()) {
        const rate = await rateOf(pool, task, inputs);
        // The first round only warms up.
        if (round > 0) rates[i].push(rate);
      }
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
  return ratio(...rates);
}

/** Calls per second. */
async function rateOf(pool, task, inputs) {
  let calls = 0;
  const begin = performance.now();
  const lane = async () => {
    for (; performance.now() < begin + SLICE_MS; calls += 1)
      await pool.run(task, [inputs[calls % inputs.length]]);
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
  return (calls * 1000) / (performance.now() - begin);
}
