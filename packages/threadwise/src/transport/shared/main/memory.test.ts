/** What pools keep of memory between real threads: segments that nobody uses go back, and all that a closed pool had. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test as testFor } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Platform } from '../../../core/contracts.js';
import { nodePlatform } from '../../../platform/node/platform.js';
import { type SmallOptions, smallPool } from '../../small-pool.case.js';
import { collected, RAN, reached } from '../../small-pool-words.case.js';

/** What waits for longer than that waits for ever. Milliseconds. */
const TIMEOUT_MS = 60_000;
const test = (name: string, run: (t: TestContext) => Promise<void>) =>
  testFor(name, { timeout: TIMEOUT_MS }, run);
const MIB = 2 ** 20;
const SEGMENT_BYTES = 64 * MIB;
/** How long an arena waits before it looks for segments that nobody uses. */
const IDLE_MS = 5000;

/** A platform with a hand on the arena's clock, and an eye on the memory that was taken and is still there. */
function watched() {
  const looks: (() => void)[] = [];
  const made: { readonly byteLength: number; readonly ref: WeakRef<ArrayBufferLike> }[] = [];
  const platform: Platform = {
    ...nodePlatform,
    timer: (ms, callback) => {
      if (ms !== IDLE_MS) return nodePlatform.timer(ms, callback);
      looks.push(callback);
      return { cancel: () => void looks.splice(looks.indexOf(callback), 1) };
    },
    sharedMemory: (byteLength) => {
      const buffer = nodePlatform.sharedMemory(byteLength);
      made.push({ byteLength, ref: new WeakRef(buffer) });
      return buffer;
    },
  };
  const alive = () => made.filter(({ ref }) => ref.deref() !== undefined).map(({ byteLength }) => byteLength);
  return {
    platform,
    alive,
    segments: () => alive().filter((byteLength) => byteLength >= SEGMENT_BYTES).length,
    /** As much time passes as makes a segment one that nobody uses. */
    idle: () => {
      for (let i = 0; i < 2; i++) looks.shift()?.();
      assert.deepEqual(looks, [], 'nothing is free any more');
    },
  };
}

describe('shared memory: segments that nobody uses', () => {
  test('go back to the system, whoever looked into them', async (t) => {
    const { platform, segments, idle } = watched();
    const { pool, words } = smallPool(t, { threads: 2, platform });
    await pool.ready;
    const leases = [1, 2, 3, 4].map(() => pool.lease(40 * MIB));
    await pool.recycle(); // the next workers know of segments from their start
    await pool.broadcast('remember', [leases[0]]);
    for (const lease of leases) lease.release();
    assert.equal(segments(), 4);
    idle();
    await reached(words, RAN, 2);
    await collected(() => segments() === 0);
    assert.equal(
      await pool.run('sum', [new Uint8Array(1000).fill(1)]),
      1000,
      'there is another one when it is needed',
    );
    assert.throws(() => leases[0]!.bytes, { code: 'ERR_LEASE_RELEASED' });
  });

  test('go back to the system when arguments have been written and read there', async (t) => {
    const { platform, segments, idle } = watched();
    const { pool, words } = smallPool(t, { threads: 1, platform });
    const lease = pool.lease(1000);
    await pool.run('remember', [lease]);
    assert.equal(await pool.run('sum', [new Uint8Array(MIB).fill(1)]), MIB);
    lease.release();
    idle();
    await reached(words, RAN, 1);
    await collected(() => segments() === 0);
  });

  const ways: Readonly<Record<string, SmallOptions>> = {
    'shared-queue': { threads: 2 },
    // The coordinator has prepared workers, which read nothing.
    coordinator: { dispatch: 'coordinator', threads: { min: 1, max: 3 } },
  };
  for (const [way, options] of Object.entries(ways)) {
    test(`${way}: go back to the system though no thread collects by itself`, async (t) => {
      const { platform, idle } = watched();
      const { pool } = smallPool(t, { ...options, platform });
      await pool.ready;
      const later = () => new Promise((resolve) => setTimeout(resolve, 20));
      for (let i = 0; i < 10; i++) await later().then(() => pool.run('echo', [i]));
      const leases = [1, 2, 3, 4].map(() => pool.lease(60 * MIB));
      for (const lease of leases) lease.bytes.fill(1);
      await Promise.all(leases.slice(0, 2).map((lease) => pool.run('lengthOf', [lease])));
      for (const lease of leases) lease.release();
      const full = process.memoryUsage.rss();
      idle();
      while (!t.signal.aborted && process.memoryUsage.rss() > full - 200 * MIB) await later();
    });
  }

  test('a worker that has not heard of it does not take the next one of that number for them', async (t) => {
    const { platform, segments, idle } = watched();
    const { pool, arrived, open } = smallPool(t, { threads: 1, platform });
    const bytes = (value: number) => {
      const lease = pool.lease(1000);
      lease.bytes.fill(value);
      return lease;
    };
    assert.equal(await pool.run('sum', [bytes(1)]), 1000);
    const held = pool.run('hold', [1]); // its event loop stands still
    await arrived(1);
    for (let i = 2; i < 5; i++) {
      idle();
      await collected(() => segments() === 0);
      const lease = bytes(i);
      if (i === 4) {
        const sums = [pool.run('sum', [lease]), pool.run('sum', [new Uint8Array(1000).fill(5)])];
        open();
        assert.deepEqual(await Promise.all(sums), [4000, 5000]);
      }
      lease.release();
    }
    await held;
  });
});

describe('shared memory: a pool that is closed', () => {
  const ways: Readonly<Record<string, SmallOptions>> = {
    'shared-queue': {},
    direct: { dispatch: 'direct' },
    coordinator: { dispatch: 'coordinator' },
  };
  for (const [way, options] of Object.entries(ways)) {
    const used = async (t: TestContext) => {
      const { platform, alive, segments } = watched();
      const { pool, words } = smallPool(t, { ...options, platform, stream: 2 * MIB });
      const leases = [pool.lease(1000), pool.lease(MIB), pool.lease(10)];
      await Promise.all(leases.slice(0, 2).map((lease) => pool.run('mark', [lease])));
      leases[2]!.release();
      await reached(words, RAN, 2);
      assert.equal(await pool.run('text', [10_000, 'x']), 'x'.repeat(10_000));
      assert.equal(await pool.run('sum', [new Uint8Array(MIB).fill(1)]), MIB);
      await pool.close();
      return { pool, leases, alive, segments };
    };

    test(`${way}: has neither leases' memory nor its workers', also for who keeps it and the leases`, async (t) => {
      const { pool, leases, alive } = await used(t);
      await collected(() => alive().every((byteLength) => byteLength < MIB));
      assert.equal(pool.stats().state, 'closed');
      assert.throws(() => leases[0]!.bytes, { code: 'ERR_LEASE_RELEASED' });
    });

    test(`${way}: nor has it when it was destroyed under a task, for whose end main slept`, async () => {
      const destroyed = async () => {
        const ends: (() => unknown)[] = [];
        const { platform, alive } = watched();
        const given = { name: 'destroyed', after: (end: () => unknown) => ends.push(end) } as never;
        const { pool, arrived } = smallPool(given, { ...options, platform });
        const call = pool.run('untilAborted', []);
        await arrived(1);
        for (let turns = 0; turns < 10; turns++) await nextTurn(); // main goes to sleep
        await Promise.all([ends[0]!(), assert.rejects(call, { code: 'ERR_POOL_CLOSED' })]);
        return alive;
      };
      const alive = await destroyed();
      await collected(() => alive().length === 0);
    });

    test(`${way}: has no memory at all when it is dropped`, async () => {
      const ends: (() => unknown)[] = [];
      const { alive } = await used({
        name: 'dropped',
        after: (end: () => unknown) => ends.push(end),
      } as never);
      await ends.shift()!();
      ends.length = 0;
      await collected(() => alive().length === 0);
    });
  }
});

describe('shared memory of users', () => {
  const ways: Readonly<Record<string, SmallOptions>> = {
    'shared-queue': { threads: 2 },
    direct: { dispatch: 'direct', threads: 2 },
    // The coordinator has prepared workers, which read nothing.
    coordinator: { dispatch: 'coordinator', threads: { min: 1, max: 3 } },
  };
  for (const [way, options] of Object.entries(ways)) {
    test(`${way}: all workers have it, also those that come later, whatever dies`, async (t) => {
      const { pool } = smallPool(t, options);
      const words = new Int32Array(new SharedArrayBuffer(8));
      const adds = (many: number) =>
        Promise.all(Array.from({ length: many }, () => pool.run('add', [words])));
      await adds(50);
      await Promise.allSettled([pool.run('exit', []), adds(50)]);
      await pool.recycle();
      await adds(50);
      await Promise.allSettled([pool.run('exit', [])]);
      await adds(50);
      assert.equal(words[0], 200);
    });

    test(`${way}: goes back to the system when its user lets go of it, and not before`, async (t) => {
      const { pool } = smallPool(t, options);
      const use = async () => {
        const words = new Int32Array(new SharedArrayBuffer(256 * MIB)).fill(1);
        const before = new WeakRef(words.subarray(0));
        for (let i = 0; i < 10; i++) await pool.run('add', [words]);
        await collected(() => before.deref() === undefined);
        await pool.run('add', [words]);
        assert.equal(words[0], 12);
        return process.memoryUsage.rss();
      };
      const full = await use();
      await collected(() => t.signal.aborted || process.memoryUsage.rss() < full - 200 * MIB);
    });

    test(`${way}: is not taken for the next that has its number by a call that waits`, async (t) => {
      const { pool, arrived, open } = smallPool(t, { ...options, threads: 1, cells: 256 });
      const sums: Promise<unknown>[] = [];
      const use = (value: number) => {
        const words = new Int32Array(new SharedArrayBuffer(8)).fill(value);
        for (let i = 0; i < 4; i++) sums.push(pool.run('sum', [words]));
        return new WeakRef({});
      };
      const held = pool.run('hold', [1]);
      await arrived(1);
      for (let value = 1; value <= 20; value++) {
        const garbage = use(value);
        await collected(() => garbage.deref() === undefined);
      }
      open();
      await held;
      const expected = Array.from({ length: 80 }, (_, i) => 2 * (1 + Math.floor(i / 4)));
      assert.deepEqual(await Promise.all(sums), expected);
    });
  }
});
