// What `stats()` says about each function, in every configuration: calls, failures, the last error; and about workers that were replaced.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apart, event, outcome, poolFor, started } from './fixtures/helpers.mjs';

const WAYS = {
  'the shared queue': {},
  'direct dispatch': { dispatch: 'direct' },
  'the message transport': { transport: 'message' },
  'a coordinator': { dispatch: 'coordinator' },
  "placement 'inline'": { placement: 'inline' },
  "placement 'auto'": { placement: 'auto' },
};
const functionOf = (pool, name) => pool.stats().functions.find((each) => each.name === name);
/** The entry for all names that have no entry of their own. */
const OTHER_NAMES = '(other names)';
/** How many characters a stack may have at most. */
const MOST_TEXT = 2048;
/** By how many milliseconds the system's clock may be set during a test; the pool's clock does not follow it. */
const CLOCK_STEP_MS = 60_000;
/** For how many milliseconds main is blocked while a result lies there. */
const BLOCKED_MS = 50;

for (const [way, options] of Object.entries(WAYS)) {
  describe(`what is counted of functions, with ${way}`, () => {
    test('every call that has ended: results, failures, and how long they ran', async (t) => {
      const pool = poolFor(t, options);
      await Promise.all(Array.from({ length: 300 }, (_, i) => pool.run('increment', [i])));
      await Promise.all(Array.from({ length: 20 }, (_, i) => pool.run('echo', [i], { priority: 1 })));
      await Promise.all([1, 2, 3, 4].map((n) => outcome(pool.run('failAbove2', [n]))));
      const counts = pool.stats().functions.map(({ name, calls, failures, timeouts }) => {
        return [name, calls, failures, timeouts];
      });
      assert.deepEqual(counts.sort(), [
        ['echo', 20, 0, 0],
        ['failAbove2', 4, 2, 0],
        ['increment', 300, 0, 0],
      ]);
      for (const { runMs, why, place } of pool.stats().functions) {
        assert.ok(runMs >= 0 && Number.isFinite(runMs));
        assert.ok(why.length > 0);
        assert.ok(['threads', 'inline'].includes(place));
      }
      assert.equal(functionOf(pool, 'increment').lastError, null);
    });

    test('functions whose calls take turns are told apart', async (t) => {
      const pool = poolFor(t, options);
      const names = ['increment', 'echo', 'nested'];
      await Promise.all(Array.from({ length: 300 }, (_, i) => pool.run(names[i % 3], [i % 3])));
      assert.deepEqual(
        names.map((name) => functionOf(pool, name).calls),
        [100, 100, 100],
      );
    });

    test('the last error: when, code, message and stack, of bounded length', async (t) => {
      const pool = poolFor(t, options);
      const before = Date.now();
      await outcome(pool.run('failAbove2', [3]));
      await outcome(pool.run('failAbove2', [7]));
      const { lastError } = functionOf(pool, 'failAbove2');
      const { at, ...error } = lastError;
      assert.ok(at >= before - CLOCK_STEP_MS && at <= Date.now() + CLOCK_STEP_MS, `${at}`);
      assert.deepEqual(
        { ...error, stack: '' },
        { name: 'RangeError', code: null, message: '7 is too much', stack: '' },
      );
      assert.match(error.stack, /failAbove2 .*tasks\.mjs/);
      await outcome(pool.run('failAbove2', ['9'.repeat(100_000)]));
      const long = functionOf(pool, 'failAbove2').lastError;
      assert.ok(long.message.startsWith('999') && long.message.length <= MOST_TEXT);
      assert.ok(long.stack.length <= MOST_TEXT);
      const { functions } = pool.stats();
      assert.deepEqual(JSON.parse(JSON.stringify(functions)), functions, 'plain JSON');
    });

    test('whatever names are called, there are no more entries than functions, and one for all others', async (t) => {
      const pool = poolFor(t, options);
      const calls = Array.from({ length: 3000 }, (_, i) => outcome(pool.run(`nobody${i}`, [])));
      const outcomes = await Promise.all(calls);
      assert.ok(outcomes.every(({ error }) => error.code === 'ERR_TASK_NOT_FOUND'));
      await pool.run('increment', [1]);
      assert.deepEqual(
        pool.stats().functions.map(({ name, calls, failures }) => [name, calls, failures]),
        [
          ['increment', 1, 0],
          [OTHER_NAMES, 3000, 3000],
        ],
      );
      assert.equal(functionOf(pool, OTHER_NAMES).lastError.code, 'ERR_TASK_NOT_FOUND');
    });

    test('what is thrown and is no error', async (t) => {
      const pool = poolFor(t, options);
      await outcome(pool.run('fail', ['string']));
      const { lastError } = functionOf(pool, 'fail');
      assert.deepEqual(
        { ...lastError, at: 0 },
        { at: 0, name: 'string', code: null, message: 'just text', stack: '' },
      );
    });
  });
}

for (const way of ['the shared queue', 'direct dispatch', 'the message transport', 'a coordinator']) {
  describe(`workers that are replaced, with ${way}`, () => {
    test('timeouts are counted by function, and so is the worker that went on after one', async (t) => {
      const pool = poolFor(t, { ...WAYS[way], threads: 1 });
      await pool.ready;
      const left = event(pool, 'worker:exit');
      const { error } = await outcome(pool.run('loopForEver', [], { timeoutMs: 10 }));
      assert.equal(error.code, 'ERR_TASK_TIMEOUT');
      assert.equal((await left).reason, 'interrupted');
      const { interrupted, crashes, recycled } = pool.stats();
      assert.deepEqual({ interrupted, crashes, recycled }, { interrupted: 1, crashes: 0, recycled: 0 });
      const { calls, failures, timeouts, lastError } = functionOf(pool, 'loopForEver');
      assert.deepEqual({ calls, failures, timeouts }, { calls: 1, failures: 1, timeouts: 1 });
      assert.equal(lastError.code, 'ERR_TASK_TIMEOUT');
    });

    test('a call that is lost with its worker is a failure; one that is aborted is none', async (t) => {
      const pool = poolFor(t, { ...WAYS[way], threads: 1 });
      await outcome(pool.run('exit', [3]));
      const { failures, lastError } = functionOf(pool, 'exit');
      assert.deepEqual([failures, lastError.code], [1, 'ERR_WORKER_CRASHED']);
      const controller = new AbortController();
      const aborted = outcome(pool.run('runUntilAborted', [], { signal: controller.signal }));
      controller.abort();
      assert.equal((await aborted).error.code, 'ERR_TASK_ABORTED');
      const { calls, failures: none } = functionOf(pool, 'runUntilAborted');
      assert.deepEqual([calls, none], [1, 0]);
    });
  });
}

for (const way of ['the shared queue', 'direct dispatch', 'the message transport', 'a coordinator']) {
  test(`nothing waits in a pool that was destroyed while a worker had more tasks than it had begun, with ${way}`, async (t) => {
    const pool = poolFor(t, { ...WAYS[way], threads: 1 });
    // A worker that has run short tasks takes several at a time.
    for (let i = 0; i < 5; i++) {
      await Promise.all(Array.from({ length: 200 }, () => pool.run('increment', [1])));
    }
    const running = started(pool, 'loopForEver');
    const calls = Array.from({ length: 40 }, () => outcome(pool.run('increment', [1])));
    await running;
    await pool.destroy();
    for (const { error } of await Promise.all(calls)) assert.equal(error.code, 'ERR_POOL_CLOSED');
    const { queue, tasks } = pool.stats();
    assert.deepEqual([queue.size, queue.oldestMs, tasks.open], [0, 0, 0]);
  });
}

test(
  'asked in the middle of a batch of results, the figures have the calls that have completed',
  { skip: apart },
  async (t) => {
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const source = `
    let begun;
    export const setup = ({ data }) => void (begun = data);
    const begin = () => { Atomics.add(begun, 0, 1); Atomics.notify(begun, 0); };
    export const work = () => void begin();
    export const fail = () => { begin(); throw new Error('failed'); };`;
    const pool = poolFor(t, { threads: 1, worker: { data: begun } }, `data:text/javascript,${source}`);
    await pool.ready;
    const calls = ['work', 'work', 'fail', 'work'].map((name) => outcome(pool.run(name, [])));
    const seen = [];
    const look = () => {
      const { submitted, completed, open } = pool.stats().tasks;
      seen.push({ submitted, completed, open, ofWork: functionOf(pool, 'work').calls });
    };
    pool.on('task:settle', look); // now, since a pool with such a listener has a record of each call, and no batches
    for (let count = 0; count < 4; count = Atomics.load(begun, 0)) Atomics.wait(begun, 0, count);
    await Promise.all(calls);
    look();
    assert.deepEqual(seen[0], { submitted: 4, completed: 2, open: 1, ofWork: 2 });
    assert.deepEqual(seen[1], { submitted: 4, completed: 3, open: 0, ofWork: 3 });
  },
);

for (const way of ['the shared queue', 'a coordinator']) {
  test(`aborted calls do not wait whose tasks had begun, with ${way}`, { skip: apart }, async (t) => {
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const source = `
    let begun;
    export const setup = ({ data }) => void (begun = data);
    export const work = () => void (Atomics.add(begun, 0, 1), Atomics.notify(begun, 0));`;
    const options = { ...WAYS[way], threads: 1, worker: { data: begun } };
    const pool = poolFor(t, options, `data:text/javascript,${source}`);
    await pool.ready;
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 4 }, () => outcome(pool.run('work', [], { signal })));
    for (let count = 0; count < 4; count = Atomics.load(begun, 0)) Atomics.wait(begun, 0, count);
    controller.abort(); // before main has heard that they have ended
    const { queue, tasks } = pool.stats();
    assert.deepEqual([queue.size, tasks.open], [0, 0]);
    for (const { error } of await Promise.all(calls)) assert.equal(error.code, 'ERR_TASK_ABORTED');
  });
}

for (const [way, options] of Object.entries(WAYS).slice(0, 4)) {
  test(
    `a call whose result lay there while main was blocked has waited for main, with ${way}`,
    { skip: apart },
    async (t) => {
      const begun = new Int32Array(new SharedArrayBuffer(8));
      const source = `
    let begun;
    export const setup = ({ data }) => void (begun = data);
    export const work = () => void (Atomics.store(begun, 0, 1), Atomics.notify(begun, 0));`;
      const pool = poolFor(
        t,
        { ...options, threads: 1, worker: { data: begun } },
        `data:text/javascript,${source}`,
      );
      for (let i = 0; i < 50; i++) await pool.run('work', []); // short calls, whose results main expects soon
      const total = ({ mean, count }) => mean * count;
      const before = total(pool.stats().waitMs);
      Atomics.store(begun, 0, 0);
      await new Promise(setImmediate); // what follows begins a turn of the event loop, as a timer or a request does
      const call = pool.run('work', []);
      Atomics.wait(begun, 0, 0);
      Atomics.wait(begun, 1, 0, BLOCKED_MS);
      await call;
      const waitedMs = total(pool.stats().waitMs) - before;
      assert.ok(waitedMs >= BLOCKED_MS / 2, `waited ${waitedMs} ms`);
    },
  );
}
