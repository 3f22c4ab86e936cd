import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAttempts } from './attempts.js';
import type { Batch, BatchResult } from './batch.js';
import { type Behaviour, failure, fakePool, poolError, success } from './pool.test.fake.js';

const batchOf = (...values: unknown[]): Batch => ({
  inputs: values.map((value, position) => ({ value, position, bytes: 0 })),
});

function attempt(behaviour: Behaviour, batch: Batch, { retries = 0, stopsAtFailure = false } = {}) {
  const pool = fakePool(behaviour);
  const result = createAttempts(pool.run, { retries, stopsAtFailure })(batch);
  return { pool, result };
}

const failedAt = ({ failures }: BatchResult): number[] => failures.map(({ at }) => at);

/** Crashes whenever `culprit` is in the batch. */
const crashing =
  (culprit: unknown): Behaviour =>
  (values) => {
    if (values.includes(culprit)) throw poolError('ERR_WORKER_CRASHED');
    return success(values);
  };

test('a batch that succeeds is one call', async () => {
  const { pool, result } = attempt(success, batchOf(1, 2, 3));
  assert.equal((await result).text, '1\n2\n3\n');
  assert.equal(pool.calls.length, 1);
});

test('results of a batch that no string can hold end the run in words, with what to do about it', async () => {
  const text = 'x'.repeat(300 * 2 ** 20);
  const large: Behaviour = (values) => {
    if (values.length > 1) throw new RangeError('Invalid string length');
    return { ...success(values), text };
  };
  await assert.rejects(attempt(large, batchOf(1, 2)).result, {
    exitCode: 1,
    message:
      'the results of 2 inputs are too long for one string: expected fewer inputs, with a smaller --batch',
  });
});

test('after a crash the inputs run one by one, and only the culprit fails', async () => {
  const { pool, result } = attempt(crashing(2), batchOf(1, 2, 3));
  const { text, ran, failures } = await result;
  assert.equal(text, '1\n3\n');
  assert.equal(ran, 3);
  assert.deepEqual(failures, [
    { at: 1, error: { name: 'Error', message: 'The task: ERR_WORKER_CRASHED', code: 'ERR_WORKER_CRASHED' } },
  ]);
  assert.deepEqual(pool.calls, [[1, 2, 3], [1], [2], [3]]);
});

test('one by one it stops at the first failure if the run does', async () => {
  const { result } = attempt(crashing(2), batchOf(1, 2, 3), { stopsAtFailure: true });
  const outcome = await result;
  assert.deepEqual([outcome.text, outcome.ran, failedAt(outcome)], ['1\n', 2, [1]]);
});

test('retries repeat an input, whether it throws, crashes or runs out of time', async () => {
  for (const broken of [
    () => failure('thrown'),
    () => {
      throw poolError('ERR_TASK_TIMEOUT');
    },
  ]) {
    let left = 2;
    const { pool, result } = attempt((values) => (left-- > 0 ? broken() : success(values)), batchOf('a'), {
      retries: 2,
    });
    assert.equal((await result).text, 'a\n');
    assert.equal(pool.calls.length, 3);
  }
});

test('an input that keeps failing is tried once and as often again as retries says', async () => {
  const { pool, result } = attempt(() => failure('thrown'), batchOf('a'), { retries: 3 });
  assert.deepEqual(failedAt(await result), [0]);
  assert.equal(pool.calls.length, 4);
});

test('inside a batch the worker does the retries', async () => {
  const seen: number[] = [];
  const { result } = attempt(
    (values, attempts) => {
      seen.push(attempts);
      return success(values);
    },
    batchOf(1, 2),
    { retries: 4 },
  );
  await result;
  assert.deepEqual(seen, [5]);
});

test('the end of the pool is no failure of an input', async () => {
  const { result } = attempt(
    () => {
      throw poolError('ERR_POOL_CLOSED');
    },
    batchOf(1, 2),
  );
  await assert.rejects(result, { code: 'ERR_POOL_CLOSED' });
});
