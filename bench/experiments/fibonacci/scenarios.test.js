import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fibonacci, fibonacciAll } from '../../driver/tasks.js';
import { startForEach } from './as-published.js';
import { callBatched, callEach, callInLoop } from './scenarios.js';
import { checkFor } from './numbers.js';

test('a number is right but for rounding, and others are not', () => {
  for (const index of [0, 1, 2, 50, 100, 1000, 1476, 1477, 5000]) {
    const isRight = checkFor(index);
    assert.ok(isRight(fibonacci(index)), `${index}`);
    for (const wrong of [undefined, NaN, -1, fibonacci(index + 3)])
      if (wrong !== fibonacci(index)) assert.ok(!isRight(wrong), `${index}: ${wrong}`);
  }
});

/** A pool that runs tasks here, and counts calls and how many of them are open at a time. */
function countingPool() {
  const tasks = { fibonacci, fibonacciAll };
  const seen = { calls: 0, open: 0, most: 0 };
  const call = async (name, argument) => {
    seen.calls++;
    seen.most = Math.max(seen.most, ++seen.open);
    await undefined;
    seen.open--;
    return tasks[name](argument);
  };
  return { seen, call };
}

for (const [rounds, threads, batches] of [
  [1, 2, 1],
  [100, 2, 2],
  [100, 16, 15],
  [7, 3, 3],
]) {
  test(`${rounds} rounds, ${threads} threads: each is computed once, one call each or some in one`, async () => {
    const isRight = checkFor(100);
    const made = async (make, pool) => {
      let right = 0;
      await make(pool, {
        ...{ rounds, argument: 100, threads },
        onResult: (result) => isRight(result) && right++,
      });
      return right;
    };
    const [each, batched] = [countingPool(), countingPool()];
    assert.equal(await made(callEach, each), rounds);
    assert.deepEqual([each.seen.calls, each.seen.most], [rounds, rounds]);
    assert.equal(await made(callBatched, batched), rounds);
    assert.deepEqual([batched.seen.calls, batched.seen.most], [batches, batches]);
    assert.equal(await made(callInLoop, { call: (_name, argument) => fibonacci(argument) }), rounds);
  });
}

for (const isEnding of [false, true]) {
  test(`each round has a worker of its own, and those that run at the end are too many; isEnding: ${isEnding}`, async () => {
    const isRight = checkFor(100);
    for (const [atATime, rounds] of [
      [1, 3],
      [2, 5],
      [16, 2],
    ]) {
      const results = [];
      const onResult = (one) => results.push(one);
      const opened = await startForEach({ atATime, rounds, argument: 100, isEnding, onResult });
      const ended = await opened.close();
      assert.equal(results.length, rounds);
      assert.ok(results.every(isRight));
      // Each answer but the last starts one more worker.
      assert.equal(opened.started, Math.min(atATime, rounds) + rounds - 1);
      assert.equal(ended.length, opened.started);
    }
  });
}
