/**
 * What is recommended does as well as the best that was measured, but for a twentieth, or for no more than what is not worth a thread: both are
 * measured again, in turn, and it fails only where the interval leaves no doubt.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createPool } from 'threadwise';
import { analyze } from '../dist/subjects/function/rules/analyze.js';
import { certainAnswer, WORTH_IT } from '../dist/experiment/rules.js';
import { ratio } from '../dist/experiment/statistics.js';
import { fastest } from '../dist/subjects/function/rules/scaling.js';
import { measure } from '../dist/subjects/function/measure/measure.js';

const MODULE = new URL('fixtures/analyze/verdicts.mjs', import.meta.url);
const BUDGET_MS = 5000;
const ENOUGH = 0.95;
const ENOUGH_INLINE = 1 / WORTH_IT;
const ROUNDS = 11;
/** Of each, in a round. Milliseconds. */
const SLICE_MS = 80;
const OUTSTANDING = 64;
/** Of the cores' time. */
const MOSTLY_OTHERS = 0.4;

/** Calls a second, with as many outstanding as a server under load has. */
async function rateOf(pool, task, input) {
  let calls = 0;
  const begin = performance.now();
  const lane = async () => {
    for (; performance.now() < begin + SLICE_MS; calls += 1) await pool.run(task, [input]);
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
  return (calls * 1000) / (performance.now() - begin);
}

async function inTurn(task, input, ...options) {
  const pools = options.map((each) => createPool(MODULE, each));
  const rates = pools.map(() => []);
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [i, pool] of pools.entries()) {
        const rate = await rateOf(pool, task, input);
        // The first is cold.
        if (round > 0) rates[i].push(rate);
      }
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
  return rates;
}

for (const [task, input] of [
  ['fibonacci', 100],
  ['fibonacciModulo', 20_000],
  ['hash', new Uint8Array(65_536)],
]) {
  test(`what is recommended does as well as the best of the sweep: ${task}`, async (t) => {
    const samples = await measure(
      {
        module: MODULE.href,
        moduleGiven: 'verdicts.mjs',
        export: task,
        inputs: [input],
        inputCount: 1,
        inputsHow: 'all',
        budgetMs: BUDGET_MS,
        signal: new AbortController().signal,
      },
      { progress() {} },
      (soFar) => certainAnswer(analyze(soFar).verdict),
    );
    const { recommended } = analyze(samples);
    const most = fastest(samples);
    if (most === undefined) return t.skip('there was no time for a single round');
    const best = { threads: most.threads };
    t.diagnostic(`${JSON.stringify(recommended)}, and the best was ${JSON.stringify(best)}`);
    if (isDeepStrictEqual(recommended, best)) return;
    // Who has more threads gets more of cores that others want: then the one measurement says nothing of the other.
    if (samples.machine.othersShare > MOSTLY_OTHERS) return t.skip('other programs had most of the cores');
    const [own, other] = await inTurn(task, input, recommended, best);
    const { value, high } = ratio(own, other);
    t.diagnostic(`${value.toFixed(2)}, at most ${high.toFixed(2)}`);
    const enough = recommended.placement === 'inline' ? ENOUGH_INLINE : ENOUGH;
    assert.ok(high >= enough, `surely no more than ${high} of the best`);
  });
}
