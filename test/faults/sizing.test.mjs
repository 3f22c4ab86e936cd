// Pools that grow, shrink, recycle and close; and more leases than there is memory for.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createPool } from 'threadwise';
import {
  apart,
  badUrl,
  event,
  gate,
  moduleUrl,
  outcome,
  poolFor,
  runScript,
  started,
  ways,
} from '../fixtures/helpers.mjs';

describe('sizing', () => {
  /** Take as long as a teardown may take: the other tests run meanwhile. */
  let hangingTeardowns;
  before(() => {
    hangingTeardowns = outcome(Promise.all([{}, { placement: 'inline' }].map(closeThoughTeardownHangs)));
  });
  async function closeThoughTeardownHangs(options) {
    const pool = createPool(moduleUrl('teardown-hangs.mjs'), { threads: 1, ...options });
    const told = [];
    pool.on('error', ({ error }) => told.push(error.message));
    assert.equal(await pool.run('increment', [1]), 2);
    await pool.close();
    return told.join();
  }

  test('grows on demand to the maximum, and releases idle workers down to the minimum', async (t) => {
    const pool = poolFor(t, { threads: { min: 1, max: 3 }, idleTimeoutMs: 20 });
    await pool.ready;
    assert.equal(pool.stats().threads.current, 1);
    const { shared, open } = gate();
    const running = await Promise.all(
      [0, 1, 2, 3].map(() => pool.run('waitFor', [shared]).catch((e) => e)).map(async (p) => ({ p })),
    );
    while (pool.stats().threads.current < 3) await event(pool, 'worker:ready');
    const released = [];
    pool.on('worker:exit', ({ reason }) => released.push(reason));
    open();
    await Promise.all(running.map(({ p }) => p));
    // On a busy machine a worker may be released before it gets its call, and another one started.
    const isLarge = () => pool.stats().threads.current > 1;
    while (isLarge() || released.length < 2) await event(pool, 'worker:exit');
    assert.deepEqual(new Set(released), new Set(['released']));
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('with a minimum of 0 the last worker goes too, and the next call gets a new one', async (t) => {
    const pool = poolFor(t, { threads: { min: 0, max: 1 }, idleTimeoutMs: 10 });
    await pool.ready;
    assert.equal(pool.stats().threads.current, 0);
    for (const i of [1, 2, 3]) {
      const gone = event(pool, 'worker:exit');
      assert.equal(await pool.run('increment', [i]), i + 1);
      assert.equal((await gone).reason, 'released');
    }
  });

  test('a call that comes while a worker is released is not lost', async (t) => {
    const pool = poolFor(t, { threads: { min: 0, max: 2 }, idleTimeoutMs: 0 });
    let starts = 0;
    pool.on('worker:start', () => starts++);
    for (let i = 0; i < 50; i++) assert.equal(await pool.run('increment', [i]), i + 1);
    assert.ok(starts <= 50, `${starts} workers for 50 calls: one that has a task is not idle`);
  });

  test('resize while running, up and down, loses nothing', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const calls = [];
    for (const threads of [4, 1, { min: 2, max: 3 }, 1, 3]) {
      for (let i = 0; i < 50; i++)
        calls.push(pool.run('increment', [i]).then((value) => assert.equal(value, i + 1)));
      pool.resize(threads);
      await calls.at(-50);
    }
    await Promise.all(calls);
    assert.throws(() => pool.resize(0), { code: 'ERR_OPTION' });
    assert.throws(() => pool.resize({ min: 2, max: 1 }), { code: 'ERR_OPTION' });
    await pool.close();
    assert.throws(() => pool.resize(2), { code: 'ERR_POOL_CLOSED' });
  });

  test('a broadcast to workers that are released while they start runs there before they go', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 3, ...way });
      const reasons = [];
      const left = event(pool, 'worker:exit', ({ reason }) => reasons.push(reason) === 2);
      const all = pool.broadcast('countCalls');
      pool.resize(1);
      assert.equal(pool.stats().threads.current, 1);
      assert.deepEqual((await outcome(all)).value, [1, 1, 1], name);
      await left;
      assert.deepEqual([reasons, pool.stats().workers.length], [['released', 'released'], 1], name);
    }
  });

  test('resize in every state: loading, idle, after a crash, inline, broken, closing, closed', async (t) => {
    const loading = poolFor(t, { threads: 1 });
    loading.resize(2);
    assert.deepEqual(await Promise.all([1, 2].map((x) => loading.run('increment', [x]))), [2, 3]);
    await outcome(loading.run('exit', [1]));
    loading.resize({ min: 0, max: 1 });
    assert.equal(await loading.run('increment', [1]), 2);

    const inline = poolFor(t, { placement: 'inline' });
    inline.resize(4);
    assert.equal(await inline.run('increment', [1]), 2);
    assert.equal(inline.stats().threads.current, 0);

    const broken = poolFor(t, {}, badUrl('throws.mjs'));
    await outcome(broken.ready);
    assert.throws(() => broken.resize(2), { code: 'ERR_MODULE_LOAD' });

    const closing = loading.close();
    assert.throws(() => loading.resize(2), { code: 'ERR_POOL_CLOSED' });
    await closing;
    assert.throws(() => loading.resize(2), { code: 'ERR_POOL_CLOSED' });
  });

  test('recycling after a number of tasks loses none', async (t) => {
    const pool = poolFor(t, { threads: 2, worker: { recycle: { afterTasks: 10 } } });
    const results = await Promise.all(Array.from({ length: 100 }, (_, i) => pool.run('increment', [i])));
    assert.deepEqual(
      results,
      results.map((_, i) => i + 1),
    );
    // Two workers may remain that have not run ten tasks.
    assert.ok(pool.stats().recycled >= 9);
    assert.equal(pool.stats().tasks.crashed, 0);
  });

  for (const [way, options] of Object.entries(ways)) {
    for (const afterTasks of [1, 3]) {
      test(`no worker runs more than ${afterTasks} tasks where it is replaced after so many: ${way}`, async (t) => {
        const pool = poolFor(t, { threads: 2, ...options, worker: { recycle: { afterTasks } } });
        const shared = apart ? new Map() : new SharedArrayBuffer(4); // makes the arguments go by port
        const call = (i) => {
          const moved = new ArrayBuffer(8);
          if (i % 8 === 1) return pool.run('countCalls', [moved], { transfer: [moved] });
          if (i % 8 === 3) return pool.run('countCalls', [shared]);
          if (i % 8 === 5) return pool.run('countCalls', [], { key: `key ${i % 3}` });
          return pool.run('countCalls', []);
        };
        // Each kind of call comes once, as a thread takes long to start. Where main hands over, it is luck whether one comes too soon.
        const many = afterTasks === 1 && way !== 'direct' ? 8 : 16;
        const counts = await Promise.all(Array.from({ length: many }, (_, i) => call(i)));
        assert.ok(Math.max(...counts) <= afterTasks, `calls of a worker: ${counts}`);
        assert.equal(pool.stats().tasks.crashed, 0);
      });
    }

    test(`aborted calls do not use up what a worker may run: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options, worker: { recycle: { afterTasks: 2 } } });
      const { open, shared } = gate();
      const first = await started(pool, 'blockUntil', [shared]);
      for (const run of [{}, { key: 'a' }]) {
        const controller = new AbortController();
        const aborted = pool.run('countCalls', [], { ...run, signal: controller.signal });
        controller.abort();
        assert.equal((await outcome(aborted)).error.code, 'ERR_TASK_ABORTED');
      }
      open();
      await first.promise;
      assert.equal(await pool.run('countCalls', []), 1); // the second task of that worker, its first run of `countCalls`
      assert.equal(await pool.run('countCalls', []), 1);
    });
  }

  test('recycling above a memory limit replaces the worker', async (t) => {
    const pool = poolFor(t, { threads: 1, worker: { recycle: { aboveMemoryMiB: 1 } } });
    const gone = event(pool, 'worker:exit');
    await pool.run('spin', [300]); // heap use is checked a few times a second
    assert.equal((await gone).reason, 'recycled');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  for (const [way, options] of Object.entries(ways)) {
    test(`a worker whose module keeps more and more is recycled before its heap is full: ${way}`, async (t) => {
      const worker = { resourceLimits: { maxOldGenerationSizeMb: 128 } };
      const pool = poolFor(t, { threads: 1, worker, ...options });
      const gone = event(pool, 'worker:exit');
      await pool.run('keepMore', [88, 0]);
      while (pool.stats().recycled === 0) await pool.run('keepMore', [6, 260]); // heap use is checked a few times a second
      assert.equal((await gone).reason, 'recycled');
    });
  }

  test('keys: the same key goes to the same worker as long as it lives', async (t) => {
    const pool = poolFor(t, { threads: 3 });
    await pool.ready;
    const homes = new Map();
    for (let i = 0; i < 60; i++) {
      const key = `user-${i % 6}`;
      const id = await pool.run('workerId', [], { key });
      assert.equal(id, homes.get(key) ?? id);
      homes.set(key, id);
    }
    await outcome(pool.run('exit', [1], { key: 'user-0' }));
    const home = await pool.run('workerId', [], { key: 'user-0' });
    assert.notEqual(home, homes.get('user-0'));
    assert.equal(await pool.run('workerId', [], { key: 'user-0' }), home);
  });

  for (const [way, options] of Object.entries({ ...ways, inline: { placement: 'inline' } })) {
    test(`teardown that throws is told by the event error: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options }, moduleUrl('teardown-throws.mjs'));
      const errors = [];
      pool.on('error', ({ error }) => errors.push(`${error.name}: ${error.message}`));
      await pool.ready;
      await pool.close();
      assert.deepEqual(errors, ['RangeError: the log was not written']);
    });
  }

  test('teardown that hangs does not keep close from ending, and is told', async () => {
    const { value } = await hangingTeardowns;
    assert.match(value[0], /^Worker 1 did not end within 5000 ms, 'teardown' included, and was ended$/);
    assert.match(value[1], /^'teardown' did not end within 5000 ms: the pool closes without it$/);
  });

  test('the environment overrides the defaults', async () => {
    const script = `
      import { createPool } from 'threadwise';
      const pool = createPool(process.cwd() + '/tasks.mjs');
      const { threads, choose } = pool.stats();
      console.log(threads.min, threads.max, choose);
      await pool.close();`;
    const ask = (env) => runScript(script, { env });
    assert.equal(
      (await ask({ THREADWISE_THREADS: '3', THREADWISE_CHOOSE: 'random' })).stdout,
      '3 3 random\n',
    );
    assert.equal((await ask({ THREADWISE_THREADS: '1-5' })).stdout, '1 5 least-busy\n');
    const wrong = await ask({ THREADWISE_THREADS: 'many' });
    assert.match(wrong.stderr, /THREADWISE_THREADS.*"many"/);
  });
});

describe('leases', () => {
  for (const dispatch of ['shared-queue', 'direct']) {
    test(`${dispatch}: more than fit are refused, calls go on, and what is given back is there again`, async (t) => {
      const pool = poolFor(t, { transport: 'shared', dispatch });
      const bytes = 2 ** 30; // never touched, so it takes no memory
      const leases = [];
      let error;
      while (error === undefined) {
        try {
          leases.push(pool.lease(bytes));
        } catch (thrown) {
          error = thrown;
        }
      }
      assert.equal(error.code, 'ERR_LEASE_MEMORY');
      assert.match(error.message, new RegExp(`${bytes} bytes`));
      assert.deepEqual(await pool.run('echo', [new Uint8Array(5000).fill(1)]), new Uint8Array(5000).fill(1));
      for (const lease of leases) lease.release();
      const small = pool.lease(2 ** 20);
      small.bytes.fill(7);
      assert.equal((await pool.run('echo', [small])).length, 2 ** 20);
    });
  }

  test('a lease inside another argument is refused, with its path; its bytes pass', async (t) => {
    const pool = poolFor(t);
    const lease = pool.lease(4);
    lease.bytes.fill(3);
    const { error } = await outcome(pool.run('echo', [{ lease }]));
    assert.equal(error.path, 'args[0].lease');
    assert.match(error.message, /^Cannot clone args\[0\]\.lease: .*a lease has to be an argument itself/);
    assert.deepEqual([...(await pool.run('echo', [{ inside: lease.bytes }])).inside], [3, 3, 3, 3]);
    lease.release();
    assert.equal((await outcome(pool.run('echo', [lease]))).error.code, 'ERR_LEASE_RELEASED');
    assert.throws(() => pool.lease(-1), { code: 'ERR_OPTION' });
  });

  test('memory goes round, but not while a task that was given up may still write to it', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const first = pool.lease(8);
    const { buffer: memory, byteOffset: at } = first.bytes;
    const isThere = ({ bytes }) => bytes.buffer === memory && bytes.byteOffset === at;
    await pool.run('sum', [first]);
    const second = pool.lease(8);
    assert.ok(isThere(second));
    const { error } = await outcome(pool.run('loopForEver', [second], { timeoutMs: 20 }));
    assert.equal(error.code, 'ERR_TASK_TIMEOUT');
    assert.ok(!isThere(pool.lease(8)));
  });
});
