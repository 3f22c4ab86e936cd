// placement 'auto': small functions come to the calling thread, and nothing else about a call changes.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';
import { event, moduleUrl, outcome, poolFor } from './fixtures/helpers.mjs';

const placedUrl = moduleUrl('placed.mjs');
const functionOf = (pool, name) => pool.stats().functions.find((each) => each.name === name);

const autoPool = (t, options = {}, url = placedUrl) =>
  poolFor(t, { threads: 1, placement: 'auto', ...options }, url);

/** As many calls as a function that is tiny may need until it has come to the calling thread. */
const MOST = 100_000;

/** Calls a function until it runs on the calling thread. */
async function untilInline(pool, name, args = [], options = undefined) {
  for (let i = 0; i < MOST; i += 50) {
    for (let j = 0; j < 50; j++) await outcome(pool.run(name, args, options));
    if (functionOf(pool, name).place === 'inline') return;
  }
  assert.fail(`it stays: ${functionOf(pool, name).why}`);
}

/** The outcome of a call that has run on the calling thread: some cross all the same, to see what that costs. */
async function inlineOutcome(pool, name, args = [], options = undefined) {
  await untilInline(pool, name, args, options);
  for (let i = 0; i < 200; i++) {
    const before = functionOf(pool, name).inline;
    const result = await outcome(pool.run(name, args, options));
    if (functionOf(pool, name).inline > before) return result;
  }
  return assert.fail('no call of 200 ran on the calling thread');
}

describe("placement 'auto'", () => {
  test('a tiny function comes to the calling thread; the statistics say what is done and why', async (t) => {
    const pool = autoPool(t);
    assert.notEqual(await pool.run('where', []), 0);
    assert.equal((await inlineOutcome(pool, 'where')).value, 0);
    const { place, why, calls, inline, runMs, crossingMs, bytesIn } = functionOf(pool, 'where');
    assert.equal(place, 'inline');
    assert.match(why, /^a call (runs for|takes) .+, a crossing costs .+$/);
    assert.ok(inline > 0 && inline < calls);
    assert.ok(runMs > 0 && crossingMs > 0);
    assert.ok(bytesIn > 0);
    assert.equal(pool.stats().placement, 'auto');
    const { submitted, completed, open } = pool.stats().tasks;
    assert.deepEqual([submitted, completed, open], [calls, calls, 0]);
  });

  test('a function that computes for long stays on threads', async (t) => {
    const pool = autoPool(t);
    for (let i = 0; i < 70; i++) assert.notEqual(await pool.run('spin', [2]), 0);
    const { place, inline, why } = functionOf(pool, 'spin');
    assert.deepEqual([place, inline], ['threads', 0]);
    assert.match(why, /^a call runs for .+ ms, a crossing costs/);
  });

  test('run returns before the result is there, and every call settles once', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'echo', [1]);
    let isBack = false;
    const call = pool.run('echo', [1]).then((value) => {
      assert.ok(isBack);
      return value;
    });
    isBack = true;
    assert.equal(await call, 1);
    const values = Array.from({ length: 5000 }, (_, i) => i);
    assert.deepEqual(await Promise.all(values.map((value) => pool.run('echo', [value]))), values);
  });

  test('arguments and results are copies, as in a worker', async (t) => {
    const pool = autoPool(t);
    const given = { list: ['mine'], at: new Date(5), map: new Map([[1, { deep: true }]]) };
    await untilInline(pool, 'change', [{ list: [] }]);
    const { value } = await inlineOutcome(pool, 'change', [given]);
    assert.deepEqual(given.list, ['mine']);
    assert.deepEqual(value, { ...given, list: ['mine', 'changed'] });
    const { value: own } = await inlineOutcome(pool, 'own');
    own.secret = 2;
    assert.equal((await inlineOutcome(pool, 'secret')).value, 1);
    const { value: moved } = await inlineOutcome(pool, 'moved');
    assert.deepEqual(moved, new Uint8Array([1, 2, 3]));
  });

  test('errors are those of a worker', async (t) => {
    const pool = autoPool(t);
    const threads = poolFor(t, { threads: 1 }, placedUrl);
    for (const args of [['error'], ['value']]) {
      const here = (await inlineOutcome(pool, 'fail', args)).error;
      const there = (await outcome(threads.run('fail', args))).error;
      assert.equal(here.constructor, there.constructor);
      const shown = ({ name, message, code, detail, cause, thrown }) => [
        name,
        message,
        code,
        detail,
        cause?.message,
        thrown,
      ];
      assert.deepEqual(shown(here), shown(there));
    }
    const { error } = await inlineOutcome(pool, 'uncloneable');
    assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'result.inner.fn']);
    await untilInline(pool, 'echo', [1]);
    const refused = (await outcome(pool.run('echo', [{ fn: () => 1 }]))).error;
    assert.deepEqual([refused.code, refused.path], ['ERR_NOT_CLONEABLE', 'args[0].fn']);
  });

  test('the task can be asked as in a worker: context, progress, signal', async (t) => {
    const ended = [];
    const pool = autoPool(t, {
      onTaskStart: ({ taskId }) => ({ span: taskId }),
      onTaskEnd: (task) => ended.push(task),
    });
    const progress = [];
    const options = { onProgress: (value) => progress.push(value) };
    const { value } = await inlineOutcome(pool, 'about', [], options);
    const last = ended.at(-1);
    assert.deepEqual(value, { aborted: false, context: { span: last.taskId }, workerId: 'number' });
    assert.deepEqual(progress.at(-1), { half: 1 });
    assert.deepEqual([last.outcome, last.context, last.name], ['completed', { span: last.taskId }, 'about']);
    assert.equal(ended.length, functionOf(pool, 'about').calls);
  });

  test('events are told as ever', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'echo', [1]);
    const told = [];
    for (const name of ['task:submit', 'task:settle'])
      pool.on(name, ({ taskId }) => told.push([name, taskId]));
    await inlineOutcome(pool, 'echo', [1]);
    const { taskId: id } = { taskId: told.at(-1)[1] };
    assert.deepEqual(told.slice(-2), [
      ['task:submit', id],
      ['task:settle', id],
    ]);
  });

  test('map goes the same way, in order', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'echo', [1]);
    const before = functionOf(pool, 'echo').inline;
    const values = [];
    for await (const value of pool.map(
      'echo',
      Array.from({ length: 1000 }, (_, i) => i),
    ))
      values.push(value);
    assert.deepEqual(
      values,
      Array.from({ length: 1000 }, (_, i) => i),
    );
    assert.ok(functionOf(pool, 'echo').inline > before);
  });
});

describe("placement 'auto': what crosses all the same", () => {
  test('what is beyond the budget of a turn', async (t) => {
    const pool = autoPool(t, { loopBudgetMs: 0.001 });
    await untilInline(pool, 'where');
    const before = functionOf(pool, 'where').inline;
    const calls = Array.from({ length: 1000 }, () => pool.run('where', [])); // all in one turn
    const inTurn = functionOf(pool, 'where').inline - before;
    const wheres = await Promise.all(calls);
    assert.ok(inTurn < 20, `${inTurn}`); // each takes more than a tenth of a microsecond
    assert.ok(wheres.filter((where) => where !== 0).length > 900);
    assert.equal((await inlineOutcome(pool, 'where')).value, 0); // another turn
  });

  test('calls that need a thread: a timeout, a key, what moves, a lease', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'where');
    for (let i = 0; i < 10; i++) {
      for (const options of [{ timeoutMs: 1000 }, { key: 'a' }, { transfer: [new ArrayBuffer(1)] }]) {
        assert.notEqual(await pool.run('where', [], options), 0);
      }
    }
    await untilInline(pool, 'echo', [1]);
    const before = functionOf(pool, 'echo').inline;
    const lease = pool.lease(3);
    lease.bytes.set([1, 2, 3]);
    assert.deepEqual([...(await pool.run('echo', [lease]))], [1, 2, 3]);
    assert.equal(functionOf(pool, 'echo').inline, before);
    const controller = new AbortController();
    controller.abort();
    assert.equal(
      (await outcome(pool.run('echo', [1], { signal: controller.signal }))).error.code,
      'ERR_TASK_ABORTED',
    );
  });

  test('all calls of a pool with a timeout: nobody could end them here', async (t) => {
    const pool = autoPool(t, { timeoutMs: 10_000 });
    for (let i = 0; i < 2000; i++) assert.notEqual(await pool.run('where', []), 0);
  });

  test('functions that return promises, seen beforehand or not', async (t) => {
    const pool = autoPool(t);
    for (let i = 0; i < 200; i++) {
      assert.notEqual(await pool.run('wait', []), 0);
      assert.notEqual(await pool.run('promise', []), 0);
    }
    for (const name of ['wait', 'promise']) assert.equal(functionOf(pool, name).why, 'it returns a promise');
  });

  test('one that returns a promise only here is awaited, and never runs here again', async (t) => {
    const pool = autoPool(t);
    await untilAwaited(pool);
    const values = await Promise.all(Array.from({ length: 50 }, () => pool.run('promiseOnMain', [])));
    assert.deepEqual(new Set(values), new Set(['at once']));
    const { submitted, completed, open } = pool.stats().tasks;
    assert.deepEqual([completed, open], [submitted, 0]);
  });

  test('close waits for one that is awaited here', async (t) => {
    const pool = autoPool(t);
    let closed;
    await untilAwaited(pool, () => {
      closed = pool.close();
    });
    await closed;
  });

  /** Calls until a call was awaited here; `during` is called while it is open. */
  async function untilAwaited(pool, during = () => undefined) {
    for (let i = 0; i < MOST; i++) {
      const call = pool.run('promiseOnMain', []);
      const isAwaited = functionOf(pool, 'promiseOnMain')?.why === 'it returns a promise';
      if (isAwaited) during();
      assert.equal(await call, isAwaited ? 'later' : 'at once');
      if (isAwaited) return;
    }
    assert.fail(functionOf(pool, 'promiseOnMain').why);
  }

  test('what the module keeps on threads', async (t) => {
    const pool = autoPool(t);
    for (let i = 0; i < 1000; i++) assert.notEqual(await pool.run('stays', []), 0);
    assert.equal(functionOf(pool, 'stays').why, 'the module declares that it stays on threads');
  });

  test('modules that must not be loaded on the main thread are not', async (t) => {
    for (const [name, mark, why] of [
      ['all-on-threads.mjs', 'loadedAllOnThreads', 'the module declares that it stays on threads'],
      ['with-setup.mjs', 'loadedWithSetup', 'the module has a setup or teardown of its own, for workers'],
    ]) {
      const pool = autoPool(t, {}, moduleUrl(name));
      for (let i = 0; i < 500; i++) assert.equal(await pool.run('one', []), 1);
      assert.equal(globalThis[mark], undefined);
      assert.equal(functionOf(pool, 'one').why, why);
    }
  });

  test('a module that does not load here: told once, and the pool goes on', async (t) => {
    const pool = autoPool(t, {}, moduleUrl('not-on-main.mjs'));
    const told = event(pool, 'error');
    assert.equal(await pool.run('one', []), 1);
    assert.match((await told).error.message, /this module is for workers/);
    for (let i = 0; i < 100; i++) assert.equal(await pool.run('one', []), 1);
    assert.match(
      functionOf(pool, 'one').why,
      /^the module cannot be loaded on the calling thread: .*for workers/,
    );
  });
});

describe("placement 'auto': while the pool runs", () => {
  test('only functions that the module has are remembered, whatever names are called', async (t) => {
    const pool = autoPool(t);
    await Promise.all(Array.from({ length: 300 }, (_, i) => outcome(pool.run(`nobody${i}`, []))));
    await pool.run('own', []);
    assert.deepEqual(
      pool.stats().functions.map(({ name }) => name),
      ['own'],
    );
  });

  test('can be switched on and off', async (t) => {
    const pool = poolFor(t, { threads: 1 }, placedUrl);
    assert.notEqual(await pool.run('where', []), 0);
    assert.deepEqual(pool.stats().functions, []);
    pool.configure({ placement: 'auto' });
    await untilInline(pool, 'where');
    pool.configure({ placement: 'threads' });
    for (let i = 0; i < 50; i++) assert.notEqual(await pool.run('where', []), 0);
    pool.configure({ placement: 'auto' });
    assert.notEqual(await pool.run('where', []), 0); // it begins anew
    await untilInline(pool, 'where');
  });

  test('a pool that is paused runs nothing here either', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'where');
    pool.pause();
    const before = functionOf(pool, 'where').inline;
    const calls = Array.from({ length: 10 }, () => pool.run('where', []));
    assert.equal(functionOf(pool, 'where').inline, before);
    assert.equal(pool.stats().queue.size, 10);
    pool.resume();
    await Promise.all(calls);
  });

  test('a pool that is closed refuses as ever', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'where');
    await pool.close();
    assert.equal((await outcome(pool.run('where', []))).error.code, 'ERR_POOL_CLOSED');
  });

  test("a tracer hears of it in the caller's async context", async (t) => {
    const storage = new AsyncLocalStorage();
    const pool = autoPool(t, { onTaskEnd: ({ context }) => seen.push([context, storage.getStore()]) });
    const seen = [];
    await storage.run('mine', () => inlineOutcome(pool, 'where'));
    assert.equal(seen.at(-1)[1], 'mine');
  });
});

describe('what a module declares', () => {
  const declare = (text) =>
    new URL(`data:text/javascript,export const one = () => 1; export const threadwise = ${text}`);
  for (const [text, expected] of [
    ["{ placement: 'main' }", /threadwise\.placement \(export\)': expected 'threads' or 'auto', got "main"/],
    ['{ placement: { one: 1 } }', /placement \(export\)\.one': expected 'threads' or 'auto', got 1/],
    [
      "{ placement: { on: 'threads' } }",
      /placement \(export\)\.on': expected the name of a task\. Did you mean 'one'\?/,
    ],
    ["{ place: 'threads' }", /Unknown option 'threadwise \(export\)\.place'/],
    ['7', /'threadwise \(export\)': expected an object, got 7/],
  ]) {
    test(`${text} is refused when the module loads, whatever the placement`, async (t) => {
      const pool = poolFor(t, { threads: 1 }, declare(text));
      const { error } = await outcome(pool.ready);
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.equal(error.cause.code, 'ERR_OPTION');
      assert.match(error.cause.message, expected);
    });
  }

  test('loopBudgetMs is checked: what was expected, what came', async (t) => {
    for (const loopBudgetMs of [0, -1, Number.NaN, 1001, '5']) {
      assert.throws(() => autoPool(t, { loopBudgetMs }), {
        code: 'ERR_OPTION',
        message: /loopBudgetMs.*milliseconds/,
      });
    }
  });
});
