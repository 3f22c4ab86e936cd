import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fibonacci, fibonacciAll } from '../../driver/tasks.js';
import { callChained } from './as-published.js';
import { callBatched, callEach, callInLoop } from './calling.js';
import { checkFor } from './numbers.js';
import { Results } from './results.js';

test('a number is right but for rounding, and others are not', () => {
  for (const index of [0, 1, 2, 50, 100, 1000, 1476, 1477, 5000]) {
    const isRight = checkFor(index);
    assert.ok(isRight(fibonacci(index)), `${index}`);
    for (const wrong of [undefined, NaN, -1, fibonacci(index + 3)])
      if (wrong !== fibonacci(index)) assert.ok(!isRight(wrong), `${index}: ${wrong}`);
  }
});

/** Runs tasks here, and counts calls and how many of them are open at a time. */
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

for (const count of [1, 99, 100, 2500]) {
  test(`${count} numbers: each is computed once, one call each or many in one`, async () => {
    const isRight = checkFor(100);
    const made = async (make, pool) => {
      let right = 0;
      await make(pool, {
        count,
        argument: 100,
        threads: 2,
        onResult: (result) => isRight(result) && right++,
      });
      return right;
    };
    const [each, batched] = [countingPool(), countingPool()];
    assert.equal(await made(callEach, each), count);
    assert.deepEqual([each.seen.calls, each.seen.most], [count, Math.min(count, 1000)]);
    assert.equal(await made(callBatched, batched), count);
    assert.equal(batched.seen.calls, { 1: 1, 99: 2, 100: 2, 2500: 3 }[count]);
    assert.equal(await made(callInLoop, { call: (_name, argument) => fibonacci(argument) }), count);
  });
}

test('workers that are started by the first calls make all of them, and not more of them than calls', async () => {
  const isRight = checkFor(100);
  for (const [threads, count] of [
    [2, 25],
    [3, 2],
  ]) {
    const results = [];
    const opened = await callChained({ threads, count, argument: 100, onResult: (one) => results.push(one) });
    const ended = await opened.close();
    assert.deepEqual([results.length, ended.length], [count, Math.min(threads, count)]);
    assert.ok(results.every(isRight));
  }
});

test('of more results than there were, the others take as long as the second half did', () => {
  let time = 100;
  const results = new Results(
    10,
    (result) => result === 'right',
    () => time,
  );
  results.start();
  time += 50; // threads start
  for (let i = 0; i < 10; i++) {
    time += 2;
    results.take('right');
  }
  assert.equal(results.timeOf(10), 70);
  assert.equal(results.timeOf(110), 70 + 100 * 2);
});

test('a result that is wrong, or does not come, is seen', () => {
  const results = new Results(2, (result) => result === 'right');
  results.start();
  results.take('right');
  assert.throws(() => results.timeOf(2), /results that came, and are right/);
  results.take('wrong');
  assert.throws(() => results.timeOf(2), /results that came, and are right/);
  results.take('right');
  assert.ok(results.timeOf(2) >= 0);
});
