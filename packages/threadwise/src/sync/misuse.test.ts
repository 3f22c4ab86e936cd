/** Bad input to the structures: each is refused by an error that has a code, and says what was expected and what came. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Channel } from './channel.js';
import { Counter } from './counter.js';
import { Barrier, Latch } from './gates.js';
import { Mutex } from './mutex.js';

describe('all of them', () => {
  const made = {
    Mutex: new Mutex(),
    Counter: new Counter(),
    Barrier: new Barrier(1),
    Latch: new Latch(1),
    Channel: new Channel(),
  };
  const classes = { Mutex, Counter, Barrier, Latch, Channel };

  test('from takes the buffer of its own kind, and nothing else', () => {
    const others = [
      undefined,
      null,
      4,
      {},
      new ArrayBuffer(64),
      new SharedArrayBuffer(0),
      new SharedArrayBuffer(64),
    ];
    for (const [kind, structure] of Object.entries(classes)) {
      const from = (buffer: unknown) => (structure as typeof Mutex).from(buffer as SharedArrayBuffer);
      for (const [other, { buffer }] of Object.entries(made)) {
        if (other === kind) assert.equal(from(buffer).buffer, buffer);
        else
          assert.throws(() => from(buffer), {
            code: 'ERR_OPTION',
            message: new RegExp(`the buffer of a ${kind}, got .* It is that of a ${other}$`),
          });
      }
      for (const other of others)
        assert.throws(() => from(other), { code: 'ERR_OPTION' }, `${kind} ${String(other)}`);
    }
  });

  test('wrong sizes and options are refused', async () => {
    for (const other of [null, 8, new ArrayBuffer(8), new Mutex(), { buffer: new Mutex().buffer }])
      assert.throws(() => new Mutex(other as never), {
        code: 'ERR_OPTION',
        message: /expected a SharedArrayBuffer/,
      });
    assert.throws(() => new Channel(new ArrayBuffer(8) as never), { code: 'ERR_OPTION' });
    for (const parties of [0, -1, 1.5, 1024, '2', null, undefined]) {
      assert.throws(() => new Barrier(parties as number), { code: 'ERR_OPTION' });
    }
    for (const count of [-1, 1.5, 2 ** 31, '2', null, undefined]) {
      assert.throws(() => new Latch(count as number), { code: 'ERR_OPTION' });
    }
    for (const value of [1.5, 2 ** 53, '2', null, 2n]) {
      assert.throws(() => new Counter(value as number), { code: 'ERR_OPTION' });
      assert.throws(() => made.Counter.add(value as number), { code: 'ERR_OPTION' });
    }
    for (const options of [
      { capacity: 0 },
      { maxBytes: 0 },
      { capacity: 2 ** 20, maxBytes: 2 ** 20 },
      { size: 1 },
      { capacity: null },
      { maxBytes: null },
      5,
      null,
    ]) {
      assert.throws(() => new Channel(options as object), { code: 'ERR_OPTION' });
    }
    for (const options of [
      { timeoutMs: -1 },
      { timeoutMs: '5' },
      { timeout: 5 },
      AbortSignal.abort(),
      5,
      null,
    ]) {
      await assert.rejects(new Mutex().lock(options as object), { code: 'ERR_OPTION' });
    }
    assert.throws(() => made.Latch.countDown(0), { code: 'ERR_OPTION' });
  });

  test('the main thread is never blocked', () => {
    const calls = [
      () => made.Mutex.lockSync(),
      () => made.Mutex.withLockSync(() => 1),
      () => made.Barrier.waitSync(),
      () => made.Latch.waitSync(),
      () => made.Channel.sendSync(1),
      () => made.Channel.receiveSync(),
    ];
    for (const call of calls)
      assert.throws(call, { code: 'ERR_OPTION', message: /would block the main thread/ });
  });

  test('what is to run while a lock is held has to be a function, and the lock stays free', async () => {
    const mutex = new Mutex();
    const expected = { code: 'ERR_OPTION', message: /'run': expected a function, got an object/ };
    await assert.rejects(mutex.withLock({ timeoutMs: 5 } as never), expected);
    assert.throws(() => mutex.withLockSync({ timeoutMs: 5 } as never), expected);
    mutex.tryLock()!.release();
  });

  test('a number that is too large is told the largest', () => {
    const message = "Option 'by': expected a whole number from -(2^53 - 1) to 2^53 - 1, got 9007199254740992";
    assert.throws(() => new Counter().add(2 ** 53), { code: 'ERR_OPTION', message });
  });

  test('a latch that no more threads can join says how many can', () => {
    for (const [count, most] of [
      [2, 2],
      [5000, 1023],
    ] as const) {
      const latch = new Latch(count);
      for (let i = 0; i < most; i++) latch.join();
      assert.throws(() => latch.join(), {
        code: 'ERR_OPTION',
        message: new RegExp(`At most ${most} threads`),
      });
    }
  });
});
