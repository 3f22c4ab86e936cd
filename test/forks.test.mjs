// Calls that tasks make to their own pool: each settles, whatever the pool has to do, and idle workers are used.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ThreadwiseError } from 'threadwise';
import { apart, event, moduleUrl, outcome, poolFor } from './fixtures/helpers.mjs';

const url = moduleUrl('forks.mjs');
const numbers = (length) => Array.from({ length }, (_, i) => (i * 7919) % length);

async function until(words, index, least) {
  for (let now = Atomics.load(words, index); now < least; now = Atomics.load(words, index)) {
    await Atomics.waitAsync(words, index, now).value;
  }
}

for (const options of [
  { threads: 1 },
  { threads: 2 },
  { threads: 3, tasksPerWorker: 4 },
  { threads: 1, placement: 'inline' },
  { threads: { min: 0, max: 2 } },
]) {
  describe(`calls within calls, ${JSON.stringify(options)}`, () => {
    const made = (t) => poolFor(t, options, url);

    test('work is divided and put together', async (t) => {
      const pool = made(t);
      const input = numbers(500);
      assert.deepEqual(
        await pool.run('sorted', [input]),
        input.toSorted((a, b) => a - b),
      );
      assert.equal(await pool.run('fibonacci', [12]), 144);
      assert.equal(pool.stats().tasks.open, 0);
    });

    test('a task may replace globals, and call', async (t) => {
      assert.equal(await made(t).run('withoutPerformance', []), 7);
    });

    test('deeper than there are workers, and many at a time', async (t) => {
      const pool = made(t);
      assert.equal(await pool.run('nested', [200]), 200);
      const all = await Promise.all(Array.from({ length: 30 }, () => pool.run('fibonacci', [7])));
      assert.deepEqual(new Set(all), new Set([13]));
    });

    test('errors arrive, and what cannot cross is said', async (t) => {
      const pool = made(t);
      assert.deepEqual(await pool.run('caught', ['fails', ['so']]), {
        name: 'RangeError',
        message: 'so',
        code: undefined,
      });
      const missing = await pool.run('caught', ['nubmer', []]);
      assert.equal(missing.code, 'ERR_TASK_NOT_FOUND');
      assert.match(missing.message, /number/);
      const result = await pool.run('caught', ['faulty', []]);
      assert.deepEqual([result.code, /result\.at\.fault/.test(result.message)], ['ERR_NOT_CLONEABLE', true]);
      const argument = await pool.run('caughtArgument', []);
      assert.deepEqual(
        [argument.code, /args\[0\]\.at\.fault/.test(argument.message)],
        ['ERR_NOT_CLONEABLE', true],
      );
    });

    test('a name that is no text, and arguments that are no array, are refused wherever the call would run', async (t) => {
      const pool = made(t);
      const bad = [[undefined, []], [5, []], ['same'], ['same', 'x'], ['same', new Uint8Array(2)]];
      for (const args of bad) {
        const { code, message } = await pool.run('caught', args);
        assert.deepEqual([code, /^Option '(name|args)': expected/.test(message)], ['ERR_OPTION', true]);
      }
    });

    test('arguments and results are copies', async (t) => {
      const pool = made(t);
      assert.equal(await pool.run('isOwn', []), true);
      assert.deepEqual(await pool.run('run', ['bytes', [3]]), new Uint8Array(3).fill(1));
      assert.deepEqual(await pool.run('givesMarked', []), [new Uint8Array(2).fill(1), 2]);
    });

    test('what ran on the thread that asked is counted like what ran elsewhere', async (t) => {
      const pool = made(t);
      assert.equal(await pool.run('fibonacci', [10]), 55);
      await pool.run('caught', ['fails', ['so']]);
      const counted = pool
        .stats()
        .functions.map(({ name, calls, failures, inline }) => [
          name,
          { calls, failures, inline: options.placement === 'inline' ? inline : 0 },
        ]);
      const here = (calls) => (options.placement === 'inline' ? calls : 0);
      assert.deepEqual(Object.fromEntries(counted), {
        fibonacci: { calls: 177, failures: 0, inline: here(177) },
        caught: { calls: 1, failures: 0, inline: here(1) },
        fails: { calls: 1, failures: 1, inline: here(1) },
      });
      const { lastError } = pool.stats().functions.find(({ name }) => name === 'fails');
      assert.deepEqual([lastError?.name, lastError.code, lastError.message], ['RangeError', null, 'so']);
      assert.match(lastError.stack, /forks\.mjs/);
      assert.ok(Math.abs(lastError.at - Date.now()) < 60_000);
    });

    test('a pool that is paused, drained or closed ends what has begun', async (t) => {
      for (const how of ['pause', 'drain', 'close']) {
        const pool = made(t);
        await pool.run('number', []);
        const call = pool.run('fibonacci', [10], { onProgress: () => undefined });
        await new Promise((resolve) => setImmediate(resolve));
        const ended = pool[how]();
        if (how === 'pause') setImmediate(() => pool.resume());
        assert.equal(await call, 55);
        await ended;
      }
    });
  });
}

for (const placement of ['threads', 'inline']) {
  test(`what a task did not wait for does not begin after its end, placement '${placement}'`, async (t) => {
    const pool = poolFor(t, { threads: 1, placement }, url);
    await pool.run('forgets', []);
    assert.deepEqual(await pool.run('whatWasForgotten', []), ['ERR_OUTSIDE_TASK', 0]);
    assert.equal(pool.stats().crashes, 0);
  });
}

for (const whom of ['pool', 'host']) {
  test(`on the calling thread, a task that calls its ${whom} again and again is timed out`, async (t) => {
    const pool = poolFor(t, { placement: 'inline', host: { number: () => 7 } }, url);
    await pool.ready;
    const { error } = await outcome(pool.run('callsOn', [whom], { timeoutMs: 20 }));
    assert.equal(error?.code, 'ERR_TASK_TIMEOUT');
  });
}

test('once everything is to run on the calling thread, so do the calls of its tasks, whatever workers there are yet', async (t) => {
  const pool = poolFor(t, { threads: 2, isolation: 'thread' }, url);
  await pool.ready;
  pool.configure({ placement: 'inline' });
  assert.equal(await pool.run('fibonacci', [6]), 8);
  const [{ calls, inline }] = pool.stats().functions;
  assert.deepEqual({ calls, inline }, { calls: 25, inline: 25 });
});

describe('calls within calls, on workers', () => {
  // `Atomics.waitAsync` alone does not keep the process alive.
  const timer = setInterval(() => undefined, 1000);
  after(() => clearInterval(timer));

  for (const threads of [2, 4]) {
    test(`${threads} workers, one of which asks: all run at the same time`, { skip: apart }, async (t) => {
      const pool = poolFor(t, { threads }, url);
      await pool.ready;
      const ids = await pool.run('meeting', [new SharedArrayBuffer(4), threads]);
      assert.equal(new Set(ids).size, threads);
    });
  }

  test('a task that is aborted has what it called aborted', { skip: apart }, async (t) => {
    const pool = poolFor(t, { threads: 2 }, url);
    await pool.ready;
    const words = new Int32Array(new SharedArrayBuffer(8));
    const controller = new AbortController();
    const call = outcome(pool.run('waitsElsewhere', [words.buffer], { signal: controller.signal }));
    await until(words, 0, 1);
    controller.abort();
    assert.equal((await call).error.code, 'ERR_TASK_ABORTED');
    await until(words, 1, 1);
    assert.equal(pool.stats().workers.length, 2);
  });

  test('a task that is aborted has what it called and has not begun refused', async (t) => {
    const controller = new AbortController();
    let tell;
    const told = new Promise((resolve) => {
      tell = resolve;
    });
    const pool = poolFor(t, { threads: 1, host: { tell } }, url);
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    assert.equal((await outcome(pool.run('callsUntilAborted', [], options))).error.code, 'ERR_TASK_ABORTED');
    assert.deepEqual(await told, [null, 'ERR_TASK_ABORTED', 'ERR_TASK_ABORTED']);
  });

  for (const placement of ['threads', 'inline']) {
    test(`a task that is aborted, and has not waited for all that it called, ends nothing else, placement '${placement}'`, async (t) => {
      const pool = poolFor(t, { threads: 3, ...(placement === 'inline' && { placement }) }, url);
      await pool.ready;
      const exits = [];
      pool.on('worker:exit', ({ error }) => exits.push(error));
      const begun = new Set();
      const controller = new AbortController();
      const all = event(pool, 'task:progress', ({ value }) => begun.add(value).size === 3);
      const call = outcome(pool.run('waitsForEach', [], { signal: controller.signal }));
      await all;
      controller.abort();
      assert.equal((await call).error.code, 'ERR_TASK_ABORTED');
      await new Promise((resolve) => setImmediate(resolve)); // a rejection that nobody handles is told at the end of the turn
      await pool.close();
      assert.deepEqual(new Set(exits), new Set([undefined]));
    });
  }

  test('a worker that dies takes along what its tasks called', { skip: apart }, async (t) => {
    const pool = poolFor(t, { threads: 2 }, url);
    await pool.ready;
    const words = new Int32Array(new SharedArrayBuffer(8));
    assert.equal((await outcome(pool.run('leaves', [words.buffer]))).error.code, 'ERR_WORKER_CRASHED');
    await until(words, 1, 1);
    assert.equal(await pool.run('number', []), 7);
  });

  test('the death of the worker that runs a call is an error of that call', async (t) => {
    const pool = poolFor(t, { threads: 2 }, url);
    await pool.ready;
    assert.equal(await pool.run('callsOneThatExits', []), 'ERR_WORKER_CRASHED');
    assert.equal(await pool.run('number', []), 7);
  });

  test('a call whose worker dies before it begins runs where it was made', { skip: apart }, async (t) => {
    const pool = poolFor(t, { threads: 2 }, url);
    await pool.ready;
    const words = new Int32Array(new SharedArrayBuffer(12));
    const tell = (index) => {
      Atomics.store(words, index, 1);
      Atomics.notify(words, index);
    };
    const given = event(pool, 'task:submit', ({ name }) => name === 'whoRuns');
    const started = event(pool, 'task:submit', ({ name }) => name === 'callsWhenTold');
    const call = pool.run('callsWhenTold', [words.buffer]);
    await started;
    await pool.run('blocksLater', [words.buffer]);
    await until(words, 0, 1);
    tell(2);
    await given;
    tell(1);
    const [ran, made] = await call;
    assert.equal(ran, made);
    assert.deepEqual(pool.stats().tasks.open, 0);
  });

  test('a call that fails like one that is refused for want of room has run, and does not run again', async (t) => {
    let runs = 0;
    const tell = () => {
      runs++;
      throw new ThreadwiseError('ERR_QUEUE_FULL', 'The queue of another pool is full');
    };
    const pool = poolFor(t, { threads: 2, host: { tell } }, url);
    await pool.ready;
    assert.equal((await pool.run('caught', ['tells', []])).code, 'ERR_QUEUE_FULL');
    assert.equal(runs, 1);
  });

  test('workers that die at any moment leave no call open', async (t) => {
    const pool = poolFor(t, { threads: 3 }, url);
    const calls = [];
    for (let i = 0; i < 300; i++) {
      calls.push(outcome(pool.run(i % 10 === 0 ? 'exitsSoon' : 'fibonacci', i % 10 === 0 ? [] : [6])));
      if (i % 10 === 9) await calls.at(-9);
    }
    for (const { value, error } of await Promise.all(calls)) {
      if (error === undefined) assert.ok(value === 8 || value === undefined);
      else assert.equal(error.code, 'ERR_WORKER_CRASHED', error.message);
    }
    assert.equal(pool.stats().tasks.open, 0);
    assert.equal(await pool.run('fibonacci', [8]), 21);
  });

  test('a pool made smaller meanwhile ends what has begun', async (t) => {
    const pool = poolFor(t, { threads: 4 }, url);
    await pool.ready;
    const calls = Array.from({ length: 20 }, () => pool.run('fibonacci', [9]));
    for (const threads of [1, 3, 1]) {
      await Promise.race(calls);
      pool.resize(threads);
    }
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([34]));
  });

  test('with recycling after so many tasks each is run where it was called', async (t) => {
    const pool = poolFor(t, { threads: 2, worker: { recycle: { afterTasks: 1 } } }, url);
    assert.equal(await pool.run('fibonacci', [8]), 21);
    assert.equal(pool.stats().tasks.submitted, 1);
  });
});
