// What a task yields: every value arrives once, in order, none after the end, and the task runs no further ahead than was asked for.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { apart, moduleUrl, outcome, poolFor } from './fixtures/helpers.mjs';

const url = moduleUrl('streams.mjs');

async function all(values) {
  const taken = [];
  try {
    for await (const value of values) taken.push(value);
  } catch (error) {
    return { taken, error };
  }
  return { taken };
}
const upTo = (length) => Array.from({ length }, (_, i) => i);

/** Two words in shared memory: how many values were yielded, and whether the task's `finally` has run. */
function words() {
  const shared = new SharedArrayBuffer(8);
  const own = new Int32Array(shared);
  const until = async (index, isSo) => {
    for (let now = Atomics.load(own, index); !isSo(now); now = Atomics.load(own, index)) {
      await Atomics.waitAsync(own, index, now).value;
    }
  };
  return {
    shared,
    yielded: () => Atomics.load(own, 0),
    until,
    hasEnded: () => until(1, (word) => word === 1),
  };
}
/** `Atomics.waitAsync` alone does not keep the process alive. */
function keepAlive(t) {
  const timer = setInterval(() => undefined, 1000);
  t.after(() => clearInterval(timer));
}

for (const placement of ['threads', 'inline']) {
  describe(`streams, placement '${placement}'`, () => {
    const made = (t, options) => poolFor(t, { threads: 1, placement, ...options }, url);

    for (const [name, args, length] of [
      ['count', [0, 10_000], 10_000],
      ['countLater', [0, 10_000], 10_000],
      ['list', [1000], 1000],
      ['later', [100], 100],
      ['readable', [100], 100],
      ['count', [0, 0], 0],
    ]) {
      test(`${name}(${args}): every value once, in order`, async (t) => {
        const pool = made(t);
        assert.deepEqual(await all(pool.stream(name, args)), { taken: upTo(length) });
        assert.equal(pool.stats().tasks.open, 0);
        assert.equal(pool.stats().tasks.completed, 1);
      });
    }

    for (const highWaterMark of [1, 2, 16]) {
      test(
        `the task is never more than ${highWaterMark} ahead, and does get as far`,
        { skip: placement === 'threads' && apart },
        async (t) => {
          keepAlive(t);
          const pool = made(t);
          const { shared, yielded, until } = words();
          const values = pool.stream('counted', [shared, 100], { highWaterMark });
          assert.equal(yielded(), 0, 'it begins with the first next');
          for (let taken = 1; taken <= 100; taken++) {
            assert.deepEqual(await values.next(), { done: false, value: taken - 1 });
            assert.ok(yielded() <= taken + highWaterMark, `${yielded()} yielded, ${taken} taken`);
            // The first value comes alone, those that follow come together.
            if (taken === 1) await until(0, (count) => count >= highWaterMark);
          }
          assert.deepEqual(await values.next(), { done: true, value: undefined });
        },
      );
    }

    test('what a task throws comes after the values before it', async (t) => {
      const pool = made(t);
      for (const count of [0, 1, 100]) {
        const { taken, error } = await all(pool.stream('failsAfter', [count]));
        assert.deepEqual(taken, upTo(count));
        assert.equal(error.name, 'RangeError');
        assert.equal(error.message, `after ${count}`);
      }
      assert.equal(pool.stats().tasks.open, 0);
    });

    test(
      'who leaves the loop ends the task, and its finally runs',
      { skip: placement === 'threads' && apart },
      async (t) => {
        keepAlive(t);
        const pool = made(t);
        const { shared, hasEnded } = words();
        for await (const value of pool.stream('counted', [shared])) if (value === 100) break;
        await hasEnded();
        assert.equal(await pool.run('number', []), 7, 'the worker is free');
        assert.equal(pool.stats().tasks.open, 0);
      },
    );

    test('the event loop of its caller turns while a task computes its values', async (t) => {
      let turns = 0;
      let next = setImmediate(function count() {
        turns++;
        next = setImmediate(count);
      });
      t.after(() => clearImmediate(next));
      const pool = made(t, { loopBudgetMs: 1 });
      await pool.ready;
      const before = turns;
      assert.deepEqual(await all(pool.stream('computed', [50, 1])), { taken: upTo(50) });
      assert.ok(turns > before);
    });

    test('a stream that nobody began is no call', async (t) => {
      const pool = made(t);
      assert.deepEqual(await pool.stream('count', [0, 5]).return(), { done: true, value: undefined });
      assert.equal(pool.stats().tasks.submitted, 0);
    });

    test('an error that its caller throws into it ends it, and is what a Readable of it is destroyed with', async (t) => {
      const pool = made(t);
      const mine = new Error('mine');
      const values = pool.stream('count', [0, 1000]);
      await values.next();
      assert.equal((await outcome(values.throw(mine))).error, mine);
      const readable = Readable.from(pool.stream('count', [0, 1000]));
      await once(readable, 'data');
      readable.destroy(mine);
      assert.equal((await once(readable, 'error'))[0], mine);
    });

    test('a signal ends it while its caller waits', async (t) => {
      const pool = made(t);
      const controller = new AbortController();
      const values = pool.stream('waits', [], { signal: controller.signal });
      const next = outcome(values.next());
      controller.abort('enough');
      const { error } = await next;
      assert.equal(error.code, 'ERR_TASK_ABORTED');
      assert.equal((await values.next()).done, true);
      const late = await all(pool.stream('count', [0, 5], { signal: controller.signal }));
      assert.equal(late.error.code, 'ERR_TASK_ABORTED');
      assert.equal(await pool.run('number', []), 7);
    });

    test('a timeout is of the whole stream', async (t) => {
      const pool = made(t);
      const { error } = await all(pool.stream('waits', [], { timeoutMs: 20 }));
      assert.equal(error.code, 'ERR_TASK_TIMEOUT');
      assert.equal(await pool.run('number', []), 7);
    });

    test(
      'a value that cannot cross ends it, after those before it',
      { skip: placement === 'threads' && apart },
      async (t) => {
        keepAlive(t);
        const pool = made(t);
        const { shared, hasEnded } = words();
        const { taken, error } = await all(pool.stream('uncloneableAfter', [shared, 3]));
        assert.equal(error.code, 'ERR_NOT_CLONEABLE');
        assert.equal(error.path, 'value.at.fault');
        assert.deepEqual(taken, upTo(3));
        await hasEnded();
        assert.equal(await pool.run('number', []), 7);
      },
    );

    for (const moves of [false, true]) {
      test(`nor are values lost that were to cross together with it, ${moves ? 'moved' : 'copied'}`, async (t) => {
        const { taken, error } = await all(made(t).stream('uncloneableLate', [moves]));
        assert.deepEqual(taken, [0, [1]]);
        assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'value.at.fault']);
      });
    }

    test('a value is what it was when it was yielded', async (t) => {
      const { taken } = await all(made(t).stream('reused', [50], { highWaterMark: 50 }));
      assert.deepEqual(
        taken,
        upTo(50).map((i) => ({ i, bytes: Uint8Array.of(i) })),
      );
    });

    test(
      'what is marked to be moved is moved, each value by itself',
      { skip: placement === 'threads' && apart },
      async (t) => {
        const pool = made(t);
        const { shared, yielded } = words();
        const { taken } = await all(pool.stream('moved', [50, shared]));
        assert.deepEqual(
          taken,
          upTo(50).map((i) => ({ i, bytes: new Uint8Array(8).fill(i) })),
        );
        assert.equal(yielded(), 50);
        const again = await all(pool.stream('movedTwice', []));
        assert.equal(again.error.code, 'ERR_NOT_CLONEABLE');
        assert.deepEqual(again.taken, [new Uint8Array(8)]);
        assert.equal(await pool.run('number', []), 7);
      },
    );

    test('a task that returns nothing to iterate, or that there is not', async (t) => {
      const pool = made(t);
      const { error } = await all(pool.stream('number', []));
      assert.equal(error.code, 'ERR_NOT_ITERABLE');
      assert.match(error.message, /pool\.stream; got 7$/);
      const unknown = await all(pool.stream('nubmer', []));
      assert.equal(unknown.error.code, 'ERR_TASK_NOT_FOUND');
      assert.match(unknown.error.message, /'?number/);
      assert.doesNotMatch(unknown.error.message, /stream|\0/);
    });

    test('who calls it by run is told what to do', async (t) => {
      await assert.rejects(made(t).run('count', [0, 1]), {
        code: 'ERR_NOT_CLONEABLE',
        message: /pool\.stream/,
      });
    });

    test('bad options are refused at once', (t) => {
      const pool = made(t);
      const bad = [{ highWaterMark: 0 }, { highWaterMark: 1.5 }, { retries: 1 }, { hwm: 1 }, 7, null, []];
      for (const options of [
        ...bad,
        { signal: null },
        { signal: 'x' },
        { timeoutMs: 0 },
        { onProgress: 1 },
      ]) {
        assert.throws(() => pool.stream('count', [0, 1], options), { code: 'ERR_OPTION' });
      }
    });

    test('so are a name that is no text, and arguments that are no array', (t) => {
      const pool = made(t);
      const refused = (option, ...args) =>
        assert.throws(() => pool.stream(...args), {
          code: 'ERR_OPTION',
          message: new RegExp(`'${option}': expected`),
        });
      for (const name of [undefined, 5, '', Symbol('count')]) refused('name', name, [0, 1]);
      for (const args of [undefined, null, 'ab', { length: 0 }]) refused('args', 'count', args);
    });

    test('its code asks about its task as in any other call, and listeners hear of it by its name', async (t) => {
      const heard = [];
      const pool = made(t, {
        host: { answer: (question) => `${question}!` },
        onTaskStart: () => 'a trace',
      });
      for (const event of ['task:submit', 'task:progress', 'task:settle']) {
        pool.on(event, ({ taskName, name }) => heard.push([event, taskName ?? name]));
      }
      const onProgress = (value) => heard.push(['onProgress', value]);
      const { taken } = await all(pool.stream('asks', ['why'], { onProgress }));
      assert.deepEqual(taken, ['why!', 'a trace']);
      assert.deepEqual(
        heard.filter(([event]) => event !== 'onProgress').map(([, name]) => name),
        Array(3).fill('asks'),
      );
      assert.ok(heard.some(([event, value]) => event === 'onProgress' && value === 'half'));
      const { functions } = pool.stats();
      assert.deepEqual(
        functions.map(({ name }) => name).filter((name) => name.includes('asks')),
        ['asks'],
      );
    });

    test('several at a time get each its own', async (t) => {
      const pool = made(t, { threads: 2, tasksPerWorker: 4 });
      const streams = upTo(8).map((i) => all(pool.stream(i % 2 ? 'count' : 'countLater', [i, i + 500])));
      for (const [i, { taken }] of (await Promise.all(streams)).entries()) {
        assert.deepEqual(
          taken,
          upTo(500).map((n) => n + i),
        );
      }
    });

    test('close waits for those that are taken; destroy ends them', async (t) => {
      const pool = made(t);
      const values = pool.stream('count', [0, 100]);
      await values.next();
      const closed = pool.close();
      assert.equal((await all(values)).taken.length, 99);
      await closed;
      const other = made(t);
      const cut = other.stream('count', [0, 100], { highWaterMark: 1 });
      await cut.next();
      await other.destroy();
      assert.equal((await all(cut)).error.code, 'ERR_POOL_CLOSED');
      assert.equal((await all(other.stream('count', [0, 1]))).error.code, 'ERR_POOL_CLOSED');
    });
  });
}

describe('streams of workers that die, or say what cannot be read', () => {
  test('a value that main cannot read ends it, after those before it', async (t) => {
    const pool = poolFor(t, { threads: 1 }, url);
    for (const count of [0, 1, 40]) {
      const { taken, error } = await all(pool.stream('tooDeepAfter', [count]));
      assert.equal(error.code, 'ERR_NOT_CLONEABLE');
      assert.match(error.path, /^value/);
      assert.deepEqual(taken, upTo(taken.length));
      assert.ok(taken.length <= count);
    }
    assert.equal(await pool.run('number', []), 7);
    assert.deepEqual(
      pool.stats().workers.map(({ id }) => id),
      [1],
      'the worker lives on',
    );
  });

  test('what has come is taken, then the crash is told; the pool works on', { skip: apart }, async (t) => {
    const pool = poolFor(t, { threads: 1 }, url);
    const { shared } = words();
    const values = pool.stream('exitsWhenTold', [shared]);
    assert.equal((await values.next()).value, 'a value');
    const next = outcome(values.next());
    Atomics.store(new Int32Array(shared), 0, 1);
    Atomics.notify(new Int32Array(shared), 0);
    assert.equal((await next).error.code, 'ERR_WORKER_CRASHED');
    assert.equal(await pool.run('number', []), 7);
  });

  test('values are never invented, repeated or out of order', async (t) => {
    const pool = poolFor(t, { threads: 2 }, url);
    const ends = await Promise.all(upTo(20).map((i) => all(pool.stream('exitsAfter', [i]))));
    for (const [i, { taken, error }] of ends.entries()) {
      assert.equal(error.code, 'ERR_WORKER_CRASHED');
      assert.deepEqual(taken, upTo(taken.length));
      assert.ok(taken.length <= i);
    }
    assert.equal(await pool.run('number', []), 7);
    assert.equal(pool.stats().tasks.open, 0);
  });
});
