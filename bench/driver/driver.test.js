import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callCounted, callManyAtOnce, callOneByOne } from './driver.js';

const budget = { warmUpMs: 0, measureMs: 1 };
const workload = {
  task: 'increment',
  argument: (i) => i,
  score: (result) => result,
  expected: (argument) => argument + 1,
};

/** A pool whose calls settle one turn of the event loop later, and which counts how many are open. */
function fakePool(run = (x) => x + 1) {
  const seen = { open: 0, most: 0, calls: 0 };
  const call = async (_task, argument) => {
    const number = ++seen.calls;
    seen.most = Math.max(seen.most, ++seen.open);
    await new Promise(setImmediate);
    seen.open--;
    return run(argument, number);
  };
  return { seen, call };
}

test('keeps as many calls open as asked for, and no more', async () => {
  const pool = fakePool();
  const values = await callManyAtOnce(pool, workload, { outstanding: 50, ...budget });
  assert.equal(pool.seen.most, 50);
  assert.equal(pool.seen.open, 0);
  assert.ok(values.callsPerSecond > 0);
  assert.ok(values.cpuMicroseconds >= 0);
});

test('the result of a call that is to fail is its error; one that does not fail is a mistake', async () => {
  const failing = { ...workload, fails: true, score: ({ message }) => Number(message) };
  const expected = (argument) => new Error(`${workload.expected(argument)}`);
  const fail = (argument) => Promise.reject(expected(argument));
  const options = { outstanding: 5, ...budget };
  await callManyAtOnce(fakePool(fail), { ...failing, expected }, options);
  await assert.rejects(callManyAtOnce(fakePool(), { ...failing, expected }, options), /did not/);
});

test('makes one call at a time', async () => {
  const pool = fakePool();
  const values = await callOneByOne(pool, workload, budget);
  assert.equal(pool.seen.most, 1);
  assert.ok(values.p50Microseconds > 0);
  assert.ok(values.p99Microseconds >= values.p50Microseconds);
});

test('makes as many calls as are counted, round after round', async () => {
  const pool = fakePool();
  const values = await callCounted(pool, workload, { count: 120, outstanding: 50, ...budget });
  assert.equal(pool.seen.most, 50);
  assert.equal(pool.seen.open, 0);
  assert.ok(values.totalMs > 0);
  assert.ok(values.cpuMicroseconds >= 0);
  // A warm-up of no time is one round of 50 calls.
  assert.equal((pool.seen.calls - 50) % 120, 0);
  assert.ok(pool.seen.calls >= 170);
  assert.equal(Math.round((values.callsPerSecond * values.totalMs) / 1000), 120);
});

test('what answers at once is called in a plain loop', async () => {
  const seen = { calls: 0 };
  const call = (_task, x) => {
    seen.calls++;
    return x + 1;
  };
  const options = { count: 10, outstanding: 10, isPlain: true, ...budget };
  const values = await callCounted({ call }, workload, options);
  assert.equal(seen.calls % 10, 0);
  assert.ok(seen.calls >= 20);
  assert.ok(values.callsPerSecond > 0);
  const late = { call: async (_task, x) => x + 1 };
  await assert.rejects(
    callCounted(late, workload, options),
    /should add up to/,
    'what is a promise is not awaited',
  );
});

for (const [what, run] of [
  ['does nothing', () => undefined],
  ['gives back what it gets', (x) => x],
  ['is wrong once', (x, number) => (number === 20 ? x : x + 1)],
  ['gives one result twice', (x, number) => (number === 20 ? x + 2 : x + 1)],
]) {
  test(`a contender that ${what} is found out`, async () => {
    const wrong = /calls of 'increment' should add up to/;
    await assert.rejects(callManyAtOnce(fakePool(run), workload, { outstanding: 50, ...budget }), wrong);
    await assert.rejects(callOneByOne(fakePool(run), workload, { ...budget, measureMs: 20 }), wrong);
    await assert.rejects(
      callCounted(fakePool(run), workload, { count: 60, outstanding: 50, ...budget }),
      wrong,
    );
  });
}

test('a contender that rejects a call fails', async () => {
  const pool = fakePool(() => {
    throw new Error('out of order');
  });
  await assert.rejects(callManyAtOnce(pool, workload, { outstanding: 5, ...budget }), /out of order/);
});
