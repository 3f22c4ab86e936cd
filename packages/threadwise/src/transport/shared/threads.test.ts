/** The shared transport between real threads, with so little memory that cells, streams and arenas run out. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, type TestContext, test as testFor } from 'node:test';
import { promisify } from 'node:util';
import type { Platform, Thread } from '../../core/contracts.js';
import { Ledger } from '../../core/calls/ledger.js';
import { isThreadwiseError } from '../../core/options/errors.js';
import { nodePlatform } from '../../platform/node/platform.js';
import { placesOf } from '../small-pool-tasks.case.js';
import { smallPool } from '../small-pool.case.js';
import { ARRIVED, blockUntil, LEFT, RAN, reached } from '../small-pool-words.case.js';
import { COORDINATOR, type SharedMemory, wakeupsOf } from './layout.js';

/** What waits for longer than that waits for ever. Milliseconds. */
const TIMEOUT_MS = 60_000;
const test = (name: string, run: (t: TestContext) => Promise<void>) =>
  testFor(name, { timeout: TIMEOUT_MS }, run);
const KIB = 1024;

const codeOf = (error: unknown) => (isThreadwiseError(error) ? error.code : String(error));
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** The codes with which calls were rejected; of the others 'ok'. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((result) => (result.status === 'fulfilled' ? 'ok' : codeOf(result.reason)));
}

describe('shared threads: what does not fit', () => {
  test('results of all sizes, many at a time: in the cell, in the stream, and over the port', async (t) => {
    const { pool } = smallPool(t);
    const sizes = [0, 1, 60, 87, 88, 89, 200, 1000, 3000, 4095, 4096, 4097, 20_000, 300 * KIB];
    const calls = range(3 * sizes.length).map((i) => {
      const length = sizes[i % sizes.length]!;
      return { length, value: i, result: pool.run('bytes', [length, i]) };
    });
    for (const { length, value, result } of calls) {
      const bytes = (await result) as Uint8Array;
      assert.equal(bytes.length, length);
      assert.ok(bytes.every((byte) => byte === value));
    }
  });

  test('a result larger than the usual stream', async (t) => {
    const { pool } = smallPool(t, { stream: 256 * KIB });
    const texts = await Promise.all(range(6).map((i) => pool.run('text', [300 * KIB, `${i}`])));
    for (const [i, text] of texts.entries()) assert.equal(text, `${i}`.repeat(300 * KIB));
  });

  test('arguments that are larger than any block', async (t) => {
    const { pool } = smallPool(t);
    const large = [new Uint8Array(5 * KIB * KIB).fill(1), new Uint8Array(300 * KIB).fill(2)];
    const sums = await Promise.all([...large, ...large].map((bytes) => pool.run('sum', [bytes])));
    assert.deepEqual(sums, [5 * KIB * KIB, 600 * KIB, 5 * KIB * KIB, 600 * KIB]);
    const text = 'x'.repeat(3 * KIB * KIB);
    assert.equal(await pool.run('echo', [text]), text);
  });

  test('an argument with a getter that makes a call itself: each call has a cell of its own', async (t) => {
    const { pool } = smallPool(t);
    const inner: Promise<unknown>[] = [];
    const value = {
      a: 1,
      get b() {
        inner.push(pool.run('echo', [7]));
        return 2;
      },
    };
    assert.deepEqual(await pool.run('echo', [value]), { a: 1, b: 2 });
    assert.ok(inner.length > 0);
    for (const result of await Promise.all(inner)) assert.equal(result, 7);
  });

  test('results while main is blocked: the stream fills up, and every one arrives', async (t) => {
    const { pool, words } = smallPool(t, { cells: 32 });
    await pool.ready;
    await Promise.all(range(4).map((i) => pool.run('echo', [i])));
    const calls = range(24).map((i) => pool.run('text', [700, String.fromCharCode(97 + i)]));
    const marks = range(4).map((i) => pool.run('mark', [i]));
    blockUntil(words, RAN, 4);
    const texts = await Promise.all(calls);
    for (const [i, text] of texts.entries()) assert.equal(text, String.fromCharCode(97 + i).repeat(700));
    assert.deepEqual(await Promise.all(marks), range(4));
  });

  test('arguments while main is blocked: memory of those that have run is used again', async (t) => {
    const { pool, words } = smallPool(t, { cells: 256 });
    await pool.ready;
    const bytes = new Uint8Array(KIB * KIB);
    // Twice what a segment has, and never more than a few at a time.
    const calls = range(128).map((i) => {
      const call = pool.run('lengthOf', [bytes]);
      blockUntil(words, RAN, i - 8);
      return call;
    });
    blockUntil(words, RAN, calls.length);
    assert.deepEqual(
      await Promise.all(calls),
      calls.map(() => bytes.length),
    );
  });

  test('a word in the port comes before the end of its task, however many there are', async (t) => {
    const { pool, words } = smallPool(t, { threads: 1 });
    await pool.ready;
    const heard: unknown[] = [];
    const onProgress = (value: unknown) => void heard.push(value);
    const call = pool.run('talk', [3500, 'end'], { onProgress });
    const mark = pool.run('mark', [1]);
    Atomics.wait(words, RAN, 0); // main hears nothing before all has been said
    assert.deepEqual(await call, /end/);
    assert.deepEqual(heard, range(3500));
    assert.equal(await mark, 1);
  });
});

describe('shared threads: main is blocked in the turn of its calls', () => {
  const made: readonly (readonly [string, (i: number) => unknown])[] = [
    ['that lie in shared memory', (i) => i],
    ['whose arguments go by port', (i) => new Map([[i, /what the codec does not know/]])],
  ];
  for (const [what, make] of made) {
    test(`calls ${what} run meanwhile`, async (t) => {
      const { pool, words } = smallPool(t, { cells: 64, threads: 2 });
      await pool.ready;
      const calls = range(8).map((i) => pool.run('mark', [make(i)]));
      blockUntil(words, RAN, calls.length);
      assert.deepEqual(await Promise.all(calls), range(8).map(make));
    });

    test(`calls ${what} run meanwhile at workers that were not ready yet`, async (t) => {
      const { pool, words } = smallPool(t, { cells: 64, threads: 2 });
      const calls = range(8).map((i) => pool.run('mark', [make(i)]));
      blockUntil(words, RAN, calls.length);
      assert.deepEqual(await Promise.all(calls), range(8).map(make));
    });
  }

  test('calls for one worker run meanwhile, also behind many short ones', async (t) => {
    const { pool, words } = smallPool(t, { cells: 64, threads: 2 });
    await pool.ready;
    const keyed = (i: number) => pool.run('mark', [i], { key: i % 2 });
    for (let ran = 0; ran < 1000; ran += 50) {
      await Promise.all(range(48).map(keyed));
      await new Promise((resolve) => setImmediate(resolve)); // perhaps the workers sleep by now
      const calls = range(2).map(keyed);
      blockUntil(words, RAN, ran + 50);
      assert.deepEqual(await Promise.all(calls), [0, 1]);
    }
  });
});

describe('shared threads: small buffers that move', () => {
  const moved = (length = 8) => new Uint8Array(length).fill(1);
  for (const dispatch of ['shared-queue', 'coordinator'] as const) {
    test(`${dispatch}: calls run while main is blocked in their turn, and the caller has lost the buffers`, async (t) => {
      const { pool, words } = smallPool(t, { dispatch, cells: 64, copied: KIB });
      await pool.ready;
      const all = range(8).map(() => moved());
      const calls = all.map((bytes) => pool.run('lengthOf', [bytes], { transfer: [bytes.buffer] }));
      assert.deepEqual(new Set(all.map(({ length }) => length)), new Set([0]));
      blockUntil(words, RAN, calls.length);
      assert.deepEqual(new Set(await Promise.all(calls)), new Set([8]));
    });
  }

  test('they arrive whole, as structured clone moves them, whatever sees them', async (t) => {
    const { pool } = smallPool(t, { copied: KIB });
    const cases: readonly ((buffer: ArrayBuffer) => Uint8Array[])[] = [
      (buffer) => [new Uint8Array(buffer)],
      (buffer) => [new Uint8Array(buffer, 8, 16)],
      (buffer) => [new Uint8Array(buffer, 8, 16), new Uint8Array(buffer, 0, 4), new Uint8Array(3)],
      (buffer) => [new Uint8Array(new ArrayBuffer(50), 10, 5), new Uint8Array(buffer)],
      () => [],
    ];
    for (const viewsOf of cases) {
      const [ours, theirs] = [new ArrayBuffer(40), new ArrayBuffer(40)];
      const expected = placesOf(structuredClone(viewsOf(theirs), { transfer: [theirs] }));
      assert.deepEqual(await pool.run('placesOf', [viewsOf(ours)], { transfer: [ours] }), expected);
      assert.equal(ours.byteLength, 0);
    }
    const bytes = moved(2 * KIB);
    assert.equal(await pool.run('sum', [bytes], { transfer: [bytes.buffer] }), 2 * KIB, 'by port');
    assert.equal(bytes.length, 0);
  });

  test('a call that is refused has moved nothing and keeps nothing', async (t) => {
    const { pool } = smallPool(t, { cells: 8, copied: KIB });
    const { buffer } = moved();
    for (let i = 0; i < 20; i++) {
      const calls = [
        pool.run('sum', [buffer, () => 1], { transfer: [buffer] }),
        pool.run('sum', [buffer], { transfer: [buffer, buffer] }),
        pool.run('sum', [buffer], { transfer: [buffer, {}] }),
      ];
      assert.deepEqual(new Set(await outcomes(calls)), new Set(['ERR_NOT_CLONEABLE']));
      assert.equal(buffer.byteLength, 8);
    }
    assert.equal(await pool.run('lengthOf', [new Uint8Array(buffer)], { transfer: [buffer] }), 8);
  });

  test('results arrive whole, and the task has lost them; one that cannot be moved is an error', async (t) => {
    const { pool } = smallPool(t, { threads: 1, copied: KIB, stream: 4 * KIB });
    // These lie in the cell, in the stream, or find no room there; the last one is larger than what is copied.
    for (const bytes of [8, 200, KIB, KIB + 1]) {
      for (let i = 0; i < 20; i++) {
        const views = (await pool.run('moved', [bytes, 'part'])) as Uint8Array[];
        assert.deepEqual(placesOf(views), [
          [2, 4, bytes, 0],
          [0, 3, bytes, 0],
        ]);
        assert.deepEqual([...views[0]!, ...views[1]!], [7, 7, 7, 7, 0, 0, 7]);
        assert.equal(await pool.run('left', []), 0);
        assert.equal(((await pool.run('moved', [bytes, 'all'])) as ArrayBuffer).byteLength, bytes);
        for (const how of ['twice', 'wrong']) {
          assert.deepEqual(await outcomes([pool.run('moved', [bytes, how])]), ['ERR_NOT_CLONEABLE']);
          assert.equal(await pool.run('left', []), bytes);
        }
      }
    }
  });

  test('a worker that dies before it has begun them loses none', async (t) => {
    const { pool, words } = smallPool(t, { threads: 1, cells: 64, copied: KIB });
    await pool.ready;
    const died = outcomes([pool.run('exit', [1])]);
    const calls = range(5).map(() => {
      const bytes = moved();
      return pool.run('lengthOf', [bytes], { transfer: [bytes.buffer] });
    });
    assert.deepEqual(await died, ['ERR_WORKER_CRASHED']);
    assert.deepEqual(await Promise.all(calls), [8, 8, 8, 8, 8]);
    assert.equal(Atomics.load(words, RAN), 5);
  });

  test('with retries it loses those that it has begun, which do not run again, and no others', async (t) => {
    const { pool, words } = smallPool(t, { threads: 1, tasksPerWorker: 6, cells: 64, copied: KIB });
    await pool.ready;
    const run = (name: string) => {
      const bytes = moved();
      return pool.run(name, [bytes], { key: 'a', transfer: [bytes.buffer], retries: 1 });
    };
    const died = outcomes([run('fallOnce')]);
    const calls = range(5).map(() => run('lengthOf'));
    assert.deepEqual(await died, ['ERR_WORKER_CRASHED']);
    assert.deepEqual(await Promise.all(calls), [8, 8, 8, 8, 8]);
    assert.deepEqual([Atomics.load(words, ARRIVED), Atomics.load(words, RAN)], [1, 5]);
  });
});

describe('shared threads: more calls than cells', () => {
  const kinds: Readonly<Record<string, (i: number) => unknown>> = {
    number: (i) => i,
    text: (i) => `text ${i}`,
    'large text': (i) => `${i} `.repeat(100),
    record: (i) => ({ i, at: [i, { deep: i }] }),
    'what only a port can carry': (i) => new RegExp(`${i}`),
    'a mixture': (i) => [i, `${i}`, `${i} `.repeat(100), { i }, new RegExp(`${i}`)][i % 5],
  };
  for (const dispatch of ['shared-queue', 'direct'] as const) {
    for (const [kind, make] of Object.entries(kinds)) {
      test(`${dispatch}: each gets its own result: ${kind}`, async (t) => {
        const { pool } = smallPool(t, { dispatch });
        const values = range(30).map(make);
        assert.deepEqual(await Promise.all(values.map((value) => pool.run('echo', [value]))), values);
      });
    }

    test(`${dispatch}: calls that were made before any worker was there`, async (t) => {
      const { pool } = smallPool(t, { dispatch, threads: 1 });
      const calls = range(20).map((i) => pool.run('echo', [i]));
      assert.deepEqual(await Promise.all(calls), range(20));
    });

    test(`${dispatch}: calls with a key that were made before any worker was there`, async (t) => {
      const { pool } = smallPool(t, { dispatch });
      const calls = range(20).map((i) => pool.run('echo', [i], { key: i % 3 }));
      assert.deepEqual(await Promise.all(calls), range(20));
    });

    test(`${dispatch}: a broadcast among calls that were made before any worker was there`, async (t) => {
      const { pool } = smallPool(t, { dispatch });
      const calls = range(20).map((i) => pool.run('echo', [i]));
      assert.deepEqual(await pool.broadcast('echo', ['all']), ['all', 'all']);
      assert.deepEqual(await Promise.all(calls), range(20));
    });

    test(`${dispatch}: all are aborted, and the next one runs`, async (t) => {
      const { pool, words } = smallPool(t, { dispatch, threads: 1 });
      const { signal, abort } = aborter();
      const calls = range(20).map((i) => pool.run('mark', [i], { signal }));
      abort();
      const next = pool.run('echo', ['next']);
      assert.deepEqual(new Set(await outcomes(calls)), new Set(['ERR_TASK_ABORTED']));
      assert.equal(await next, 'next');
      assert.equal(words[RAN], 0);
    });

    test(`${dispatch}: all that wait behind a running one are aborted, and a letter gets through`, async (t) => {
      const { pool, arrived, open } = smallPool(t, { dispatch, threads: 2 });
      const held = range(2).map((i) => pool.run('hold', [i]));
      await arrived(2);
      const { signal, abort } = aborter();
      const calls = range(20).map((i) => pool.run('mark', [i], { signal }));
      const letters = [pool.run('echo', ['k'], { key: 'k' }), pool.broadcast('echo', ['all'])];
      abort();
      open();
      assert.deepEqual(new Set(await outcomes(calls)), new Set(['ERR_TASK_ABORTED']));
      assert.deepEqual(await Promise.all(letters), ['k', ['all', 'all']]);
      assert.deepEqual(await Promise.all(held), [0, 1]);
    });
  }
});

describe('shared threads: more calls than a word can count', () => {
  for (const dispatch of ['shared-queue', 'direct', 'coordinator'] as const) {
    test(`${dispatch}: what crosses over ports, what tasks say, and aborts find the calls that they are about`, async (t) => {
      let lastId = 2 ** 31 - 1;
      t.mock.method(Ledger.prototype, 'newId', () => ++lastId);
      const { pool, words } = smallPool(t, { dispatch });
      const moved = new Uint8Array([1, 2, 3]);
      const calls = [pool.run('kindOf', [/x/]), pool.run('kindOf', [moved], { transfer: [moved.buffer] })];
      assert.deepEqual(await Promise.all(calls), ['[object RegExp]', '[object Uint8Array]']);
      const said: unknown[] = [];
      await pool.run('talk', [3, 'x'], { onProgress: (value) => void said.push(value) });
      assert.deepEqual(said, [0, 1, 2]);
      const { signal, abort } = aborter();
      const call = outcomes([pool.run('untilAborted', [], { signal })]);
      await reached(words, ARRIVED, 1);
      abort();
      assert.deepEqual(await call, ['ERR_TASK_ABORTED']);
      await reached(words, RAN, 1);
    });
  }
});

describe('shared threads: many names', () => {
  test('thousands of wrong ones are each told what exists, and the right ones work', async (t) => {
    const { pool } = smallPool(t);
    const wrong = range(4500).map((i) => pool.run(`wrong${i}`, []));
    assert.deepEqual(new Set(await outcomes(wrong)), new Set(['ERR_TASK_NOT_FOUND']));
    assert.equal(await pool.run('text', [3, 'x']), 'xxx', 'a name that comes too late to be remembered');
  });

  test('a name that is told behind more words than are heard at once is known in time', async (t) => {
    const { pool, arrived, open } = smallPool(t, { threads: 1, cells: 4096 });
    const held = pool.run('hold', [0]);
    await arrived(1);
    const { signal, abort } = aborter();
    const wrong = range(2500).map((i) => pool.run(`wrong${i}`, [], { signal }));
    const right = pool.run('text', [3, 'x']);
    abort();
    open();
    assert.deepEqual(new Set(await outcomes(wrong)), new Set(['ERR_TASK_ABORTED']));
    assert.equal(await right, 'xxx');
    assert.equal(await held, 0);
  });
});

describe('shared threads: leases', () => {
  test('as an argument among others, in any place, several at a time', async (t) => {
    const { pool } = smallPool(t);
    const calls = range(20).map((i) => {
      const lease = pool.lease(100 + i);
      lease.bytes.fill(i);
      return pool.run('around', [{ i }, lease, 'x'.repeat(i * 20)]);
    });
    const expected = range(20).map((i) => [{ i }, (100 + i) * i, 'x'.repeat(i * 20)]);
    assert.deepEqual(await Promise.all(calls), expected);
  });

  test('what a task writes is what main reads', async (t) => {
    const { pool } = smallPool(t);
    const lease = pool.lease(64);
    const { bytes } = lease;
    assert.deepEqual(await pool.run('fill', [lease, 7]), new Uint8Array(64).fill(7), 'also as a result');
    assert.deepEqual(bytes, new Uint8Array(64).fill(7));
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
  });

  test('with retries', async (t) => {
    const { pool } = smallPool(t);
    const lease = pool.lease(10);
    lease.bytes.fill(3);
    assert.deepEqual(await pool.run('around', [1, lease, 2], { retries: 1 }), [1, 30, 2]);
  });

  test('is there again when its task is run again after a crash', async (t) => {
    const { pool, words } = smallPool(t, { threads: 1 });
    const lease = pool.lease(10);
    lease.bytes.fill(3);
    assert.equal(await pool.run('fallOnce', [lease], { retries: 1 }), 30);
    assert.equal(words[ARRIVED], 2);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
  });

  test('is not used by a call whose argument has a getter that releases it', async (t) => {
    const { pool } = smallPool(t);
    const lease = pool.lease(100);
    const releases = {
      get length() {
        lease.release();
        return 'x'.repeat(200);
      },
    };
    await assert.rejects(pool.run('around', [1, lease, releases]), { code: 'ERR_LEASE_RELEASED' });
  });

  for (const dispatch of ['shared-queue', 'direct', 'coordinator'] as const) {
    test(`${dispatch}: is there again when it was released meanwhile, and is over then`, async (t) => {
      const { pool, words } = smallPool(t, { dispatch, threads: 1 });
      const lease = pool.lease(10);
      const { bytes } = lease;
      bytes.fill(3);
      const call = pool.run('fallOnce', [lease], { retries: 1 });
      lease.release();
      assert.equal(await call, 30);
      assert.equal(words[ARRIVED], 2);
      assert.equal(pool.lease(10).bytes.byteOffset, bytes.byteOffset, 'its memory is there for the next one');
    });
  }

  test('is nobody else’s as long as the aborted task that has it runs', async (t) => {
    const { pool, words, arrived, open } = smallPool(t, { threads: 1, tasksPerWorker: 2 });
    const { signal, abort } = aborter();
    const lease = pool.lease(256);
    const { bytes } = lease;
    const call = pool.run('scribble', [lease, 9], { signal });
    await arrived(1);
    abort();
    assert.deepEqual(await outcomes([call]), ['ERR_TASK_ABORTED']);
    const others = range(40).map(() => pool.lease(256).bytes);
    assert.ok(
      others.every((other) => other.buffer !== bytes.buffer || other.byteOffset !== bytes.byteOffset),
    );
    for (const other of others) other.fill(1);
    open();
    await reached(words, RAN, 1);
    assert.ok(others.every((other) => other.every((value) => value === 1)));
    assert.equal(await pool.run('echo', [1]), 1);
  });
});

describe('shared threads: tasks that are taken back', () => {
  test('aborted before they begin, they never run; the others do, in order', async (t) => {
    const { pool, words, arrived, open } = smallPool(t, { threads: 1 });
    const held = pool.run('hold', [0]);
    await arrived(1);
    const { signal, abort } = aborter();
    const calls = range(20).map((i) => pool.run('mark', [i], i % 2 === 0 ? { signal } : {}));
    abort();
    open();
    const expected = range(20).map((i) => (i % 2 === 0 ? 'ERR_TASK_ABORTED' : 'ok'));
    assert.deepEqual(await outcomes(calls), expected);
    assert.equal(await held, 0);
    assert.equal(words[RAN], 10);
  });

  test('a timeout counts from when they begin, and ends only the one that runs for so long', async (t) => {
    const { pool, words, arrived } = smallPool(t, { threads: 1 });
    const held = pool.run('hold', [0], { timeoutMs: 50 });
    await arrived(1);
    const calls = range(20).map((i) => pool.run('mark', [i], { timeoutMs: 5000 }));
    assert.deepEqual(await outcomes([held]), ['ERR_TASK_TIMEOUT']);
    assert.deepEqual(new Set(await outcomes(calls)), new Set(['ok']));
    assert.equal(words[RAN], 20);
  });

  test('a task that does not stop takes no other one down that the same worker has begun since', async (t) => {
    const { pool, arrived, open } = smallPool(t, { threads: 1, tasksPerWorker: 2 });
    const stubborn = pool.run('linger', [0], { timeoutMs: 20 });
    await arrived(1);
    assert.deepEqual(await outcomes([stubborn]), ['ERR_TASK_TIMEOUT']);
    const other = pool.run('linger', [1]);
    await arrived(2);
    // Sooner or later the worker is given up, one way or the other; then another one starts.
    await new Promise<void>((resolve) => pool.on('worker:start', () => resolve()));
    open();
    assert.equal(await other, 1);
  });
});

describe('shared threads: workers that leave', () => {
  test('process.exit in a task rejects that one alone', async (t) => {
    const { pool } = smallPool(t);
    const before = range(10).map((i) => pool.run('echo', [i]));
    const exit = pool.run('exit', [3]);
    const after = range(30).map((i) => pool.run('echo', [i]));
    const letters = range(5).map((i) => pool.run('echo', [i], { key: 'k' }));
    assert.deepEqual(await outcomes([exit]), ['ERR_WORKER_CRASHED']);
    for (const calls of [before, after, letters]) {
      assert.deepEqual(await Promise.all(calls), range(calls.length));
    }
  });

  test('whatever is on its way to a worker that exits runs elsewhere, over the port as well', async (t) => {
    const { pool } = smallPool(t, { threads: 1 });
    const exit = pool.run('exit', [3], { key: 'k' });
    const values = range(12).map((i) => (i % 2 === 0 ? new RegExp(`${i}`) : `${i} `.repeat(100)));
    const calls = values.map((value, i) => pool.run('echo', [value], i % 3 === 0 ? { key: 'k' } : {}));
    assert.deepEqual(await outcomes([exit]), ['ERR_WORKER_CRASHED']);
    assert.deepEqual(await Promise.all(calls), values);
    assert.equal(await pool.run('echo', ['still here']), 'still here');
  });

  test('dying ones do not use up cells, nor memory for arguments', async (t) => {
    const { pool } = smallPool(t, { threads: 1 });
    for (let round = 0; round < 4; round++) {
      const exit = pool.run('exit', [3]);
      const calls = range(10).map((i) => pool.run('echo', [i % 2 === 0 ? new RegExp(`${i}`) : i]));
      assert.deepEqual(await outcomes([exit]), ['ERR_WORKER_CRASHED']);
      assert.deepEqual(new Set(await outcomes(calls)), new Set(['ok']));
    }
  });

  test('a task that is run again after a crash gets its arguments again', async (t) => {
    const { pool, arrived } = smallPool(t, { threads: 1 });
    const exit = pool.run('exit', [3], { retries: 2 });
    assert.deepEqual(await outcomes([exit]), ['ERR_WORKER_CRASHED']);
    await arrived(3);
    assert.equal(await pool.run('text', [500, 'x'], { retries: 1 }), 'x'.repeat(500));
  });

  test('a worker that is leaving is not called for what others can do', async (t) => {
    const { pool, words, open } = smallPool(t, { threads: 2, holdsTeardown: true });
    await pool.ready;
    await Promise.all(range(4).map((i) => pool.run('echo', [i])));
    pool.resize(1);
    await reached(words, LEFT, 1);
    for (let i = 0; i < 20; i++) assert.equal(await pool.run('echo', [i]), i);
    open();
  });

  test('a worker that is replaced after so many tasks has run as many: withdrawn ones do not count', async (t) => {
    const worker = { recycle: { afterTasks: 4 } };
    const { pool, words, arrived, open } = smallPool(t, { threads: 1, worker });
    const held = pool.run('hold', [0]);
    await arrived(1);
    const { signal, abort } = aborter();
    const calls = range(6).map((i) => pool.run('mark', [i], { signal }));
    abort();
    open();
    assert.deepEqual(new Set(await outcomes(calls)), new Set(['ERR_TASK_ABORTED']));
    assert.equal(await held, 0);
    assert.deepEqual(await Promise.all(range(20).map((i) => pool.run('mark', [i]))), range(20));
    assert.equal(words[RAN], 20);
  });

  for (const dispatch of ['shared-queue', 'coordinator'] as const) {
    const beforeHeard = 'that main has not heard to be ready, and that have begun tasks';

    test(`${dispatch}: ${beforeHeard}, end these`, async (t) => {
      const { pool, words, open } = smallPool(t, { dispatch });
      const held = range(2).map((i) => pool.run('hold', [i]));
      blockUntil(words, ARRIVED, 2);
      pool.resize(1);
      open();
      assert.deepEqual(await Promise.all(held), [0, 1]);
      assert.equal(pool.stats().threads.current, 1);
    });

    test(`${dispatch}: ${beforeHeard}, are in time although main was not`, async (t) => {
      const worker = { startTimeoutMs: 1 };
      let waited = 0;
      // Main has to wait for a core for longer than that, whenever it looks at the clock.
      const platform = { ...nodePlatform, now: () => nodePlatform.now() + (waited += 2) };
      const { pool, words, open } = smallPool(t, { dispatch, threads: 1, worker, platform });
      const held = pool.run('hold', [0]);
      blockUntil(words, ARRIVED, 1);
      open();
      assert.equal(await held, 0);
    });
  }

  test('an idle pool does not keep its process', async () => {
    const entry = new URL('../../index.js', import.meta.url).href;
    const module = new URL('../small-pool-tasks.case.js', import.meta.url).href;
    const code = `
      import { createPool } from ${JSON.stringify(entry)};
      const data = { words: new Int32Array(new SharedArrayBuffer(16)) };
      const options = { threads: 2, transport: 'shared', worker: { data } };
      const pool = createPool(${JSON.stringify(module)}, options);
      const results = await Promise.all([1, 2, 3].map((i) => pool.run('echo', [i])));
      process.stdout.write(JSON.stringify(results));`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code]);
    assert.equal(stdout, '[1,2,3]');
  });
});

describe('shared threads: everybody who is needed is called', () => {
  for (const threads of [2, 3, 4]) {
    test(`${threads} tasks that wait for each other meet on ${threads} threads, after many tiny ones`, async (t) => {
      const { pool, words } = smallPool(t, { threads, cells: 64 });
      await pool.ready;
      for (let round = 1; round <= 5; round++) {
        for (let i = 0; i < 200; i++) await pool.run('echo', [i]);
        await Promise.all(range(200).map((i) => pool.run('echo', [i])));
        await Promise.all(range(threads).map(() => pool.run('meet', [round * threads])));
      }
      assert.equal(words[1], 5 * threads);
    });
  }
});

describe('shared threads: nobody who is ended waits for a word that others notify', () => {
  for (const dispatch of ['shared-queue', 'coordinator'] as const) {
    test(`as Node 20 may crash of that: ${dispatch}`, async (t) => {
      const waiting: number[] = [];
      /** Tells how many waited for that word when the thread was ended. */
      const watched = (thread: Thread, board: ArrayBufferLike, at: number): Thread => ({
        ...thread,
        terminate: () => {
          waiting.push(Atomics.notify(new Int32Array(board, 0, at + 1), at));
          thread.terminate();
        },
      });
      const platform: Platform = {
        ...nodePlatform,
        spawn: (spec, onExit) => {
          const { board, seat } = spec.wire.memory as SharedMemory;
          return watched(nodePlatform.spawn(spec, onExit), board, wakeupsOf(seat));
        },
        startHelper: (spec, onExit) => {
          const { board } = spec.data as SharedMemory;
          return watched(nodePlatform.startHelper(spec, onExit), board, COORDINATOR);
        },
      };
      const { pool } = smallPool(t, { platform, dispatch, threads: 3 });
      await pool.ready;
      await Promise.all(range(50).map((i) => pool.run('echo', [i])));
      await pool.destroy();
      assert.deepEqual(waiting, Array(dispatch === 'coordinator' ? 4 : 3).fill(0));
    });
  }
});

function aborter(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
