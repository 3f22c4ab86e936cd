// Placements 'auto' and 'inline': what runs on the calling thread, and that nothing else about a call changes.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { queryObjects } from 'node:v8';
import { createPool } from 'threadwise';
import { transfer } from 'threadwise/worker';
import { event, gate, moduleUrl, outcome, poolFor, started } from './fixtures/helpers.mjs';

const placedUrl = moduleUrl('placed.mjs');
const functionOf = (pool, name) => pool.stats().functions.find((each) => each.name === name);

const autoPool = (t, options = {}, url = placedUrl) =>
  poolFor(t, { threads: 1, placement: 'auto', ...options }, url);

/** How many calls a tiny function may need at most until it runs on the calling thread. */
const MOST = 100_000;

/** Calls a function until it runs on the calling thread. */
async function untilInline(pool, name, args = [], options = undefined) {
  for (let i = 0; i < MOST; i += 50) {
    for (let j = 0; j < 50; j++) await outcome(pool.run(name, args, options));
    if (functionOf(pool, name).place === 'inline') return;
  }
  assert.fail(`it stays: ${functionOf(pool, name).why}`);
}

/** The outcome of a call that ran on the calling thread: some calls still cross, to measure what crossing costs. */
async function inlineOutcome(pool, name, args = [], options = undefined) {
  await untilInline(pool, name, args, options);
  for (let i = 0; i < 200; i++) {
    const before = functionOf(pool, name).inline;
    const result = await outcome(pool.run(name, args, options));
    if (functionOf(pool, name).inline > before) return result;
  }
  return assert.fail('no call of 200 ran on the calling thread');
}

/** Returns a function that tells how many turns the event loop has had since now. */
function countTurns(t) {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  t.after(() => clearImmediate(next));
  return () => turns;
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
    // On a busy machine a crossing may cost 2 ms: a function that takes less is then rightly called on the calling thread.
    for (let i = 0; i < 70; i++) assert.notEqual(await pool.run('spin', [10]), 0);
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

  test('of calls that are made one after the other, none crosses because a turn of the event loop is over', async (t) => {
    let pool;
    const begin = async () => {
      pool = autoPool(t, { loopBudgetMs: 0.1 });
      await untilInline(pool, 'where');
    };
    await begin();
    let across = 0;
    const from = performance.now();
    for (let i = 0; i < 100_000; i++) {
      if ((await pool.run('where', [])) === 0) continue;
      if (functionOf(pool, 'where').place === 'inline') across++;
      else await begin(); // where other programs take the core, calls may take so long that the function rightly leaves
    }
    // There are a thousand turns or more. 64 calls cross to measure what that costs, at most once a second; and the first one that is late.
    const seconds = (performance.now() - from) / 1000;
    assert.ok(across <= 64 * (seconds + 1) + 2, `${across} in ${seconds} s`);
    const { open, submitted, completed } = pool.stats().tasks;
    assert.deepEqual([open, submitted], [0, completed]);
    await begin();
    await new Promise(setImmediate); // what has been called may have used up the budget of this turn
    const many = Array.from({ length: 20_000 }, () => pool.run('where', []));
    const threads = new Set(await Promise.all(many));
    assert.deepEqual(threads.size, 2, 'most of those that are late cross');
  });

  test('a call that waits for the next turn is told, refused and given up as any other', async (t) => {
    const pool = autoPool(t, { loopBudgetMs: 0.1 });
    await untilInline(pool, 'where');
    const told = new Map();
    pool.on('task:settle', ({ taskId, outcome: how }) => told.set(taskId, (told.get(taskId) ?? '') + how));
    const turns = countTurns(t);
    let calls = 0;
    for (; turns() < 100; calls++) assert.equal(typeof (await pool.run('where', [])), 'number');
    assert.deepEqual([...new Set(told.values())], ['completed']);
    assert.equal(told.size, calls);
    const waiting = pool.run('where', []);
    const closed = pool.destroy();
    const { value, error } = await outcome(waiting);
    assert.ok(value === 0 || error?.code === 'ERR_POOL_CLOSED', 'it settles');
    await closed;
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
    assert.equal((await inlineOutcome(pool, 'where')).value, 0); // in another turn
  });

  test('calls that need a thread: a timeout, a key, what moves, a lease; those that their own reports may abort', async (t) => {
    const pool = autoPool(t);
    await untilInline(pool, 'where');
    const reported = { signal: new AbortController().signal, onProgress: () => undefined };
    for (let i = 0; i < 10; i++) {
      for (const options of [
        { timeoutMs: 1000 },
        { key: 'a' },
        { transfer: [new ArrayBuffer(1)] },
        reported,
      ]) {
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

  /** Calls until the result of a call was awaited here; calls `during` while that call is open. */
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

  test('a stream; other calls of its function come to the calling thread all the same', async (t) => {
    const pool = autoPool(t);
    for await (const value of pool.stream('list', [1])) assert.equal(value, 1);
    await untilInline(pool, 'list', [1]);
  });

  test('what the module keeps on threads', async (t) => {
    const pool = autoPool(t);
    for (let i = 0; i < 1000; i++) assert.notEqual(await pool.run('stays', []), 0);
    assert.equal(functionOf(pool, 'stays').why, 'the module declares that it stays on threads');
  });

  test('modules that must not be loaded on the main thread are not', async (t) => {
    for (const [name, mark, why] of [
      ['all-on-threads.mjs', 'loadedAllOnThreads', 'the module declares that it stays on threads'],
      ['with-setup.mjs', 'loadedWithSetup', 'the module has a setup or teardown of its own, for workers'],
      [
        'with-setup-placed.mjs',
        'loadedWithSetup',
        'the module has a setup or teardown of its own, for workers',
      ],
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
      ['own', '(other names)'],
    );
  });

  test('can be switched on and off', async (t) => {
    const pool = poolFor(t, { threads: 1, isolation: 'thread' }, placedUrl); // processes have one placement only
    assert.notEqual(await pool.run('where', []), 0);
    assert.equal(functionOf(pool, 'where').why, "placement 'threads'");
    pool.configure({ placement: 'auto' });
    await untilInline(pool, 'where');
    pool.configure({ placement: 'threads' });
    for (let i = 0; i < 50; i++) assert.notEqual(await pool.run('where', []), 0);
    pool.configure({ placement: 'auto' });
    assert.notEqual(await pool.run('where', []), 0); // its measurements start over
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

describe("placement 'inline'", () => {
  const hereUrl = moduleUrl('here.mjs');

  /** A pool on this thread that is ready, and `seen`: what its module has recorded. */
  async function herePool(t, options = {}) {
    const pool = poolFor(t, { placement: 'inline', ...options }, hereUrl);
    await pool.ready;
    const { seen } = await import(hereUrl);
    return { pool, seen };
  }

  test('a call runs within run; its arguments and its result are copies', async (t) => {
    const { pool, seen } = await herePool(t);
    const given = { part: { deep: 1 } };
    const before = seen.args.length;
    const call = pool.run('copied', [given]);
    assert.equal(seen.args.length, before + 1);
    given.part.deep = 2;
    const result = await call;
    assert.deepEqual(result, { part: { deep: 1 }, list: [1] });
    assert.notEqual(seen.args.at(-1), given);
    assert.notEqual(result, seen.results.at(-1));
    assert.notEqual(result.part, seen.args.at(-1).part);
  });

  test('a function that never awaits sees that its caller aborts it, for what it reports', async (t) => {
    const { pool, seen } = await herePool(t);
    const controller = new AbortController();
    const heard = [];
    const onProgress = (count) => heard.push(count) === 3 && controller.abort();
    const call = pool.run('reportUntilAborted', [10], { signal: controller.signal, onProgress });
    assert.equal(seen.reports, 3);
    assert.equal((await outcome(call)).error.code, 'ERR_TASK_ABORTED');
    assert.deepEqual(heard, [1, 2, 3]);
  });

  test('a function is called without a `this`, as on workers', async (t) => {
    const pool = poolFor(t, { placement: 'inline' }, placedUrl);
    await pool.ready;
    for (let i = 0; i < 100; i++) assert.equal(await pool.run('hasReceiver', []), false);
    assert.equal(await pool.run('hasReceiver', [], { timeoutMs: 60_000 }), false);
  });

  test('for a pure function nothing is copied, neither its arguments nor its result', async (t) => {
    const { pool, seen } = await herePool(t);
    const given = { part: { deep: 1 } };
    const result = await pool.run('pure', [given]);
    assert.equal(seen.args.at(-1), given);
    assert.equal(result, seen.results.at(-1));
    assert.equal(result.part, given.part);
  });

  test('a call of a pure function that has to wait gets the arguments as they were', async (t) => {
    const { pool, seen } = await herePool(t);
    pool.pause();
    const given = { part: { deep: 1 } };
    const call = pool.run('pure', [given]);
    given.part.deep = 2;
    pool.resume();
    assert.deepEqual((await call).part, { deep: 1 });
    assert.notEqual(seen.args.at(-1), given);
  });

  test('setup and teardown run once, here, where there is no worker', async (t) => {
    const { seen } = await import(hereUrl);
    const [setups, teardowns] = [seen.setups.length, seen.teardowns];
    const { pool } = await herePool(t, { name: 'here', worker: { data: { list: [1] } } });
    assert.deepEqual(seen.setups.slice(setups), [{ workerId: 0, poolName: 'here', data: { list: [1] } }]);
    pool.configure({ placement: 'threads' });
    pool.configure({ placement: 'inline' });
    assert.equal(await pool.run('add', [1, 2]), 3);
    await pool.close();
    assert.deepEqual([seen.setups.length, seen.teardowns], [setups + 1, teardowns + 1]);
  });

  test(
    'a pool that ends while its module is set up here: that is torn down',
    { timeout: 20_000 },
    async (t) => {
      const url = moduleUrl('slow-setup.mjs');
      const { events } = await import(url);
      for (const end of ['close', 'destroy']) {
        const begun = once(events, 'begun');
        const pool = poolFor(t, { placement: 'inline' }, url);
        pool.ready.catch(() => undefined);
        await begun;
        await pool[end]();
        const torn = once(events, 'torn');
        events.emit('go');
        await torn;
      }
    },
  );

  test('a pool that ends before its module is loaded here does not set it up', async (t) => {
    const { seen } = await import(hereUrl);
    const setups = seen.setups.length;
    const pool = poolFor(t, { placement: 'inline' }, hereUrl);
    pool.ready.catch(() => undefined);
    await pool.close();
    await new Promise(setImmediate);
    assert.equal(seen.setups.length, setups);
  });

  test('a call that is closed while it is made is refused, and does not run', async (t) => {
    const { seen } = await import(hereUrl);
    const closing = {
      tracer: (pools) => [{ onTaskStart: () => void pools[0].destroy() }, { part: 1 }],
      getter: (pools) => [
        {},
        {
          get part() {
            void pools[0].destroy();
            return 1;
          },
        },
      ],
    };
    for (const [name, make] of Object.entries(closing)) {
      const pools = [];
      const [options, value] = make(pools);
      const { pool } = await herePool(t, options);
      if (name === 'getter') await pool.run('copied', [{ part: 0 }]); // the next one runs on credit
      pools.push(pool);
      const before = seen.args.length;
      assert.equal((await outcome(pool.run('copied', [value]))).error?.code, 'ERR_POOL_CLOSED', name);
      assert.equal(seen.args.length, before, name);
    }
  });

  test('a module that was loaded for auto is set up before its functions run inline', async (t) => {
    const pool = autoPool(t, {}, moduleUrl('setup-auto.mjs'));
    await untilInline(pool, 'quick');
    pool.configure({ placement: 'inline' });
    assert.equal(await pool.run('setups', []), 1);
    pool.configure({ placement: 'threads' });
    pool.configure({ placement: 'inline' });
    assert.equal(await pool.run('setups', []), 1);
  });

  test('after that, all calls of the function that auto ran last are counted', async (t) => {
    const pool = autoPool(t, {}, moduleUrl('setup-auto.mjs'));
    await untilInline(pool, 'quick');
    pool.configure({ placement: 'inline' });
    const { inline } = functionOf(pool, 'quick');
    for (let i = 1; i <= 20; i++) {
      await pool.run('quick', []);
      assert.equal(functionOf(pool, 'quick').inline, inline + i);
    }
  });

  test('a call that was interrupted here is counted as one that ran here; one that only waited is not', async (t) => {
    const pool = poolFor(t, { placement: 'inline' });
    const { error } = await outcome(pool.run('runUntilAborted', [], { timeoutMs: 5 }));
    assert.equal(error.code, 'ERR_TASK_TIMEOUT');
    const controller = new AbortController();
    const { promise } = await started(pool, 'runUntilAborted', [], { signal: controller.signal });
    const waiting = outcome(pool.run('runUntilAborted', [], { signal: controller.signal }));
    controller.abort();
    assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
    await waiting;
    const { calls, inline, failures } = functionOf(pool, 'runUntilAborted');
    assert.deepEqual({ calls, inline, failures }, { calls: 3, inline: 2, failures: 1 });
  });

  test('the sums of stats() are right whenever they are asked for', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    const looks = [];
    const look = () => {
      const { submitted, retried: _, ...rest } = pool.stats().tasks;
      looks.push(submitted - Object.values(rest).reduce((sum, each) => sum + each));
    };
    const calls = [];
    for (let i = 0; i < 20; i++) {
      for (let j = 0; j < 20; j++) calls.push(pool.run('increment', [j]));
      calls.push(pool.run('increment', [i], { priority: 0 }).then(look));
    }
    pool.pause();
    pool.resume();
    const drained = pool.drain();
    await Promise.all(calls);
    await drained;
    assert.deepEqual(new Set(looks), new Set([0]));
    const { pool: here } = await herePool(t);
    let made = 0;
    const add = () => here.run('add', [made++, 1]);
    for (let i = 0; i < 40; i++) await add();
    const nested = [];
    const listener = () => {
      here.off('task:settle', listener);
      for (let i = 0; i < 3; i++) nested.push(add());
    };
    here.on('task:settle', listener);
    for (let i = 0; i < 40; i++) await add();
    await Promise.all(nested);
    assert.equal(here.stats().tasks.submitted, made);
  });

  test('destroy runs no teardown, also where a call waits', async (t) => {
    const { seen } = await import(hereUrl);
    const { pool } = await herePool(t);
    pool.pause();
    const waiting = outcome(pool.run('add', [1, 2]));
    const before = seen.teardowns;
    await pool.destroy();
    assert.equal((await waiting).error.code, 'ERR_POOL_CLOSED');
    assert.equal(seen.teardowns, before);
  });

  test('calls that await know their task, each its own, also when others run meanwhile', async (t) => {
    let number = 0;
    const { pool } = await herePool(t, { tasksPerWorker: 4, onTaskStart: () => ++number });
    const marks = ['a', 'b', 'c'];
    const told = [];
    const calls = marks.map((mark) =>
      pool.run('asked', [mark], { onProgress: (value) => told.push([mark, value]) }),
    );
    assert.deepEqual(await Promise.all(calls), [
      ['a', 1, 0],
      ['b', 2, 0],
      ['c', 3, 0],
    ]);
    assert.deepEqual(
      told,
      marks.map((mark) => [mark, mark]),
    );
  });

  test('a task that is called within one of another pool on this thread is answered by its own pool', async (t) => {
    const pools = {};
    const open = async (who, other) => {
      const host = { who: () => who, another: () => pools[other].run('who', []) };
      pools[who] = poolFor(t, { placement: 'inline', host }, moduleUrl('who.mjs'));
      await pools[who].ready;
    };
    await open('a', 'b');
    await open('b', 'a');
    assert.deepEqual(await pools.a.run('callsAnother', []), ['b', 'a']);
    assert.deepEqual(await pools.b.run('callsAnother', []), ['a', 'b']);
  });

  test('so is one that is called on the thread of a worker', async (t) => {
    for (const tasksPerWorker of [1, 2]) {
      const options = { threads: 1, tasksPerWorker, host: { who: () => 'outer' } };
      const pool = poolFor(t, options, moduleUrl('who.mjs'));
      assert.deepEqual(await pool.run('callsInner', []), [['a', 'b'], 'inner', 'outer']);
    }
  });

  test('a call that is made within another one runs after it', async (t) => {
    const { pool, seen } = await herePool(t);
    seen.makeCall = (args) => pool.run('add', args);
    assert.equal(await pool.run('nested', [[1, 2]]), 'outer');
    assert.equal(await seen.nested, 3);
    const { submitted, completed, open } = pool.stats().tasks;
    assert.deepEqual([submitted, completed, open], [2, 2, 0]);
  });

  for (const options of [{}, { tasksPerWorker: 1, loopBudgetMs: 0.001 }]) {
    const where = options.loopBudgetMs === undefined ? 'within run' : 'as a task';

    test(`${where}: a call that a getter of a result makes is another call`, async (t) => {
      const heard = [];
      const { pool, seen } = await herePool(t, { ...options, onTaskStart: ({ name }) => `for ${name}` });
      for (const name of ['task:submit', 'task:settle']) pool.on(name, (each) => heard.push(each));
      seen.makeCall = (args) => pool.run('add', args);
      if (where === 'as a task') await pool.run('add', [0, 0]); // uses up the budget of this turn
      heard.length = 0;
      assert.deepEqual(await pool.run('callsWhenCopied', []), { part: 'copied' });
      assert.equal(await seen.nested, 3);
      for (const name of ['add', 'callsWhenCopied']) {
        const events = heard.filter((each) => each.name === name);
        const [{ taskId }] = events;
        assert.deepEqual(
          events.map((each) => [each.taskId, each.outcome]),
          [
            [taskId, undefined],
            [taskId, 'completed'],
          ],
        );
        assert.equal(heard.filter((each) => each.taskId === taskId).length, 2);
      }
    });

    test(`${where}: a call that the getter 'then' of a result makes is another call`, async (t) => {
      const heard = [];
      const { pool, seen } = await herePool(t, { ...options, onTaskStart: ({ name }) => `for ${name}` });
      for (const name of ['task:submit', 'task:progress', 'task:settle'])
        pool.on(name, (each) => heard.push([each.name, each.taskId]));
      seen.makeCall = (args) => pool.run('add', args);
      seen.nested = undefined;
      if (where === 'as a task') await pool.run('add', [0, 0]); // uses up the budget of this turn
      heard.length = 0;
      const told = [];
      const run = { onProgress: (value) => told.push(value) };
      const result = await pool.run('callsWhenAwaited', ['mine'], run);
      assert.deepEqual(result, ['mine', 'for callsWhenAwaited', 0]);
      assert.deepEqual(told, ['mine']);
      assert.equal(await seen.nested, 3);
      const idOf = (wanted) => new Set(heard.filter(([name]) => name === wanted).map(([, id]) => id));
      assert.deepEqual([idOf('callsWhenAwaited').size, idOf('add').size], [1, 1]);
      assert.deepEqual([heard.length, pool.stats().tasks.open], [5, 0]);
    });
  }

  test('a call that fails has both times within run, on credit and as a task; within run it does not wait', async (t) => {
    const { pool } = await herePool(t);
    for (let i = 0; i < 100; i++) await pool.run('failAbove', [i, 50]).catch(() => undefined);
    await new Promise((resolve) => void setImmediate(resolve)); // those calls may have used up the budget of this turn
    const heard = [];
    pool.on('task:settle', (event) => heard.push(event));
    await outcome(pool.run('failAbove', [1, 0]));
    pool.pause();
    const waiting = outcome(pool.run('failAbove', [1, 0]));
    pool.resume();
    await waiting;
    const [within, later] = heard;
    assert.deepEqual([within.outcome, within.waitMs, typeof within.runMs], ['failed', 0, 'number']);
    assert.deepEqual(
      [later.outcome, typeof later.waitMs, typeof later.runMs],
      ['failed', 'number', 'number'],
    );
    const { runMs, waitMs, tasks } = pool.stats();
    assert.deepEqual([tasks.completed, tasks.failed, runMs.count, waitMs.count], [51, 51, 102, 102]);
  });

  test('what is too late for a turn waits for the next one, in order, and is counted', async (t) => {
    const { pool } = await herePool(t, { loopBudgetMs: 0.001 });
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const order = [];
    const calls = Array.from({ length: 200 }, (_, i) =>
      pool.run('add', [i, 1]).then((value) => order.push(value)),
    );
    assert.ok(pool.stats().queue.size > 100);
    await Promise.all(calls);
    isDone = true;
    assert.deepEqual(
      order,
      Array.from({ length: 200 }, (_, i) => i + 1),
    );
    assert.ok(turns > 10, `${turns}`);
    const { tasks, runMs, workers } = pool.stats();
    assert.deepEqual([tasks.submitted, tasks.completed, tasks.open, runMs.count], [200, 200, 0, 200]);
    assert.deepEqual(
      workers.map(({ id, inline, state, completed }) => [id, inline, state, completed]),
      [[0, true, 'ready', 200]],
    );
  });

  test('with a queue of no length, a call that finds the thread free is never refused', async (t) => {
    const { pool } = await herePool(t, { loopBudgetMs: 0.001, queue: { limit: 0 } });
    for (let i = 0; i < 200; i++) assert.equal(await pool.run('add', [i, 1]), i + 1);
  });

  test('with a queue of no length, one call is taken while the module loads, as with workers that start', async (t) => {
    const pool = poolFor(t, { placement: 'inline', queue: { limit: 0 } }, hereUrl);
    const calls = [pool.run('add', [1, 2]), pool.run('add', [1, 2])].map(outcome);
    const [first, second] = await Promise.all(calls);
    assert.deepEqual([first.value, second.error?.code], [3, 'ERR_QUEUE_FULL']);
  });

  test('whoever waits for room in a queue of no length while the module loads has it then', async (t) => {
    const pool = poolFor(t, { placement: 'inline', queue: { limit: 0 } }, hereUrl);
    const room = pool.room();
    await pool.ready;
    await room;
    assert.equal(await pool.run('add', [1, 2]), 3);
  });

  test('one that does not heed its timeout loses its place after a while: others run', async (t) => {
    const { pool } = await herePool(t);
    const late = outcome(pool.run('stubborn', [], { timeoutMs: 5 }));
    const next = pool.run('add', [1, 2]);
    assert.equal((await late).error.code, 'ERR_TASK_TIMEOUT');
    assert.equal(await next, 3);
    await pool.close();
  });

  test('a call is not lost whose task was aborted while it waits, runs, or before', async (t) => {
    const { pool } = await herePool(t);
    const aborting = new AbortController();
    const { signal } = aborting;
    const calls = [pool.run('stubborn', [], { signal }), pool.run('add', [1, 2], { signal })].map(outcome);
    aborting.abort(new Error('enough'));
    calls.push(outcome(pool.run('add', [1, 2], { signal })));
    for (const call of calls) {
      const { error } = await call;
      assert.deepEqual([error.code, error.cause.message], ['ERR_TASK_ABORTED', 'enough']);
    }
    assert.equal(await pool.run('add', [1, 2]), 3);
  });

  test('what moves has moved, and a lease is lent until its task has ended', async (t) => {
    const pool = poolFor(t, { placement: 'inline' }, placedUrl);
    await pool.ready;
    const bytes = new Uint8Array([1, 2]);
    assert.deepEqual(await pool.run('echo', [bytes], { transfer: [bytes.buffer] }), new Uint8Array([1, 2]));
    assert.equal(bytes.length, 0);
    const lease = pool.lease(2);
    lease.bytes.set([3, 4]);
    assert.deepEqual([...(await pool.run('echo', [lease]))], [3, 4]);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    assert.deepEqual(await pool.run('moved', []), new Uint8Array([1, 2, 3]));
  });

  test('what `transfer` marks among the arguments of a call is copied as it is on threads: only the option moves', async (t) => {
    for (const placement of ['threads', 'inline']) {
      const pool = poolFor(t, { placement }, placedUrl);
      await pool.ready;
      const bytes = new Uint8Array([1, 2]);
      const result = await pool.run('echo', [transfer(bytes, [bytes.buffer])]);
      assert.deepEqual([result, bytes.length], [{ value: bytes, list: [bytes.buffer] }, 2], placement);
    }
  });

  test('what a task moves to a host function has moved', async (t) => {
    const host = { take: (name, bytes) => [name, ...bytes] };
    assert.deepEqual(await poolFor(t, { placement: 'inline', host }).run('moveToHost', ['take']), [
      ['bytes', 1, 2, 3],
      0,
    ]);
  });

  test('listeners that come later hear of each call that is made then', async (t) => {
    const { pool } = await herePool(t);
    for (let i = 0; i < 50; i++) await pool.run('add', [i, 1]);
    const told = [];
    for (const name of ['task:submit', 'task:settle']) pool.on(name, () => told.push(name));
    await Promise.all([pool.run('add', [1, 1]), pool.run('add', [1, 1])]);
    assert.deepEqual(told, ['task:submit', 'task:settle', 'task:submit', 'task:settle']);
    assert.equal(pool.stats().tasks.completed, 52);
  });

  for (const end of ['close', 'destroy']) {
    test(`a call that is told of is counted, though a listener that hears of it calls ${end}`, async (t) => {
      const { pool } = await herePool(t);
      pool.on('task:submit', () => void pool[end]());
      assert.equal((await outcome(pool.run('add', [1, 1]))).error.code, 'ERR_POOL_CLOSED');
      const { submitted, completed, rejected } = pool.stats().tasks;
      assert.deepEqual({ submitted, completed, rejected }, { submitted: 1, completed: 0, rejected: 1 });
    });
  }

  for (const who of ['a listener', 'the tracer']) {
    test(`a call that ${who} gives up on hearing of it does not run`, async (t) => {
      const aborting = new AbortController();
      const giveUp = () => aborting.abort(who);
      const { pool, seen } = await herePool(t, who === 'the tracer' ? { onTaskStart: giveUp } : {});
      if (who === 'a listener') pool.on('task:submit', giveUp);
      const told = event(pool, 'task:settle');
      const before = seen.args.length;
      const { error } = await outcome(pool.run('copied', [1], { signal: aborting.signal }));
      assert.deepEqual([error.code, error.cause], ['ERR_TASK_ABORTED', who]);
      assert.equal((await told).outcome, 'aborted');
      const { submitted, aborted, open } = pool.stats().tasks;
      assert.deepEqual([submitted, aborted, open, seen.args.length], [1, 1, 0, before]);
    });
  }

  test('a signal that a getter of a result aborts is not taken for that of the next call', async (t) => {
    const { pool, seen } = await herePool(t, { tasksPerWorker: 1, loopBudgetMs: 0.001 });
    const aborting = new AbortController();
    seen.makeCall = () => aborting.abort();
    await pool.run('add', [0, 0]); // uses up the budget of this turn: the next call is a task
    const { error } = await outcome(pool.run('callsWhenCopied', [], { signal: aborting.signal }));
    assert.equal(error.code, 'ERR_TASK_ABORTED');
    assert.equal(await pool.run('isAborted', []), false);
  });

  test('destroy rejects a call, too, whose function has it called before it returns a promise', async (t) => {
    const pool = poolFor(t, { placement: 'inline' });
    await pool.ready;
    let destroyed;
    const call = pool.run('runUntilAborted', [], { onProgress: () => (destroyed = pool.destroy()) });
    assert.equal((await outcome(call)).error?.code, 'ERR_POOL_CLOSED');
    await destroyed;
    const { open, rejected, submitted } = pool.stats().tasks;
    assert.deepEqual({ open, rejected, submitted }, { open: 0, rejected: 1, submitted: 1 });
  });

  test('destroy rejects such a call also while workers are there still', async (t) => {
    const pool = poolFor(t, { threads: 1, isolation: 'thread' });
    await pool.ready;
    const ready = event(pool, 'worker:ready');
    pool.configure({ placement: 'inline' });
    await ready;
    let destroyed;
    const call = pool.run('runUntilAborted', [], { onProgress: () => (destroyed = pool.destroy()) });
    call.catch(() => undefined);
    await destroyed;
    assert.equal(pool.stats().tasks.open, 0);
    await assert.rejects(call, { code: 'ERR_POOL_CLOSED' });
  });

  test('a call whose signal refuses a listener is rejected with what that throws, and ends once', async (t) => {
    const ended = [];
    const onTaskEnd = ({ taskId, outcome }) => ended.push([taskId, outcome]);
    const pool = poolFor(t, { placement: 'inline', onTaskEnd });
    await pool.ready;
    const { shared, open } = gate();
    const addEventListener = () => {
      throw new Error('no listeners');
    };
    const signal = { aborted: false, addEventListener, removeEventListener: () => undefined };
    const { error } = await outcome(pool.run('waitFor', [shared], { signal }));
    assert.equal(error?.message, 'no listeners');
    open();
    await pool.close();
    const { submitted, rejected } = pool.stats().tasks;
    assert.deepEqual([ended, submitted, rejected], [[[1, 'rejected']], 1, 1]);
  });

  test('a pool that is destroyed while a call is made or ends tells of its end before it tells that it is closed', async (t) => {
    const waysToDestroy = {
      onTaskStart: (destroy) => [{ onTaskStart: destroy }],
      listener: (destroy) => [{}, (pool) => pool.on('task:submit', destroy)],
      function: (destroy) => [{}, undefined, { onProgress: destroy }],
      onTaskEnd: (destroy) => [{ onTaskEnd: destroy }],
    };
    for (const [who, make] of Object.entries(waysToDestroy)) {
      let destroyed;
      const [options, prepare, ofRun] = make(() => void (destroyed ??= pool.destroy()));
      const pool = poolFor(t, { placement: 'inline', ...options });
      await pool.ready;
      prepare?.(pool);
      const told = [];
      for (const name of ['task:submit', 'task:settle', 'pool:close']) pool.on(name, () => told.push(name));
      await outcome(pool.run('report', [[1]], ofRun));
      await destroyed;
      assert.deepEqual(told, ['task:submit', 'task:settle', 'pool:close'], who);
    }
  });

  for (const end of ['close', 'drain'])
    test(`${end} waits, too, for a call whose function has it called before it returns`, async (t) => {
      const { pool, seen } = await herePool(t);
      let [ended, resolve] = [undefined, undefined];
      const open = new Promise((opened) => (resolve = opened));
      seen.makeCall = () => {
        ended = pool[end]().then(() => ['ended', seen.teardowns - before]);
        return open;
      };
      const before = seen.teardowns;
      const call = pool.run('made', []);
      const first = await Promise.race([ended, new Promise((done) => setImmediate(() => done('it waits')))]);
      assert.equal(first, 'it waits');
      assert.equal(seen.teardowns, before);
      resolve('late');
      assert.equal(await call, 'late');
      assert.deepEqual(await ended, ['ended', end === 'close' ? 1 : 0]);
    });

  test('no store of the async context is left of pools that were closed or destroyed', async () => {
    const stores = () => queryObjects(AsyncLocalStorage, { format: 'count' });
    const before = stores();
    for (let i = 0; i < 10; i++) {
      const pool = createPool(placedUrl, { placement: 'inline' }); // not by poolFor, which keeps the pool
      await pool.run('about', []);
      await (i < 5 ? pool.close() : pool.destroy());
    }
    await new Promise(setImmediate);
    const left = stores() - before;
    assert.ok(left < 5, `${left} stores are left of 10 pools`); // what ran last may hold one or two for a while
  });

  test('destroy rejects what is open, and nothing is left', async (t) => {
    const { pool } = await herePool(t, { tasksPerWorker: 2 });
    const calls = [pool.run('stubborn', []), pool.run('stubborn', []), pool.run('add', [1, 2])].map(outcome);
    await pool.destroy();
    for (const call of calls) assert.equal((await call).error.code, 'ERR_POOL_CLOSED');
    assert.equal(pool.stats().workers.length, 0);
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
      /placement \(export\)\.on': expected the name of a task \(one\), got "on"\. Did you mean 'one'\?/,
    ],
    ["{ pure: 'one' }", /threadwise\.pure \(export\)': expected an array, got "one"/],
    [
      "{ pure: ['on'] }",
      /pure \(export\)\[0\]': expected the name of a task \(one\), got "on"\. Did you mean 'one'\?/,
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
