// What is wrong with options, names of tasks, and lists of arguments.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPool } from 'threadwise';
import { outcome, poolFor, tasksUrl, ways } from '../fixtures/helpers.mjs';

describe('options', () => {
  const bad = [
    [{ thread: 2 }, /Unknown option 'thread'\. Did you mean 'threads'\?/],
    [{ worker: { dta: 1 } }, /Unknown option 'worker\.dta'\. Did you mean 'data'\?/],
    [{ threads: 0 }, /'threads': expected a whole number from 1 to 1024, got 0/],
    [{ threads: -1 }, /got -1/],
    [{ threads: Number.NaN }, /got NaN/],
    [{ threads: 1.5 }, /got 1\.5/],
    [{ threads: '2' }, /'threads'.*got "2"/],
    [{ threads: { min: 3, max: 2 } }, /min not larger than max, got "3 > 2"/],
    [{ threads: { minimum: 1 } }, /Did you mean 'min'/],
    [{ tasksPerWorker: 0 }, /tasksPerWorker/],
    [{ timeoutMs: -5 }, /timeoutMs/],
    [{ timeoutMs: 2 ** 40 }, /timeoutMs/],
    [{ queue: { limit: -1 } }, /queue\.limit/],
    [{ retries: 0.5 }, /retries/],
    [{ choose: 'least-bussy' }, /'least-busy'/],
    [{ choose: 7 }, /choose/],
    [{ transport: 'pigeon' }, /transport/],
    [{ placement: 'main' }, /placement/],
    [{ transport: 'message', dispatch: 'shared-queue' }, /dispatch/],
    [{ host: { f: 1 } }, /host\.f/],
    [{ worker: { resourceLimits: { maxOldGenerationSizeMb: -1 } } }, /maxOldGenerationSizeMb/],
    [{ worker: { execArgv: 'x' } }, /execArgv/],
    [{ name: '' }, /name/],
    ['threads', /options/],
  ];
  for (const [options, message] of bad) {
    test(`rejects ${JSON.stringify(options)}`, () => {
      assert.throws(() => createPool(tasksUrl, options), { code: 'ERR_OPTION', message });
    });
  }

  test('names the place in data that cannot be cloned', () => {
    const create = () => createPool(tasksUrl, { worker: { data: { log: { write() {} } } } });
    assert.throws(create, { code: 'ERR_NOT_CLONEABLE', path: 'worker.data.log.write' });
  });

  test('a module that is neither a URL nor a path is refused', () => {
    for (const module of [undefined, null, 7, '', new URL('https://example.com/x.js')]) {
      assert.throws(() => createPool(module), { code: 'ERR_OPTION' });
    }
  });

  test('options of a call: unknown, wrong type, negative', async (t) => {
    const pool = poolFor(t);
    for (const [options, message] of [
      [{ timeout: 5 }, /Did you mean 'timeoutMs'/],
      [{ timeoutMs: -1 }, /timeoutMs/],
      [{ priority: 'high' }, /priority/],
      [{ signal: {} }, /signal/],
      [{ signal: { aborted: false, addEventListener() {} } }, /signal/],
      [{ signal: { aborted: false, addEventListener: 5, removeEventListener() {} } }, /signal/],
      [{ transfer: 1 }, /transfer/],
      [5, /options/],
    ]) {
      const { error } = await outcome(pool.run('increment', [1], options));
      assert.equal(error.code, 'ERR_OPTION');
      assert.match(error.message, message);
    }
    assert.equal((await outcome(pool.run('increment', 1))).error.code, 'ERR_OPTION');
    assert.equal((await outcome(pool.run(undefined, []))).error.code, 'ERR_OPTION');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('a strategy that throws or answers nonsense is reported once; the default takes over; no call is lost', async (t) => {
    for (const choose of [
      () => {
        throw new Error('no idea');
      },
      () => 'the third one',
    ]) {
      const pool = poolFor(t, { threads: 3, choose });
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error));
      await pool.ready;
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => pool.run('increment', [i])));
      assert.deepEqual(
        results,
        results.map((_, i) => i + 1),
      );
      assert.equal(errors.length, 1);
    }
  });
});

describe('task names', () => {
  test('missing and inherited names are not found; the message lists what exists', async (t) => {
    const pool = poolFor(t);
    for (const name of ['incremnt', 'toString', '__proto__', 'constructor', 'hasOwnProperty', 'then']) {
      const { error } = await outcome(pool.run(name, []));
      assert.equal(error.code, 'ERR_TASK_NOT_FOUND', name);
      assert.match(error.message, /increment/);
    }
    assert.match((await outcome(pool.run('incremnt', []))).error.message, /Did you mean 'increment'/);
    assert.equal(await pool.tasks.increment(1), 2);
  });
});

describe('a name with a NUL, which marks names that cross', () => {
  for (const [way, options] of Object.entries({ ...ways, inline: { placement: 'inline' } })) {
    test(`is not found: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options });
      for (const isReady of [false, true]) {
        if (isReady) await pool.ready;
        for (const name of ['increment\0', 'upTo\0stream', '\0']) {
          for (const args of [
            [name, [1, 2]],
            [name, [1, 2], { priority: 1 }],
          ]) {
            const { error } = await outcome(pool.run(...args));
            assert.equal(error?.code, 'ERR_TASK_NOT_FOUND', JSON.stringify(name));
          }
        }
      }
      assert.equal(await pool.run('increment', [1]), 2);
    });
  }
});
