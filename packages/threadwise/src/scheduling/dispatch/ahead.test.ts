/** Tasks that can only go by port and find no worker free: main may be blocked before it hears that one is, so they are left with one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SlotState } from '../../core/workers/worker-slot.js';
import { DispatchBench, FakePullQueue, idsAt, linkOf, type TaskSpec } from './bench.case.js';
import { SharedQueueDispatch } from './shared-queue.js';

/** How long a worker may end nothing before what lies with it is taken back. Milliseconds. */
const STALL_MS = 5;
const byPort: TaskSpec = { byPort: true };

function begin(...states: readonly SlotState[]) {
  const bench = new DispatchBench((context) => new SharedQueueDispatch(context, new FakePullQueue()));
  const slots = states.map((state) => bench.worker(state));
  return { bench, dispatch: bench.dispatch, slots, at: () => slots.map(idsAt) };
}

describe('by port, and no worker is free', () => {
  test('it is left with a worker, and counts as waiting', () => {
    const { bench, dispatch, at } = begin('ready', 'ready');
    for (let i = 0; i < 6; i++) bench.submit(byPort);
    assert.deepEqual(
      at().map(({ length }) => length),
      [3, 3],
    );
    assert.equal(dispatch.waiting, 4);
    assert.equal(dispatch.queued, 4, 'more workers could take them');
  });

  test('it is left with a worker that starts, as long as none is ready', () => {
    const { bench, dispatch, slots, at } = begin('starting', 'retiring');
    const first = bench.submit(byPort);
    assert.deepEqual(at(), [[first.id], []]);
    assert.equal(dispatch.waiting, 1);
    bench.platform.advance(STALL_MS);
    assert.deepEqual(at(), [[first.id], []], 'nobody else could run it');
    slots.push(bench.worker());
    dispatch.pump();
    assert.deepEqual(at(), [[], [], [first.id]]);
    const second = bench.submit(byPort);
    assert.deepEqual(at(), [[], [], [first.id, second.id]]);
  });

  test('a worker that becomes idle gets the oldest that lies with another one', () => {
    const { bench, slots, at } = begin('ready', 'ready');
    const tasks = [1, 2, 3, 4, 5].map(() => bench.submit(byPort));
    const [one, two] = slots;
    for (const slot of slots) bench.begin(slot, [...slot.handed][0]!);
    assert.deepEqual(at(), [
      [1, 3, 5],
      [2, 4],
    ]);
    bench.end(two!, tasks[1]!);
    bench.end(two!, tasks[3]!);
    assert.deepEqual(at(), [[1, 5], [3]]);
    bench.end(two!, tasks[2]!);
    assert.deepEqual(at(), [[1], [5]]);
    bench.end(one!, tasks[0]!);
    assert.deepEqual(at(), [[], [5]]);
  });

  test('what a worker does not get on with is taken back, and waits in order', () => {
    const { bench, slots, at, dispatch } = begin('ready');
    const tasks = [1, 2, 3].map(() => bench.submit(byPort));
    bench.begin(slots[0]!, tasks[0]!);
    bench.platform.advance(STALL_MS);
    assert.deepEqual(at(), [[1]]);
    bench.submit(byPort);
    assert.deepEqual(at(), [[1]], 'older ones wait');
    assert.equal(dispatch.waiting, 3);
    for (const id of [1, 2, 3, 4]) {
      assert.deepEqual(at(), [[id]]);
      bench.end(slots[0]!, [...slots[0]!.handed][0]!);
    }
  });

  test('a more urgent one is not behind those that lie with workers', () => {
    const { bench, slots, at } = begin('ready');
    const tasks = [1, 2, 3].map(() => bench.submit(byPort));
    bench.begin(slots[0]!, tasks[0]!);
    const urgent = bench.submit({ ...byPort, priority: 1 });
    assert.deepEqual(at(), [[1]]);
    bench.end(slots[0]!, tasks[0]!);
    assert.deepEqual(at(), [[urgent.id]]);
    bench.end(slots[0]!, urgent);
    assert.deepEqual(at(), [[2]]);
  });

  test('one of the least urgent that lies there is enough', () => {
    const { bench, slots, at } = begin('ready');
    const first = bench.submit(byPort);
    bench.begin(slots[0]!, first);
    bench.submit({ ...byPort, priority: 2 });
    bench.submit({ ...byPort, priority: 0 });
    bench.submit({ ...byPort, priority: 1 });
    assert.deepEqual(at(), [[1]]);
    const order: number[] = [];
    for (let [task] = slots[0]!.handed; task !== undefined; [task] = slots[0]!.handed) {
      order.push(task.id);
      bench.end(slots[0]!, task);
    }
    assert.deepEqual(order, [1, 2, 4, 3]);
  });

  test('what moves its arguments is left with nobody: it could not be taken back', () => {
    const { bench, at } = begin('ready');
    bench.submit({ moves: [new ArrayBuffer(1)] });
    bench.submit({ moves: [new ArrayBuffer(1)] });
    assert.deepEqual(at(), [[1]]);
  });

  test('while the pool is paused, none is left with anybody, and what lies there comes back', () => {
    const { bench, dispatch, slots, at } = begin('ready');
    const first = bench.submit(byPort);
    bench.begin(slots[0]!, first);
    bench.submit(byPort);
    dispatch.pause();
    bench.submit(byPort);
    assert.deepEqual(at(), [[1]]);
    dispatch.resume();
    bench.end(slots[0]!, first);
    assert.deepEqual(at(), [[2]]);
  });

  test('a worker whose line is full is left with no more', () => {
    const { bench, slots, at, dispatch } = begin('ready');
    linkOf(slots[0]!).capacity = 2;
    for (let i = 0; i < 4; i++) bench.submit(byPort);
    assert.deepEqual(at(), [[1, 2]]);
    assert.equal(dispatch.waiting, 3);
  });
});
