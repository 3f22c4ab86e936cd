import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { combine, files } from '../../fixtures/files.js';
import { hash } from '../../driver/tasks.js';
import { openCoordinated } from '../hash-coordinator/as-published.js';
import { OpenCalls, openSegments } from './as-published.js';
import { readInOneGo } from './one-go.js';
import { changed, Dispatcher, FREE, newSegment, takeTask } from './segments.js';

/** How many passes are made: the more often a lock changes hands, the likelier a task is lost or done twice. */
const PASSES = 20;

for (const [what, open] of [
  ['segments', openSegments],
  ['a coordinator', openCoordinated],
]) {
  for (const threads of [1, 3]) {
    test(`by ${what}, ${threads} of threads: every file is hashed once, pass after pass`, async () => {
      const fixture = files.make({ files: 40 });
      const crew = await open({ threads });
      try {
        for (let pass = 0; pass < PASSES; pass++) {
          const { digests, readingMs } = await crew.hashFolder(fixture.given.folder);
          assert.equal(combine(digests), fixture.given.digest);
          assert.ok(readingMs > 0);
        }
      } finally {
        await crew.close();
        fixture.remove();
      }
    });
  }
}

test('the lock is free before the result is out of hand', async () => {
  const { data, lock } = newSegment();
  const segment = { data: new Uint8Array(data), lock: new Int32Array(lock) };
  assert.equal(segment.lock[0], FREE);
  segment.lock[0] = 7;
  const isChanged = changed(segment.lock, 7);
  const { id, result } = takeTask(segment, (bytes) => {
    assert.equal(segment.lock[0], 7, 'while it computes, the segment is the worker’s');
    return bytes.length;
  });
  assert.deepEqual([id, result, segment.lock[0]], [7, 65_536, FREE]);
  await isChanged;
});

/** Wakes a waiter of a lock that has not changed, as soon as there is one. */
async function wakeForNothing(lock) {
  while (Atomics.notify(lock, 0) === 0) await nextTurn();
}

test('a worker that is woken by a late notification looks again', async () => {
  const segment = newSegment();
  const lock = new Int32Array(segment.lock);
  const worker = new Worker(new URL('./segment-worker.js', import.meta.url), { workerData: segment });
  const ids = [];
  const answered = new Promise((resolve) => {
    worker.on('message', ({ id }) => {
      ids.push(id);
      if (id === 5) resolve();
    });
  });
  for (let i = 0; i < 3; i++) await wakeForNothing(lock);
  Atomics.store(lock, 0, 5);
  Atomics.notify(lock, 0);
  await answered;
  await worker.terminate();
  assert.deepEqual(ids, [5]);
});

test('a dispatcher that is woken by a late notification looks again', async () => {
  const [lock, other] = [newSegment(), newSegment()].map((segment) => new Int32Array(segment.lock));
  let isChanged = false;
  const change = changed(lock, FREE).then(() => {
    isChanged = true;
  });
  await wakeForNothing(lock);
  // Notifications are noticed in order: once the later one is, the earlier one would have been, too.
  const later = changed(other, FREE);
  Atomics.store(other, 0, 1);
  Atomics.notify(other, 0);
  await later;
  assert.equal(isChanged, false);
  Atomics.store(lock, 0, 1);
  Atomics.notify(lock, 0);
  await change;
});

test('of several free workers, the one that became free last gets the next message', async () => {
  const dispatcher = new Dispatcher();
  const segments = Array.from({ length: 3 }, newSegment);
  const locks = segments.map(({ lock }) => new Int32Array(lock));
  for (const segment of segments) dispatcher.add(segment);
  const release = async (worker) => {
    const isNoticed = changed(locks[worker], locks[worker][0]);
    Atomics.store(locks[worker], 0, FREE);
    Atomics.notify(locks[worker], 0);
    await isNoticed;
    await nextTurn(); // the dispatcher has waited for the lock longer than this did
  };
  const whoHas = (id) => locks.findIndex(([value]) => value === id);
  const give = (id) => {
    dispatcher.give(id, new Uint8Array([id]));
    return whoHas(id);
  };
  assert.deepEqual([give(0), give(1)], [2, 1]);
  await release(1);
  await release(2);
  assert.deepEqual([give(2), give(3), give(4)], [2, 1, 0]);
  assert.equal(give(5), -1, 'nobody is free');
  await release(0);
  assert.equal(whoHas(5), 0, 'what waited is handed out');
});

test('results come in any order; one that nobody waits for fails those that are open', async () => {
  const calls = new OpenCalls();
  const [a, b] = [calls.begin(0), calls.begin(1)];
  calls.settle({ id: 1, result: 'b' });
  calls.settle({ id: 0, result: 'a' });
  assert.deepEqual(await Promise.all([a, b]), ['a', 'b']);
  const open = calls.begin(2);
  calls.settle({ id: 1, result: 'b' });
  await assert.rejects(open, /A result of 1, which nobody waits for/);
  await assert.rejects(calls.begin(3), /nobody waits for/);
});

test('what is left to hash when all files are read is told', async () => {
  const fixture = files.make({ files: 4 });
  const give = (id, bytes) => ({ digest: hash(bytes), ended: id < 3 ? 0 : Infinity });
  const { digests, leftPercent } = await readInOneGo(fixture.given.folder, give);
  fixture.remove();
  assert.equal(combine(digests), fixture.given.digest);
  assert.equal(leftPercent, 25);
});
