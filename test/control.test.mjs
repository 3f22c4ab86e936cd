// Changes to a pool while it runs: pause, resume, drain, recycle, options. No call is lost.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { event, gate, moduleUrl, outcome, poolFor, runScript, started, ways } from './fixtures/helpers.mjs';

const codeOf = async (call) => (await outcome(call)).error?.code;
/** After how many milliseconds a blocked main thread gives up by itself: a test runner cannot end it. */
const GIVE_UP_MS = 60_000;
/** A task module in a file that the test can rewrite. */
function moduleOnDisk(t) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pathname = join(folder, 'tasks.mjs');
  const write = (source) => writeFileSync(pathname, source);
  write('export const version = () => 1;');
  return { pathname, write };
}

const range = (count) => Array.from({ length: count }, (_, i) => i);

describe('pause and resume', () => {
  test('what runs goes on, what waits does not begin, and goes on in order', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    const { shared, open } = gate();
    const { promise: running } = await started(pool, 'waitFor', [shared]);
    const order = [];
    const waiting = range(20).map((i) => pool.run('increment', [i]).then((value) => order.push(value)));
    pool.pause();
    assert.equal(pool.stats().state, 'paused');
    const late = pool.run('increment', [20]).then((value) => order.push(value));
    open();
    await running;
    // A paused pool runs a broadcast: when it has returned, the worker could have begun another task as well.
    await pool.broadcast('increment', [0]);
    assert.deepEqual(order, []);
    assert.equal(pool.stats().queue.size, 21);
    pool.resume();
    await Promise.all([...waiting, late]);
    assert.deepEqual(
      order,
      range(21).map((i) => i + 1),
    );
    assert.equal(pool.stats().state, 'open');
  });

  test('a waiting call can be aborted, and counts for the limit of the queue', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 2 } });
    await pool.ready;
    pool.pause();
    const controller = new AbortController();
    const aborted = pool.run('increment', [1], { signal: controller.signal });
    const kept = pool.run('increment', [2]);
    assert.equal(await codeOf(pool.run('increment', [3])), 'ERR_QUEUE_FULL');
    controller.abort();
    assert.equal(await codeOf(aborted), 'ERR_TASK_ABORTED');
    pool.resume();
    assert.equal(await kept, 3);
  });

  test('a worker that dies meanwhile takes down only what it ran', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    const { shared } = gate();
    const { promise } = await started(pool, 'waitFor', [shared], { timeoutMs: 50 });
    const running = codeOf(promise);
    const waiting = pool.run('increment', [1]);
    pool.pause();
    assert.equal(await running, 'ERR_TASK_TIMEOUT');
    pool.resume();
    assert.equal(await waiting, 2);
  });

  test('close and destroy end a paused pool: close finishes what was accepted', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    pool.pause();
    pool.pause();
    const calls = range(5).map((i) => pool.run('increment', [i]));
    await pool.close();
    assert.deepEqual(await Promise.all(calls), [1, 2, 3, 4, 5]);
    const other = poolFor(t, { threads: 1 });
    other.pause();
    const call = codeOf(other.run('increment', [1]));
    await other.destroy();
    assert.equal(await call, 'ERR_POOL_CLOSED');
  });

  for (const [how, goOn] of [
    ['resume', (pool) => pool.resume()],
    ['close', (pool) => pool.close()],
  ]) {
    test(`${how} starts a worker for what was called meanwhile, where none is left`, async (t) => {
      const pool = poolFor(t, { threads: { min: 0, max: 2 }, idleTimeoutMs: 1 });
      await pool.run('increment', [0]);
      // On a slow machine the first worker may be idle for too long before it begins the task, so that another one is started.
      while (pool.stats().threads.current > 0) await event(pool, 'worker:exit');
      pool.pause();
      const calls = [pool.run('increment', [1]), pool.run('increment', [2], { key: 'k' })];
      const closed = goOn(pool);
      assert.deepEqual(await Promise.all(calls), [2, 3]);
      await closed;
    });

    test(`what waits with arguments that were moved runs after ${how}, and so does the rest`, async (t) => {
      const pool = poolFor(t, { threads: 1 });
      const { shared, open } = gate();
      const { promise: running } = await started(pool, 'waitFor', [shared]);
      const bytes = new Uint8Array(8);
      const calls = [
        pool.run('byteLength', [bytes], { transfer: [bytes.buffer] }),
        pool.run('increment', [1]),
        pool.run('increment', [2], { key: 'k' }),
      ];
      pool.pause();
      const closed = goOn(pool);
      open();
      assert.deepEqual(await Promise.all(calls), [8, 2, 3]);
      await Promise.all([running, closed]);
      assert.equal(pool.stats().crashes, 0);
    });
  }

  test("placement 'inline' pauses as well", async (t) => {
    const pool = poolFor(t, { placement: 'inline' });
    await pool.ready;
    pool.pause();
    let isDone = false;
    const call = pool.run('increment', [1]).finally(() => {
      isDone = true;
    });
    await pool.broadcast('increment', [1]);
    assert.equal(isDone, false);
    pool.resume();
    assert.equal(await call, 2);
  });
});

describe('drain', () => {
  test('refuses new calls, finishes the accepted ones, and the pool stays', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    const { shared, open } = gate();
    const { promise: running } = await started(pool, 'waitFor', [shared]);
    const waiting = pool.run('increment', [1]);
    const drained = pool.drain();
    assert.equal(pool.stats().state, 'draining');
    await assert.rejects(pool.run('increment', [2]), { code: 'ERR_POOL_CLOSED', message: /drained.*resume/ });
    open();
    await drained;
    assert.equal(await waiting, 2);
    await running;
    assert.equal(pool.stats().threads.current, 1);
    pool.resume();
    assert.equal(await pool.run('increment', [3]), 4);
  });

  test('of a paused pool finishes what the pause kept', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    pool.pause();
    const waiting = range(3).map((i) => pool.run('increment', [i]));
    await pool.drain();
    assert.deepEqual(await Promise.all(waiting), [1, 2, 3]);
    assert.equal(pool.stats().state, 'draining');
  });

  test('lets through who waits for room: the call that follows is refused', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 1 } });
    await pool.ready;
    pool.pause();
    const waiting = pool.run('increment', [1]);
    const room = pool.room();
    void pool.drain();
    await room;
    await pool.room();
    assert.equal(await codeOf(pool.run('increment', [2])), 'ERR_POOL_CLOSED');
    pool.resume();
    assert.equal(await waiting, 2);
  });

  test('of a pool that has nothing to do is done at once; resume ends one that is not', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    await pool.drain();
    pool.resume();
    const { shared, open } = gate();
    const running = pool.run('waitFor', [shared]);
    const drained = pool.drain();
    pool.resume();
    await drained;
    open();
    await running;
  });

  for (const end of ['resume', 'close', 'destroy']) {
    test(`of a paused pool ends when a listener that hears of its worker calls ${end}()`, async (t) => {
      const pool = poolFor(t, { threads: { min: 0, max: 1 } });
      pool.on('worker:start', () => void pool[end]());
      pool.pause();
      const waiting = codeOf(pool.run('increment', [1]));
      await pool.drain();
      assert.equal(await waiting, end === 'destroy' ? 'ERR_POOL_CLOSED' : undefined);
    });
  }
});

describe('recycle', () => {
  test('replaces every worker, one after another, and loses nothing', async (t) => {
    const pool = poolFor(t, { threads: 3 });
    await pool.ready;
    const before = pool.stats().workers.map(({ id }) => id);
    let most = 0;
    pool.on('worker:start', () => {
      most = Math.max(most, pool.stats().workers.filter(({ state }) => state !== 'dead').length);
    });
    const calls = range(300).map((i) => pool.run('increment', [i]));
    await pool.recycle();
    assert.deepEqual(
      await Promise.all(calls),
      range(300).map((i) => i + 1),
    );
    const { workers, threads, recycled } = pool.stats();
    assert.equal(threads.current, 3);
    assert.ok(workers.every(({ id }) => !before.includes(id)));
    assert.equal(recycled, 3);
    assert.ok(most <= 4, `${most} workers at a time`);
  });

  test('of a pool that has grown beyond the cores, to as many as there were', async (t) => {
    const pool = poolFor(t, { threads: { min: 1, max: 4 } });
    await pool.ready;
    const { shared, open } = gate();
    const calls = range(4).map(() => pool.run('waitFor', [shared]));
    while (pool.stats().threads.current < 4) await event(pool, 'worker:ready');
    const before = pool.stats().workers.map(({ id }) => id);
    const recycled = pool.recycle();
    open();
    await Promise.all([recycled, ...calls]);
    const { workers, threads } = pool.stats();
    assert.equal(threads.current, 4);
    assert.ok(workers.every(({ id }) => !before.includes(id)));
  });

  test('asked for again while it goes on, it replaces all that are there by then', async (t) => {
    const pool = poolFor(t, { threads: 2 });
    await pool.ready;
    const first = pool.recycle();
    await event(pool, 'worker:ready');
    await Promise.all([first, pool.recycle()]);
    assert.equal(pool.stats().threads.current, 2);
  });

  for (const [way, options] of Object.entries(ways)) {
    test(`of a module that is broken on disk: retires one at most, rejects, and goes on when that is mended: ${way}`, async (t) => {
      const { pathname, write } = moduleOnDisk(t);
      const pool = poolFor(t, { threads: 3, ...options }, pathname);
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error));
      await pool.ready;
      write('export const version = ;');
      const { error } = await outcome(pool.recycle());
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.equal(error.cause.name, 'SyntaxError');
      while (errors.length < 4) await event(pool, 'error'); // the pool tries again
      assert.equal((await outcome(pool.recycle())).error.code, 'ERR_MODULE_LOAD');
      const { state, threads, recycled } = pool.stats();
      assert.deepEqual({ state, recycled, min: threads.min }, { state: 'open', recycled: 1, min: 3 });
      assert.deepEqual(await Promise.all(range(20).map(() => pool.run('version', []))), Array(20).fill(1));
      write('export const version = () => 2;');
      while (pool.stats().workers.filter(({ state }) => state === 'ready').length < 3)
        await event(pool, 'worker:ready');
      await pool.recycle();
      assert.deepEqual(await pool.broadcast('version'), [2, 2, 2]);
    });
  }

  test('whose replacement ends before it has a call: the error says that, and how', async (t) => {
    for (const [end, how] of [
      ['throw new Error("no connection")', /^Error: no connection \(file:.*\)$/],
      ['process.exit(3)', /^Error: The worker ended with exit code 3 while it had nothing to do$/],
    ]) {
      const { pathname, write } = moduleOnDisk(t);
      const pool = poolFor(t, { threads: 2 }, pathname);
      pool.on('error', () => undefined);
      await pool.ready;
      write(`export const version = () => 2, setup = () => void setImmediate(() => { ${end}; });`);
      const { error } = await outcome(pool.recycle());
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      const [, before, after] = /^(.*) ended: (.*)$/.exec(error.message) ?? [];
      assert.match(before ?? error.message, /^A worker that had loaded the task module file:/);
      assert.match(after, how);
    }
  });

  test('of the only worker of a pool whose module is broken on disk: the pool is broken in the end, and every call settles', async (t) => {
    const { pathname, write } = moduleOnDisk(t);
    const pool = poolFor(t, { threads: 1 }, pathname);
    pool.on('error', () => undefined);
    await pool.ready;
    write('export const version = ;');
    const gone = event(pool, 'worker:exit', ({ reason }) => reason === 'recycled');
    assert.equal((await outcome(pool.recycle())).error.code, 'ERR_MODULE_LOAD');
    await gone;
    assert.equal((await outcome(pool.run('version', []))).error.code, 'ERR_MODULE_LOAD');
    assert.equal(pool.stats().state, 'broken');
  });

  test('close ends it; a pool without workers has nothing to do', async (t) => {
    const pool = poolFor(t, { threads: 2 });
    await pool.ready;
    const recycled = pool.recycle();
    await pool.close();
    await recycled;
    await poolFor(t, { placement: 'inline' }).recycle();
  });
});

describe('pool.ready', () => {
  for (const [what, shrink] of [
    ['resize', (pool) => pool.resize(1)],
    ['configure', (pool) => pool.configure({ threads: { min: 0, max: 3 } })],
  ]) {
    test(`settles when ${what} asks for fewer workers than were to load`, async (t) => {
      const { shared, open } = gate();
      const pool = poolFor(t, { threads: 3, worker: { data: shared } }, moduleUrl('first-loads.mjs'));
      t.after(open);
      let state = 'open';
      void pool.ready.then(() => {
        state = 'settled';
      });
      await event(pool, 'worker:ready');
      assert.equal(state, 'open', 'two of three still load');
      shrink(pool);
      assert.equal(await pool.run('one', []), 1);
      assert.equal(state, 'settled');
    });
  }
});

describe('configure', () => {
  test('changes the size and the limit of the queue', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    pool.configure({ threads: { min: 2, max: 3 }, queue: { limit: 7 } });
    const { threads, queue } = pool.stats();
    assert.deepEqual([threads.min, threads.max, threads.current, queue.limit], [2, 3, 2, 7]);
    pool.configure({ queue: { limit: Number.POSITIVE_INFINITY } });
    assert.equal(pool.stats().queue.limit, null);
  });

  test('changes where calls run, both ways, and loses none', async (t) => {
    const pool = poolFor(t, { threads: { min: 1, max: 2 } });
    const calls = [];
    for (const placement of ['inline', 'threads', 'inline', 'threads']) {
      for (const i of range(20))
        calls.push(pool.run('increment', [i]).then((value) => assert.equal(value, i + 1)));
      pool.configure({ placement });
      assert.equal(pool.stats().placement, placement);
      calls.push(pool.run('increment', [1]));
    }
    await Promise.all(calls);
    assert.equal(pool.stats().threads.min, 1);
  });

  test('changes the strategy where the main thread chooses, and says where it does not', async (t) => {
    const pool = poolFor(t, { threads: 2, choose: 'random' });
    assert.equal(pool.stats().choose, 'random');
    pool.configure({ choose: 'round-robin' });
    assert.equal(pool.stats().choose, 'round-robin');
    assert.equal(await pool.run('increment', [1]), 2);
    const other = poolFor(t, { threads: 2, dispatch: 'shared-queue', transport: 'shared' });
    assert.throws(() => other.configure({ choose: 'random' }), {
      code: 'ERR_OPTION',
      message: /workers take tasks by themselves/,
    });
  });

  test('all or nothing: one mistake, and nothing has changed', async (t) => {
    const pool = poolFor(t, { threads: 1, choose: 'random' });
    await pool.ready;
    for (const [changes, message] of [
      [{ threads: 2, choos: 'random' }, /Unknown option 'choos'\. Did you mean 'choose'\?/],
      [{ threads: 2, choose: 'nearest' }, /'choose'/],
      [{ threads: 2, placement: 'cloud' }, /'placement'/],
      [{ threads: 2, queue: { limit: -1 } }, /queue\.limit/],
      [{ choose: 'round-robin', threads: { min: 3, max: 2 } }, /min not larger than max/],
      [{ threads: 10_000 }, /from 1 to 1024/],
      [null, /changes/],
    ]) {
      assert.throws(() => pool.configure(changes), { code: 'ERR_OPTION', message });
    }
    const { threads, choose, queue } = pool.stats();
    assert.deepEqual([threads.max, choose, queue.limit], [1, 'random', null]);
  });

  test('a closed pool refuses it all', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.close();
    for (const act of ['pause', 'resume', 'drain', 'recycle']) {
      assert.throws(() => pool[act](), { code: 'ERR_POOL_CLOSED' }, act);
    }
    assert.throws(() => pool.configure({ threads: 2 }), { code: 'ERR_POOL_CLOSED' });
  });
});

describe('what is measured', () => {
  test('each worker has its own figures, and the pool those of all', async (t) => {
    const pool = poolFor(t, { threads: 2 });
    await pool.ready;
    await pool.broadcast('increment', [1]);
    await Promise.all(range(50).map((i) => pool.run('increment', [i])));
    const { workers, runMs, waitMs, throughput, process } = pool.stats();
    const sum = (of) => workers.reduce((total, worker) => total + of(worker), 0);
    assert.equal(runMs.count, 52);
    assert.equal(
      sum((worker) => worker.runMs.count),
      52,
    );
    assert.equal(
      sum((worker) => worker.waitMs.count),
      waitMs.count,
    );
    assert.ok(throughput > 0);
    assert.ok(process.residentBytes > process.heapUsedBytes && process.heapUsedBytes > 0);
    assert.ok(process.utilization >= 0 && process.utilization <= 1);
  });
});

describe('a coordinator', () => {
  test('goes on sizing while the main thread is blocked', async (t) => {
    const pool = poolFor(t, { dispatch: 'coordinator', threads: { min: 1, max: 4 } });
    await pool.ready;
    const words = new Int32Array(new SharedArrayBuffer(8));
    const calls = range(4).map(() => pool.run('gather', [words.buffer]));
    // From here on main is blocked until all four tasks run at the same time.
    for (let here = 0; here < 4; here = Atomics.load(words, 1)) {
      assert.notEqual(Atomics.wait(words, 1, here, GIVE_UP_MS), 'timed-out');
    }
    // Date.now() is a whole number, rounded down, and so is the start of the pool's clock.
    const freeAt = Date.now() + 1;
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    await Promise.all(calls);
    const meanwhile = pool
      .stats()
      .sizing.decisions.filter(({ at, by }) => by === 'coordinator' && at < freeAt);
    assert.equal(Math.max(...meanwhile.map(({ to }) => to)), 4);
    assert.ok(meanwhile.every(({ why }) => why.length > 0));
  });

  test('it starts workers also where options of the process are none that a thread could have', async () => {
    const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(new URL('./tasks.mjs', '${new URL('./fixtures/', import.meta.url)}'), {
        dispatch: 'coordinator',
        threads: { min: 1, max: 4 },
      });
      await pool.ready;
      const words = new Int32Array(new SharedArrayBuffer(8));
      const calls = [0, 1, 2, 3].map(() => pool.run('gather', [words.buffer]));
      for (let here = 0; here < 4; here = Atomics.load(words, 1)) {
        if (Atomics.wait(words, 1, here, ${GIVE_UP_MS}) === 'timed-out') throw new Error('only ' + here);
      }
      Atomics.store(words, 0, 1);
      Atomics.notify(words, 0);
      await Promise.all(calls);
      const seen = await pool.broadcast('environment', []);
      console.log(JSON.stringify(seen.map(({ execArgv }) => execArgv.includes('--conditions'))));
      await pool.close();`;
    const args = ['--max-old-space-size=2000', '--conditions', 'special', '--title', 'main', '--expose-gc'];
    const { code, stdout, stderr } = await runScript(source, { args });
    assert.equal(code, 0, stderr);
    // Each worker gets the options that a thread can have.
    assert.equal(stdout.trim(), '[true,true,true,true]');
  });
});
