import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callManyAtOnce, callOneByOne } from './driver.js';

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

test('makes one call at a time', async () => {
  const pool = fakePool();
  const values = await callOneByOne(pool, workload, budget);
  assert.equal(pool.seen.most, 1);
  assert.ok(values.p50Microseconds > 0);
  assert.ok(values.p99Microseconds >= values.p50Microseconds);
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
  });
}

test('a contender that rejects a call fails', async () => {
  const pool = fakePool(() => {
    throw new Error('out of order');
  });
  await assert.rejects(callManyAtOnce(pool, workload, { outstanding: 5, ...budget }), /out of order/);
});
