/** What a pool as a whole promises and no part of it can show alone. */
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { PoolOptions } from './core/options/options.js';
import type { Pool } from './core/pool.js';
import { availableThreads, createPool } from './create-pool.js';
import { nodePlatform } from './platform/node/platform.js';
import { cpuTime, ownThreadId } from './platform/node/usage.js';

const module = `data:text/javascript,
  export const increment = (x) => x + 1;
  export const nextTurn = (x) => new Promise((resolve) => setImmediate(resolve, x));`;

function poolFor(t: TestContext, options: PoolOptions): Pool {
  const pool = createPool(module, options);
  t.after(() => pool.destroy());
  return pool;
}

test('a refused option has a stack that begins at the caller, however deep the option lies', (t) => {
  const pool = poolFor(t, { threads: 1 });
  for (const [option, caller] of [
    [
      'worker\\.recycle\\.afterTasks',
      function caller() {
        createPool(module, { worker: { recycle: { afterTasks: -1 } } });
      },
    ],
    [
      'queue\\.limit',
      function caller() {
        pool.configure({ queue: { limit: -1 } });
      },
    ],
    [
      'threads\\.min',
      function caller() {
        pool.resize({ min: -1 });
      },
    ],
  ] as const) {
    assert.throws(caller, ({ code, stack }) => {
      assert.equal(code, 'ERR_OPTION');
      assert.match(stack, new RegExp(`^TypeError: Option '${option}': [^\\n]*\\n {4}at caller `));
      return true;
    });
  }
});

test('a refused option says of what class the object is that came instead', (t) => {
  const pool = poolFor(t, { threads: 1 });
  for (const [value, shown] of [
    [Promise.resolve(), 'an instance of Promise'],
    [new Uint8Array(9), 'an instance of Uint8Array'],
    [{ most: 2, constructor: undefined }, 'an object (most, constructor)'],
    [Object.create(null), 'an object ()'],
  ]) {
    const message = `Option 'threads.min': expected a whole number from 0 to 1024, got ${shown}`;
    assert.throws(() => pool.resize({ min: value as number }), { code: 'ERR_OPTION', message });
  }
});

for (const placement of ['threads', 'inline'] as const) {
  describe(`a pool with placement '${placement}'`, () => {
    test('refuses nobody who has waited for room, however many wait', async (t) => {
      const pool = poolFor(t, { placement, threads: 1, queue: { limit: 1 } });
      await pool.ready;
      const calls = Array.from({ length: 12 }, async (_, i) => {
        await pool.room();
        return pool.run('nextTurn', [i]);
      });
      assert.deepEqual(
        await Promise.all(calls),
        calls.map((_, i) => i),
      );
    });

    test('refuses no call of a map, whoever takes the places that it has waited for', async (t) => {
      const pool = poolFor(t, { placement, threads: 1, queue: { limit: 1 } });
      await pool.ready;
      const items = Array.from({ length: 12 }, (_, i) => i);
      const others: Promise<unknown>[] = [];
      function* input() {
        for (const item of items) {
          others.push(pool.run('nextTurn', [item]).catch(() => undefined)); // perhaps refused
          yield item;
        }
      }
      const results: unknown[] = [];
      for await (const result of pool.map('nextTurn', input())) results.push(result);
      assert.deepEqual(results, items);
      await Promise.all(others);
    });

    test('leaves no listener on the signal of a map whose results nobody asked for', async (t) => {
      const pool = poolFor(t, { placement, threads: 1 });
      const { signal } = new AbortController();
      await pool.map('increment', [1, 2], { signal }).return();
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });

    test('refuses a map at once, and rejects other calls, with a name, an input or options that are none', async (t) => {
      const pool = poolFor(t, { placement, threads: 1 }) as Pool<never>;
      for (const [option, name, items, options] of [
        ['name', undefined, [1]],
        ['name', 5, [1]],
        ['name', '', [1]],
        ['items', 'increment', 5],
        ['options', 'increment', [1], null],
        ['options', 'increment', [1], []],
        ['retries', 'increment', [1], { retries: -1 }],
      ] as never[][]) {
        const refusal = { code: 'ERR_OPTION', message: new RegExp(`^Option '${option}': expected `) };
        assert.throws(() => pool.map(name!, items!, options), refusal);
        if (option === 'items') continue;
        await assert.rejects(pool.run(name!, items!, options), refusal);
        await assert.rejects(pool.broadcast(name!, items, options), refusal);
      }
    });

    test('gives stats that are plain JSON, however often and however early they are asked for', async (t) => {
      const pool = poolFor(t, { placement, threads: 1 });
      for (const when of ['at once', 'at once again']) {
        const stats = pool.stats();
        assert.deepEqual(JSON.parse(JSON.stringify(stats)), stats, when);
      }
      await pool.run('increment', [1]);
      const later = [pool.stats(), pool.stats()];
      assert.deepEqual(JSON.parse(JSON.stringify(later)), later);
    });
  });
}

describe('createPool', () => {
  test('settles every call, though the strategy itself makes calls that are more urgent', async (t) => {
    const inner: Promise<unknown>[] = [];
    let asked = 0;
    const pool: Pool = createPool(module, {
      threads: 2,
      choose: (_task, [first]) => {
        if (asked++ === 0) inner.push(pool.run('increment', [10], { priority: 9 }));
        return first!;
      },
    });
    t.after(() => pool.destroy());
    await pool.ready;
    const outer = pool.run('increment', [1]);
    // What never settles is rejected by this, half a second after the last call that does.
    const closed = pool.close({ timeoutMs: 500 });
    const settled = await Promise.allSettled([outer, ...inner]);
    await closed;
    assert.ok(inner.length > 0, 'the strategy was asked');
    assert.deepEqual(
      settled.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
      [2, ...inner.map(() => 11)],
    );
  });

  test('says which option is wrong, whatever it is, and leaves no thread behind', async () => {
    const ended: Promise<unknown>[] = [];
    const begun = (worker: Worker) => ended.push(once(worker, 'exit'));
    process.on('worker', begun);
    const none = Object.create(null) as never;
    for (const [option, value] of [
      ['threads', Symbol('two')],
      ['threads', 2n],
      ['threads.min', Symbol('one')],
      ['threads.min', none],
      ['threads.min', 1n],
      ['name', Symbol('pool')],
      ['name', none],
    ] as const) {
      const options = option === 'threads.min' ? { threads: { min: value } } : { [option]: value };
      assert.throws(() => createPool(module, options as PoolOptions), {
        code: 'ERR_OPTION',
        message: new RegExp(`^Option '${option}': expected `),
      });
    }
    await setImmediate(); // by then every thread has been told of
    process.off('worker', begun);
    await Promise.all(ended);
  });

  test('refuses options that are none', () => {
    for (const none of [null, [], 5, 'threads']) {
      assert.throws(() => createPool(module, none as never), {
        code: 'ERR_OPTION',
        message: /^Option 'options': expected an object, got /,
      });
    }
  });

  test('refuses a worker environment that is none', () => {
    for (const env of [42, 'text', true]) {
      assert.throws(() => createPool(module, { worker: { env } }), {
        code: 'ERR_OPTION',
        message: /worker\.env/,
      });
    }
  });

  test('says how many threads the platform allows', () => {
    assert.equal(availableThreads(), nodePlatform.availableThreads());
  });
});

const onLinux = { skip: cpuTime(ownThreadId()) === undefined && 'this system tells no CPU time of a thread' };

test('the CPU time of a worker is known before any code of the library runs in it', onLinux, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-preload-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const [preload, sign] = [join(dir, 'preload.cjs'), join(dir, 'sign')];
  const waits = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
  writeFileSync(preload, `require('node:fs').writeFileSync(${JSON.stringify(sign)}, ''); ${waits}`);
  const worker = { execArgv: ['--require', preload] };
  const pool = createPool('data:text/javascript,', { threads: 1, worker });
  t.after(() => pool.destroy());
  while (!existsSync(sign));
  assert.ok(pool.stats().workers[0]!.cpu!.usedMs > 0);
});

test(
  'that of a worker that the coordinator has started is known while the worker starts',
  onLinux,
  async (t) => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    const waiting = `data:text/javascript,
    export const setup = ({ data, workerId }) => workerId === 1 || (Atomics.store(data, 0, 1), Atomics.notify(data, 0), wait(data));
    export const nothing = () => undefined;
    export const wait = (data) => void Atomics.wait(data, 1, 0);`;
    const threads = { min: 1, max: 2 };
    const pool = createPool(waiting, { dispatch: 'coordinator', threads, worker: { data: words } });
    t.after(() => pool.destroy());
    await pool.run('nothing', []); // from now on the coordinator decides how many workers there are
    const starts = new Promise((resolve) => pool.on('worker:start', resolve));
    const calls = [1, 2].map(() => pool.run('wait', [words]));
    Atomics.wait(words, 0, 0); // main is busy until the worker is in its setup
    await starts;
    const { cpu } = pool.stats().workers.find(({ state }) => state === 'starting')!;
    Atomics.store(words, 1, 1);
    Atomics.notify(words, 1);
    await Promise.all(calls);
    assert.ok(cpu!.usedMs > 0);
  },
);
