// Shared structures in the tasks of a pool, over each transport: they work, and the death of a worker is noticed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPool } from 'threadwise';
import { Barrier, Channel, Latch, Mutex } from 'threadwise/sync';
import { moduleUrl, ways } from './fixtures/helpers.mjs';

const url = moduleUrl('shared.mjs');

/** A pool that is destroyed when the test ends. */
async function poolOf(t, threads, way) {
  const pool = createPool(url, { threads, ...way });
  t.after(() => pool.destroy());
  await pool.ready;
  return pool;
}

for (const [name, way] of Object.entries(ways)) {
  describe(name, () => {
    test('a task that is replaced because it goes on after its abort lets go of its lock, and main is told', async (t) => {
      const pool = await poolOf(t, 1, way);
      const mutex = new Mutex();
      const controller = new AbortController();
      let waiting;
      const onProgress = () => {
        waiting = mutex.lock();
        controller.abort();
      };
      const call = pool.run('holdForEver', [mutex.buffer], { signal: controller.signal, onProgress });
      await assert.rejects(call, { code: 'ERR_TASK_ABORTED' });
      const hold = await waiting;
      assert.equal(hold.isAbandoned, true);
      hold.release();
      assert.equal(await pool.run('lock', [mutex.buffer, true]), false);
    });

    for (const blocks of [true, false]) {
      test(`a task that exits lets go of its lock, and one that ${blocks ? 'blocks' : 'awaits'} is told`, async (t) => {
        const pool = await poolOf(t, 2, way);
        const mutex = new Mutex();
        await assert.rejects(pool.run('holdAndExit', [mutex.buffer]), { code: 'ERR_WORKER_CRASHED' });
        assert.equal(await pool.run('lock', [mutex.buffer, blocks]), true);
      });
    }

    test('tasks that meet are told when one of their threads ends', async (t) => {
      const pool = await poolOf(t, 3, way);
      const barrier = new Barrier(3);
      const meet = (options) => pool.run('meet', [barrier.buffer, options]);
      const calls = [
        meet({ rounds: 5 }),
        meet({ rounds: 5, blocks: false }),
        meet({ rounds: 3, exits: true }),
      ];
      await Promise.all(calls.map((call) => assert.rejects(call, { code: 'ERR_WORKER_CRASHED' })));
    });

    test('main waits for a latch, and is told when a thread ends that had joined', async (t) => {
      const pool = await poolOf(t, 1, way);
      const latch = new Latch(1);
      const wait = assert.rejects(latch.wait(), { code: 'ERR_WORKER_CRASHED', message: /latch/i });
      await assert.rejects(pool.run('joinAndExit', [latch.buffer]), { code: 'ERR_WORKER_CRASHED' });
      await wait;
    });

    test('values go to tasks and back while they run', async (t) => {
      const pool = await poolOf(t, 2, way);
      const [input, output] = [new Channel({ capacity: 4 }), new Channel({ capacity: 4 })];
      const tasks = [1, 2].map(() => pool.run('double', [input.buffer, output.buffer]));
      const values = Array.from({ length: 100 }, (_, i) => i);
      const sent = (async () => {
        for (const value of values) await input.send(value);
        input.close();
        await Promise.all(tasks);
        output.close();
      })();
      const got = [];
      for await (const value of output) got.push(value);
      await sent;
      assert.deepEqual(
        got.sort((a, b) => a - b),
        values.map((value) => value * 2),
      );
    });
  });
}
