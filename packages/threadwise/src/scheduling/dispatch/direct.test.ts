/** Direct dispatch: what every dispatch promises, and how tiny tasks share a message without anybody waiting for it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DispatchBench, idsAt, linkOf, type MakeDispatch } from './bench.case.js';
import { DirectDispatch } from './direct.js';
import { dispatchConformance } from './dispatch.case.js';
import { MAX_PREFETCH } from './prefetch.js';

const make: MakeDispatch = (context) => new DirectDispatch(context);
/** How long a worker may hold unbegun tasks without ending any. Milliseconds. */
const STALL_MS = 5;

dispatchConformance('direct', make);

describe('direct: tasks that lie unbegun at a worker', () => {
  test('none do as long as nothing is known of them', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    for (let i = 0; i < 10; i++) bench.submit();
    assert.equal(slot.handed.size, 1);
  });

  test('tiny ones do, up to the most, beyond those that run; they still count as waiting', () => {
    const bench = new DispatchBench(make, { tasksPerWorker: 2 });
    const slot = bench.worker();
    bench.learnTiny('tiny');
    for (let i = 0; i < 200; i++) bench.submit({ name: 'tiny' });
    assert.equal(slot.handed.size, 2 + MAX_PREFETCH);
    assert.equal(bench.dispatch.waiting, 200 - 2);
    assert.equal(bench.dispatch.queued, 200 - 2 - MAX_PREFETCH);
  });

  test('one whose arguments move does not: it could not be taken back', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    bench.learnTiny('tiny');
    bench.submit({ name: 'tiny' });
    bench.submit({ name: 'tiny', moves: [new ArrayBuffer(8)] });
    assert.equal(slot.handed.size, 1);
  });

  /** A worker that holds one task begun and four unbegun. */
  function stalling() {
    const bench = new DispatchBench(make);
    const slow = bench.worker();
    bench.learnTiny('tiny');
    const tasks = Array.from({ length: 5 }, () => bench.submit({ name: 'tiny' }));
    bench.begin(slow, tasks[0]!);
    return { bench, slow, tasks };
  }

  test('are taken back from a worker that does not get on, and go to another, first in first out', () => {
    const { bench, slow, tasks } = stalling();
    assert.equal(slow.handed.size, 5);
    const other = bench.worker();
    bench.platform.advance(STALL_MS);
    assert.deepEqual(idsAt(slow), [tasks[0]!.id]);
    assert.deepEqual(
      idsAt(other),
      tasks.slice(1).map(({ id }) => id),
    );
    const withdrawn = bench.told.filter((what) => what.startsWith('-'));
    assert.equal(withdrawn.length, 4);
  });

  test('are not handed to the same worker again as long as it does not get on', () => {
    const { bench, slow, tasks } = stalling();
    bench.platform.advance(STALL_MS);
    assert.deepEqual(idsAt(slow), [tasks[0]!.id]);
    assert.equal(bench.dispatch.queued, 4);
    bench.end(slow, tasks[0]!, 0.001);
    assert.equal(slow.handed.size, 4, 'now it does');
  });

  test('stay at a worker that gets on', () => {
    const { bench, slow, tasks } = stalling();
    const other = bench.worker();
    bench.end(slow, tasks[0]!, 0.001);
    bench.begin(slow, tasks[1]!);
    bench.platform.advance(STALL_MS);
    assert.equal(slow.handed.size, 4);
    assert.equal(other.handed.size, 0);
  });

  test('stay if the end of the task before them has arrived and was only not looked at', () => {
    const { bench, slow, tasks } = stalling();
    linkOf(slow).unheard = [() => bench.hear(slow, tasks[0]!, 0.001)];
    bench.worker();
    bench.platform.advance(STALL_MS);
    assert.deepEqual(
      idsAt(slow),
      tasks.slice(1).map(({ id }) => id),
    );
  });

  test('wait no more when their calls have settled, as the worker has begun them', () => {
    const { bench, slow, tasks } = stalling();
    for (const [i, task] of tasks.entries()) {
      bench.begin(slow, task);
      task.settle({ outcome: 'aborted', error: undefined });
      assert.equal(bench.dispatch.waiting, 4 - i);
    }
  });

  test('stay where they are for that worker alone', () => {
    const bench = new DispatchBench(make);
    const slow = bench.worker();
    bench.learnTiny('tiny');
    const running = bench.submit({ name: 'tiny' });
    bench.begin(slow, running);
    const movable = bench.submit({ name: 'tiny' });
    const pinned = bench.task({ name: 'tiny' });
    pinned.pinned = true;
    slow.hand(pinned);
    const other = bench.worker();
    bench.platform.advance(STALL_MS);
    assert.deepEqual(idsAt(slow), [running.id, pinned.id]);
    assert.deepEqual(idsAt(other), [movable.id]);
  });

  test('cost no timer once nobody holds any', () => {
    const { bench, slow, tasks } = stalling();
    assert.equal(bench.platform.timerCount, 1);
    for (const task of tasks) bench.end(slow, task, 0.001);
    bench.platform.advance(STALL_MS);
    assert.equal(bench.platform.timerCount, 0);
  });
});
