// Functions of the user (hooks, listeners, a strategy): when one throws, it is reported once, and no call is lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outcome, poolFor, runScript } from './fixtures/helpers.mjs';

const throwing = () => {
  throw new Error('not today');
};
const increments = (pool) =>
  Promise.all(Array.from({ length: 20 }, (_, i) => outcome(pool.run('increment', [i]))));

describe('what the user gives and throws each time is reported once', () => {
  for (const [what, options, listen] of [
    ['onTaskStart', { onTaskStart: throwing }],
    ['onTaskEnd', { onTaskEnd: throwing }],
    ['a listener of task:settle', {}, 'task:settle'],
    ['a listener of task:submit', {}, 'task:submit'],
  ]) {
    test(what, async (t) => {
      const pool = poolFor(t, options);
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error.message));
      if (listen) pool.on(listen, throwing);
      const results = await increments(pool);
      assert.deepEqual(
        results.map(({ value }) => value),
        results.map((_, i) => i + 1),
      );
      assert.deepEqual(errors, ['not today']);
    });
  }

  for (const name of ['task:settle', 'task:submit']) {
    test(`an async listener of ${name} that rejects`, async (t) => {
      const pool = poolFor(t);
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error.message));
      pool.on(name, async () => throwing());
      await increments(pool);
      assert.deepEqual(errors, ['not today']);
    });
  }

  test('onProgress of one call', async (t) => {
    const pool = poolFor(t);
    const errors = [];
    pool.on('error', ({ error }) => errors.push(error.message));
    assert.equal(await pool.run('report', [[1, 2, 3]], { onProgress: throwing }), 3);
    assert.deepEqual(errors, ['not today']);
  });
});

describe('what throws when it is read', () => {
  test('options of a call: the call is rejected', async (t) => {
    const pool = poolFor(t);
    const proxy = new Proxy({}, { ownKeys: throwing });
    const frozen = () => {
      throw Object.freeze(new RangeError('not today'));
    };
    for (const options of [
      proxy,
      Object.defineProperty({}, 'timeoutMs', { enumerable: true, get: throwing }),
      Object.defineProperty({}, 'priority', { enumerable: true, get: frozen }),
    ]) {
      const call = pool.run('increment', [1], options);
      assert.equal((await outcome(call)).error.message, 'not today');
    }
    assert.equal(pool.stats().tasks.open, 0);
  });

  test('a pool can be written as JSON: no task is called for that', async (t) => {
    const pool = poolFor(t, { name: 'p' });
    assert.equal(JSON.stringify({ pool }), '{"pool":{"name":"p","tasks":{}}}');
    assert.equal(pool.stats().tasks.submitted, 0);
  });
});

describe('no call is lost', () => {
  test('an onTaskStart that returns what cannot be cloned (an async one does): the call goes on without a context', async (t) => {
    for (const [onTaskStart, got] of [
      [() => () => 1, 'what cannot be cloned'],
      [async () => ({ traceparent: 'x' }), 'a promise: the call does not wait for it'],
    ]) {
      const pool = poolFor(t, { onTaskStart });
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error));
      const results = await increments(pool);
      assert.deepEqual(
        results.map(({ value }) => value),
        results.map((_, i) => i + 1),
      );
      const expected = 'expected a function that returns a value to take along';
      assert.deepEqual(
        errors.map(({ code, message }) => [code, message]),
        [['ERR_OPTION', `Option 'onTaskStart': ${expected}, got ${got}`]],
      );
    }
  });

  test('an onTaskStart that ends the pool: the call is rejected', { timeout: 20_000 }, async (t) => {
    const keepAlive = setInterval(() => undefined, 1000);
    t.after(() => clearInterval(keepAlive));
    const pool = poolFor(t, { onTaskStart: () => void pool.destroy() });
    await pool.ready;
    assert.equal((await outcome(pool.run('increment', [1]))).error.code, 'ERR_POOL_CLOSED');
  });

  test('an onTaskStart that makes a call itself: each call has a number of its own', async (t) => {
    const ids = [];
    let inner;
    const pool = poolFor(t, {
      onTaskStart: ({ taskId }) => {
        ids.push(taskId);
        if (ids.length === 1) inner = pool.run('increment', [1]);
      },
    });
    assert.deepEqual([await pool.run('increment', [2]), await inner], [3, 2]);
    assert.equal(new Set(ids).size, 2);
  });

  for (const [what, source] of [
    ['choose', 'choose: refuse'],
    ['onTaskStart', 'onTaskStart: refuse'],
    ['onTaskEnd', 'onTaskEnd: refuse'],
  ]) {
    test(`an async ${what} that rejects does not end the program`, async () => {
      const { code, stdout } = await runScript(`
        import { createPool } from 'threadwise';
        const refuse = async () => { throw new Error('not today') };
        const pool = createPool(process.cwd() + '/tasks.mjs', { threads: 2, ${source} });
        pool.on('error', () => undefined);
        await pool.ready;
        const results = await Promise.allSettled([1, 2, 3].map((i) => pool.run('increment', [i])));
        console.log(results.map(({ value }) => value).join());
        await pool.close();`);
      assert.deepEqual([code, stdout], [0, '2,3,4\n']);
    });
  }
});
