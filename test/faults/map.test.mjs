// `map`, and the same interface on the calling thread.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { badUrl, event, outcome, poolFor, started } from '../fixtures/helpers.mjs';

describe('map', () => {
  test('ordered and as completed; backpressure; early break cancels the rest and closes the input', async (t) => {
    const pool = poolFor(t, { threads: 2 });
    let [read, closed] = [0, false];
    async function* input() {
      try {
        for (;;) yield read++;
      } finally {
        closed = true;
      }
    }
    const results = [];
    for await (const value of pool.map('increment', input(), { concurrency: 5 })) {
      results.push(value);
      assert.ok(read <= results.length + 5, `${read} read, ${results.length} taken`);
      if (results.length === 50) break;
    }
    assert.deepEqual(
      results,
      results.map((_, i) => i + 1),
    );
    assert.ok(closed);
    while (pool.stats().tasks.open > 0) await event(pool, 'task:settle');
    const unordered = [];
    for await (const value of pool.map('increment', [1, 2, 3], { ordered: false })) unordered.push(value);
    assert.deepEqual(unordered.sort(), [2, 3, 4]);
  });

  test('an abort ends what runs and keeps what waits from running', async (t) => {
    for (const timeoutMs of [undefined, 60_000]) {
      const pool = poolFor(t, { threads: 1 });
      const ran = [];
      const controller = new AbortController();
      const onProgress = (mark) => {
        ran.push(mark);
        controller.abort('why');
      };
      const { signal } = controller;
      const results = pool.map('runUntilAborted', [0, 1, 2], { timeoutMs, onProgress, signal });
      const { error } = await outcome(results.next());
      assert.deepEqual([error.code, error.cause, ran], ['ERR_TASK_ABORTED', 'why', [0]]);
      assert.equal(await pool.run('increment', [1]), 2, 'the worker is free again');
      const { aborted, completed } = pool.stats().tasks;
      assert.deepEqual([aborted, completed], [3, 1]);
    }
  });

  test('the first error ends it; an aborted signal ends it; a bad input is refused', async (t) => {
    const pool = poolFor(t);
    const drain = async (results) => {
      for await (const _ of results);
    };
    assert.equal((await outcome(drain(pool.map('fail', ['frozen'])))).error.message, 'cold');
    const unordered = { ordered: false, concurrency: 1 };
    for (const options of [{}, unordered]) {
      const { error } = await outcome(drain(pool.map('failAbove2', [1, 2, 3, 4], options)));
      assert.match(error.stack, /--- called from ---\n {4}at item 2 of the map, counted from 0\n/);
    }
    const controller = new AbortController();
    async function* never() {
      controller.abort();
      await new Promise(() => undefined);
    }
    const aborted = await outcome(drain(pool.map('increment', never(), { signal: controller.signal })));
    assert.equal(aborted.error.code, 'ERR_TASK_ABORTED');
    assert.throws(() => pool.map('increment', 7), { code: 'ERR_OPTION' });
    assert.throws(() => pool.map('increment', [], { concurrency: 0 }), { code: 'ERR_OPTION' });
    const throwing = (function* () {
      yield 1;
      throw new Error('input broke');
    })();
    assert.equal((await outcome(drain(pool.map('increment', throwing)))).error.message, 'input broke');
    const iterator = {
      next: () => ({ done: false, value: 'frozen' }),
      return() {
        throw new Error('closing broke');
      },
    };
    const failing = { [Symbol.iterator]: () => iterator };
    const { error } = await outcome(drain(pool.map('fail', failing)));
    assert.equal(error.message, 'cold', 'the first error counts, as in a loop');
  });

  test('several share a bounded queue, also where their inputs are awaited', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 1 } });
    async function* input() {
      for (let i = 0; i < 20; i++) {
        await new Promise(setImmediate);
        yield i;
      }
    }
    const take = async () => {
      const values = [];
      for await (const value of pool.map('increment', input())) values.push(value);
      return values.length;
    };
    assert.deepEqual(await Promise.all([take(), take(), take()]), [20, 20, 20]);
  });

  test('a bounded queue slows it down and refuses nothing', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 2 } });
    const inputs = Array.from({ length: 100 }, (_, i) => i);
    const results = [];
    for await (const value of pool.map('increment', inputs, { concurrency: 20 })) results.push(value);
    assert.deepEqual(
      results,
      inputs.map((i) => i + 1),
    );
  });
});

describe("placement 'inline'", () => {
  test('the same interface on the calling thread: values, errors, context, progress, host, map, broadcast', async (t) => {
    const pool = poolFor(t, { placement: 'inline', threads: 4, host: { add: (a, b) => a + b } });
    await pool.ready;
    assert.equal(await pool.run('increment', [1]), 2);
    assert.equal((await outcome(pool.run('fail', ['custom']))).error.code, 'E_SHAPE');
    assert.equal((await outcome(pool.run('makeFunction', []))).error.code, 'ERR_NOT_CLONEABLE');
    assert.equal((await outcome(pool.run('nothing', []))).error.code, 'ERR_TASK_NOT_FOUND');
    assert.equal(await pool.run('callHost', ['add', 1, 2]), 3);
    assert.deepEqual(await pool.broadcast('increment', [1]), [2]);
    const value = { list: [1] };
    assert.notEqual(await pool.run('echo', [value]), value, 'cloned, as across threads');
    const { promise } = await started(pool, 'runUntilAborted', [], { timeoutMs: 10 });
    assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
    const results = [];
    for await (const n of pool.map('increment', [1, 2, 3])) results.push(n);
    assert.deepEqual(results, [2, 3, 4]);
    assert.equal(pool.stats().threads.current, 0);
    await pool.close();
  });

  test('a module that does not load is told the same way', async (t) => {
    const pool = poolFor(t, { placement: 'inline' }, badUrl('throws.mjs'));
    assert.equal((await outcome(pool.ready)).error.code, 'ERR_MODULE_LOAD');
    assert.equal((await outcome(pool.run('f', []))).error.code, 'ERR_MODULE_LOAD');
  });
});
