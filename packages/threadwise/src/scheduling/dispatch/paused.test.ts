/** A pool that is paused: nothing begins, nothing is lost, and the order stays. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Task } from '../../core/task.js';
import { PriorityQueue } from '../queue/priority.js';
import { DispatchBench, idsAt } from './bench.case.js';
import { DirectDispatch } from './direct.js';
import { PausedDispatch } from './paused.js';

function scene(workers = 1) {
  const bench = new DispatchBench((context) => new DirectDispatch(context));
  for (let i = 0; i < workers; i++) bench.worker();
  const pause = () => new PausedDispatch(bench.dispatch, new PriorityQueue<Task>());
  return { bench, pause };
}

const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

describe('paused', () => {
  test('takes over what waits, and what a worker was handed and has not begun; what has begun stays', () => {
    const { bench, pause } = scene();
    const [begun, ...waiting] = [bench.submit(), bench.submit(), bench.submit()];
    bench.begin(bench.slots[0]!, begun!);
    const paused = pause();
    assert.deepEqual(idsAt(bench.slots[0]!), [begun!.id]);
    assert.equal(paused.waiting, 2);
    assert.deepEqual(ids(paused.recall()), ids(waiting));
  });

  test('keeps what is submitted, by priority, then in order', () => {
    const { bench, pause } = scene();
    const paused = pause();
    const tasks = [bench.task(), bench.task({ priority: 5 }), bench.task()];
    for (const task of tasks) paused.submit(task);
    paused.pump();
    assert.deepEqual(idsAt(bench.slots[0]!), []);
    assert.deepEqual([paused.waiting, paused.queued, paused.hasRoom], [3, 0, false]);
    assert.deepEqual(ids(paused.recall()), ids([tasks[1]!, tasks[0]!, tasks[2]!]));
  });

  test('keeps what a dead worker had not begun before what came later', () => {
    const { bench, pause } = scene();
    const old = [bench.task(), bench.task()];
    const paused = pause();
    const late = bench.task();
    paused.submit(late);
    paused.putBack(old.toReversed());
    assert.deepEqual(ids(paused.recall()), ids([...old, late]));
  });

  test('an aborted task goes; all of them go when the pool breaks', () => {
    const { bench, pause } = scene();
    const paused = pause();
    const [one, other] = [bench.task(), bench.task()];
    paused.submit(one);
    paused.submit(other);
    assert.equal(paused.remove(one), true);
    assert.equal(paused.remove(one), false);
    assert.deepEqual(ids(paused.clear()), [other.id]);
    assert.equal(paused.waiting, 0);
  });

  test('a broadcast is not held up', () => {
    const { bench, pause } = scene();
    const paused = pause();
    const task = bench.task();
    paused.submitTo(bench.slots[0]!, task);
    assert.deepEqual(idsAt(bench.slots[0]!), [task.id]);
  });

  test('says how long the oldest has waited', () => {
    const { bench, pause } = scene();
    const paused = pause();
    assert.equal(paused.oldestSubmittedAt(), undefined);
    paused.submit(bench.task({ submittedAt: 30 }));
    paused.submit(bench.task({ submittedAt: 20 }));
    assert.equal(paused.oldestSubmittedAt(), 20);
  });
});
