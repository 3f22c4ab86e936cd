// The owner and the task speak to each other: host functions, progress, broadcasts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { event, gate, outcome, poolFor, started, ways } from '../fixtures/helpers.mjs';

describe('the owner and the task speak to each other', () => {
  test('host functions are awaited; their errors arrive; missing ones are named', async (t) => {
    const host = {
      add: async (a, b) => a + b,
      refuse: () => {
        throw Object.assign(new TypeError('not today'), { code: 'E_LATER' });
      },
      give: () => () => 1,
    };
    const pool = poolFor(t, { host });
    assert.equal(await pool.run('callHost', ['add', 1, 2]), 3);
    const refused = (await outcome(pool.run('callHost', ['refuse']))).error;
    assert.deepEqual([refused instanceof TypeError, refused.code], [true, 'E_LATER']);
    const missing = (await outcome(pool.run('callHost', ['nothing']))).error;
    assert.match(missing.message, /Offered: add, refuse, give/);
    assert.equal((await outcome(pool.run('callHost', ['give']))).error.code, 'ERR_NOT_CLONEABLE');
  });

  test('progress reaches the call and the pool; a listener that throws is reported', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const [own, all, errors] = [[], [], []];
    pool.on('task:progress', ({ value }) => all.push(value));
    pool.on('error', ({ error }) => errors.push(error.message));
    await pool.run('report', [[1, 2]], { onProgress: (value) => own.push(value) });
    assert.deepEqual(
      [own, all],
      [
        [1, 2],
        [1, 2],
      ],
    );
    const onProgress = () => {
      throw new Error('bad listener');
    };
    assert.equal(await pool.run('report', [[1]], { onProgress }), 1);
    assert.deepEqual(errors, ['bad listener']);
  });

  test('progress may move what it reports, as a result may', async (t) => {
    for (const placement of ['threads', 'inline']) {
      const pool = poolFor(t, { threads: 1, placement });
      const values = [];
      assert.equal(
        await pool.run('reportMoved', [3], { onProgress: (value) => values.push(value) }),
        0,
        placement,
      );
      assert.deepEqual(values, [new Uint8Array([7, 7, 7])], placement);
    }
  });

  test('a broadcast runs once on every worker; a worker that dies is replaced first', async (t) => {
    const pool = poolFor(t, { threads: 3 });
    await pool.ready;
    assert.equal(new Set(await pool.broadcast('workerId')).size, 3);
    assert.deepEqual(await pool.broadcast('countCalls'), [1, 1, 1]);
    const { promise } = await started(pool, 'loopForEver', [], { timeoutMs: 20 });
    const all = pool.broadcast('workerId');
    assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
    assert.equal(new Set(await all).size, 3);
    assert.equal((await outcome(pool.broadcast('fail', ['x']))).error.message, 'x');
  });

  for (const [way, options] of Object.entries(ways)) {
    test(`a broadcast runs on no worker twice, also where the pool needs no replacement for one that dies: ${way}`, async (t) => {
      const pool = poolFor(t, options);
      await pool.ready;
      pool.resize({ min: 1, max: 2 });
      const { promise } = await started(pool, 'loopForEver', [], { timeoutMs: 20 });
      const all = pool.broadcast('countCalls');
      assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
      assert.deepEqual(await all, [1, 1]);
    });

    test(`a broadcast runs on no worker twice, also where several die together: ${way}`, async (t) => {
      const pool = poolFor(t, options);
      await pool.ready;
      const controller = new AbortController();
      const { signal } = controller;
      const running = [];
      for (let i = 0; i < 2; i++) running.push(await started(pool, 'loopForEver', [], { signal }));
      const all = pool.broadcast('countCalls');
      controller.abort();
      for (const { promise } of running)
        assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
      assert.deepEqual(await all, [1, 1]);
    });

    test(`a broadcast counts as one call for the limit of the queue, and runs on all workers or on none: ${way}`, async (t) => {
      const pool = poolFor(t, { ...options, queue: { limit: 1 } });
      await pool.ready;
      const held = gate();
      const running = [];
      for (let i = 0; i < 2; i++) running.push(await started(pool, 'blockUntil', [held.shared]));
      const all = pool.broadcast('countCalls');
      const refused = (await outcome(pool.broadcast('countCalls'))).error;
      assert.deepEqual([refused.code, refused.taskName], ['ERR_QUEUE_FULL', 'countCalls']);
      held.open();
      for (const { promise } of running) await promise;
      assert.deepEqual(await all, [1, 1]);
      assert.deepEqual(await pool.broadcast('countCalls'), [2, 2]);
    });

    for (const [what, leave] of [
      ['is released', (pool) => pool.resize(1)],
      ['is recycled', (pool) => void pool.recycle()],
    ]) {
      test(`a broadcast runs on no worker twice, also where more of them wait than there is room for at one that ${what}: ${way}`, async (t) => {
        const pool = poolFor(t, options);
        await pool.ready;
        const held = gate();
        const running = [];
        for (let i = 0; i < 2; i++) running.push(await started(pool, 'blockUntil', [held.shared]));
        const all = Array.from({ length: 300 }, () => pool.broadcast('workerId'));
        leave(pool);
        held.open();
        for (const { promise } of running) await promise;
        const ids = (await Promise.all(all)).map((list) => list.toSorted((a, b) => a - b));
        assert.deepEqual([...new Set(ids.map(String))], ['1,2']);
      });
    }
  }

  test('a broadcast that is aborted when its worker has died settles once, and never runs', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      for (const when of ['while the death is told', 'while the next worker starts']) {
        const pool = poolFor(t, { threads: 1, tasksPerWorker: 2, ...way });
        const { promise } = await started(pool, 'loopForEver', [], { timeoutMs: 20 });
        const controller = new AbortController();
        const all = outcome(pool.broadcast('countCalls', [], { signal: controller.signal }));
        const died = event(pool, 'worker:exit', () => {
          if (when === 'while the death is told') controller.abort();
          return true;
        });
        assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
        await died;
        controller.abort();
        assert.equal((await all).error?.code, 'ERR_TASK_ABORTED', `${name}, ${when}`);
        assert.deepEqual(await pool.broadcast('countCalls'), [1], `${name}, ${when}`);
        const { open, completed, aborted } = pool.stats().tasks;
        assert.deepEqual({ open, completed, aborted }, { open: 0, completed: 1, aborted: 1 });
      }
    }
  });

  test('a broadcast to several workers refuses to move anything; to one it moves', async (t) => {
    const made = new Uint8Array([1, 2, 3]);
    const transfer = [made.buffer];
    const two = poolFor(t);
    const { error } = await outcome(two.broadcast('sum', [made], { transfer }));
    assert.equal(error.code, 'ERR_OPTION');
    assert.match(
      error.message,
      /'transfer': expected nothing in a broadcast to 2 workers, got an array of 1/,
    );
    assert.equal(made.length, 3);
    assert.deepEqual(await two.broadcast('sum', [made], { transfer: [] }), [6, 6]);
    assert.deepEqual(await poolFor(t, { threads: 1 }).broadcast('sum', [made], { transfer }), [6]);
    assert.equal(made.length, 0);
  });
});
