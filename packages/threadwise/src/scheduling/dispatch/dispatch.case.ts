/** The conformance suite of the dispatch seam: every task goes to a worker that may have it, in a fair order, once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Task } from '../../core/calls/task.js';
import type { WorkerSlot } from '../../core/workers/worker-slot.js';
import { DispatchBench, idsAt, linkOf, type MakeDispatch } from './bench.case.js';

/** How many milliseconds a worker may end no task before what lies ahead with it, and others could run, is taken back. */
const STALL_MS = 5;

export function dispatchConformance(name: string, make: MakeDispatch): void {
  describe(`${name}: which worker gets a task`, () => handingSuite(make));
  describe(`${name}: in which order`, () => orderSuite(make));
  describe(`${name}: a task for one worker only`, () => pinnedSuite(make));
  describe(`${name}: tasks with a key`, () => keySuite(make));
  describe(`${name}: taking tasks back`, () => backSuite(make));
  pausedConformance(name, make);
}

/** The part for all dispatches that hand tasks over to workers. */
export function pausedConformance(name: string, make: MakeDispatch): void {
  describe(`${name}: paused`, () => pausedSuite(make));
}

function handingSuite(make: MakeDispatch): void {
  test('a task goes at once to a worker that has room', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    const task = bench.submit();
    assert.deepEqual(idsAt(slot), [task.id]);
    assert.equal(task.state, 'handed');
    assert.deepEqual(linkOf(slot).sent, [task]);
    assert.deepEqual(bench.told, [`+${task.id}`]);
  });

  test('without a worker it waits, and goes when there is one and the dispatch is pumped', () => {
    const bench = new DispatchBench(make);
    const task = bench.submit();
    assert.equal(bench.dispatch.waiting, 1);
    const slot = bench.worker();
    bench.dispatch.pump();
    assert.deepEqual(idsAt(slot), [task.id]);
    assert.equal(bench.dispatch.waiting, 0);
  });

  test('workers that start or retire get none', () => {
    const bench = new DispatchBench(make);
    bench.worker('starting');
    bench.worker('retiring');
    bench.submit();
    assert.deepEqual(bench.slots.map(idsAt), [[], []]);
    assert.equal(bench.dispatch.queued, 1);
  });

  test('each worker gets as many as it may run, and the rest waits', () => {
    const bench = new DispatchBench(make, { tasksPerWorker: 3 });
    bench.worker();
    bench.worker();
    for (let i = 0; i < 10; i++) bench.submit();
    assert.deepEqual(
      bench.slots.map((slot) => slot.handed.size),
      [3, 3],
    );
    assert.equal(bench.dispatch.waiting, 4);
    assert.equal(bench.dispatch.queued, 4);
  });

  test('a line without room gets none, whatever the worker may run', () => {
    const bench = new DispatchBench(make, { tasksPerWorker: 8 });
    const slot = bench.worker();
    linkOf(slot).capacity = 2;
    for (let i = 0; i < 5; i++) bench.submit();
    assert.equal(slot.handed.size, 2);
    assert.equal(bench.dispatch.hasRoom, false);
  });

  test('there is room as long as a worker could begin one more', () => {
    const bench = new DispatchBench(make);
    assert.equal(bench.dispatch.hasRoom, false);
    const slot = bench.worker();
    assert.equal(bench.dispatch.hasRoom, true);
    const task = bench.submit();
    assert.equal(bench.dispatch.hasRoom, false);
    bench.end(slot, task);
    assert.equal(bench.dispatch.hasRoom, true);
  });

  test('the strategy is asked among the workers that have room', () => {
    const asked: number[][] = [];
    const choice = {
      name: 'last',
      choose: (_task: unknown, workers: readonly { id: number }[]) => {
        asked.push(workers.map(({ id }) => id));
        return workers.at(-1) as never;
      },
    };
    const bench = new DispatchBench(make, { choice });
    const [, , third] = [bench.worker(), bench.worker(), bench.worker()];
    const first = bench.submit();
    bench.submit();
    assert.deepEqual(asked, [
      [1, 2, 3],
      [1, 2],
    ]);
    assert.deepEqual(idsAt(third!), [first.id]);
  });

  for (const [what, priority] of [
    ['of the same priority', 0],
    ['that is more urgent', 9],
  ] as const) {
    test(`a strategy that submits a task itself, ${what}, loses none and hands none over twice`, () => {
      const handed: Task[] = [];
      const choice = {
        name: 'busybody',
        choose: (_task: unknown, [first]: readonly unknown[]) => {
          if (handed.length < 3) handed.push(bench.submit({ priority }));
          return first as never;
        },
      };
      const bench: DispatchBench = new DispatchBench(make, { choice, tasksPerWorker: 8 });
      bench.worker();
      bench.worker();
      handed.push(bench.submit());
      const sent = bench.slots.flatMap((slot) => linkOf(slot).sent.map(({ id }) => id));
      const byId = (a: number, b: number) => a - b;
      assert.deepEqual(sent.toSorted(byId), handed.map(({ id }) => id).toSorted(byId));
      assert.equal(bench.dispatch.waiting, 0);
    });
  }

  test('a strategy during which its task is aborted loses no other', () => {
    const choice = {
      name: 'aborter',
      choose: (task: { id: number }, [first]: readonly unknown[]) => {
        if (task.id === aborted.id) {
          bench.dispatch.remove(aborted);
          aborted.settle({ outcome: 'aborted', error: undefined });
        }
        return first as never;
      },
    };
    const bench: DispatchBench = new DispatchBench(make, { choice, tasksPerWorker: 8 });
    const [aborted, other] = [bench.submit(), bench.submit()];
    bench.worker();
    bench.worker();
    bench.dispatch.pump();
    const sent = bench.slots.flatMap((slot) => linkOf(slot).sent);
    assert.ok(sent.includes(other));
    assert.equal(sent.includes(aborted), false, 'nobody waits for it any more');
  });

  for (const run of [{}, { key: 'k' }]) {
    test(`a strategy that retires the worker of its choice, ${JSON.stringify(run)}: another gets the task`, () => {
      const choice = {
        name: 'retirer',
        choose: (_task: unknown, [first]: readonly unknown[]) => {
          (first as WorkerSlot).transition('retiring');
          return first as never;
        },
      };
      const bench = new DispatchBench(make, { choice });
      const [, second] = [bench.worker(), bench.worker()];
      const task = bench.submit(run);
      assert.deepEqual(idsAt(second!), [task.id]);
    });
  }
}

function orderSuite(make: MakeDispatch): void {
  /** Runs all tasks on the first worker. Returns the order in which it got them. */
  function drainThrough(bench: DispatchBench): number[] {
    const slot = bench.slots[0]!;
    const order: number[] = [];
    for (let [task] = slot.handed; task !== undefined; [task] = slot.handed) {
      order.push(task.id);
      bench.end(slot, task);
    }
    return order;
  }

  test('first in, first out', () => {
    const bench = new DispatchBench(make);
    bench.worker();
    const ids = Array.from({ length: 20 }, () => bench.submit().id);
    assert.deepEqual(drainThrough(bench), ids);
  });

  test('higher priorities first', () => {
    const bench = new DispatchBench(make);
    const order = [0, 5, -1, 5, 0].map((priority) => bench.submit({ priority }).id);
    bench.worker();
    bench.dispatch.pump();
    const [a, b, c, d, e] = order;
    assert.deepEqual(drainThrough(bench), [b, d, a, e, c]);
  });

  test('neither what is for one worker nor what is for all starves behind the other', () => {
    for (const flooded of ['lane', 'queue'] as const) {
      const bench = new DispatchBench(make);
      const slot = bench.worker();
      const blocker = bench.submit();
      const poor = bench.task({ priority: 0 });
      const flood = () => {
        const task = bench.task({ priority: 9 });
        if (flooded === 'lane') bench.dispatch.submitTo(slot, task);
        else bench.dispatch.submit(task);
      };
      for (let i = 0; i < 3; i++) flood();
      if (flooded === 'lane') bench.dispatch.submit(poor);
      else bench.dispatch.submitTo(slot, poor);
      let [running] = [blocker];
      let rounds = 0;
      while (running !== poor && rounds++ < 1000) {
        flood();
        bench.end(slot, running);
        [running] = slot.handed as unknown as [typeof running];
      }
      assert.ok(rounds < 500, `flooded ${flooded}: it ran after ${rounds} others`);
    }
  });
}

function pinnedSuite(make: MakeDispatch): void {
  test('goes to that worker, though another is idle, and is marked as its own', () => {
    const bench = new DispatchBench(make);
    const [busy, idle] = [bench.worker(), bench.worker()];
    const running = bench.task();
    bench.dispatch.submitTo(busy, running);
    const waiting = bench.task();
    bench.dispatch.submitTo(busy, waiting);
    assert.equal(waiting.pinned, true);
    assert.deepEqual([idsAt(busy), idsAt(idle)], [[running.id], []]);
    assert.equal(bench.dispatch.waiting, 1);
    assert.equal(bench.dispatch.queued, 0, 'no other worker could take it');
    bench.end(busy, running);
    assert.deepEqual([idsAt(busy), idsAt(idle)], [[waiting.id], []]);
  });

  test('waits for a worker that starts', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker('starting');
    const task = bench.task();
    bench.dispatch.submitTo(slot, task);
    assert.deepEqual(idsAt(slot), []);
    slot.transition('ready');
    bench.dispatch.pump();
    assert.deepEqual(idsAt(slot), [task.id]);
  });
}

function keySuite(make: MakeDispatch): void {
  test('the same key goes to the same worker, also when that one is busy and another idle', () => {
    const bench = new DispatchBench(make);
    const [one, two] = [bench.worker(), bench.worker()];
    const ids = [bench.submit({ key: 'a' }), bench.submit({ key: 'a' }), bench.submit({ key: 'a' })].map(
      ({ id }) => id,
    );
    const home = idsAt(one).length > 0 ? one : two;
    const order: number[] = [];
    for (let [task] = home.handed; task !== undefined; [task] = home.handed) {
      order.push(task.id);
      bench.end(home, task);
    }
    assert.deepEqual(order, ids);
    assert.equal(linkOf(home === one ? two : one).sent.length, 0);
  });

  test('different keys are spread over the workers', () => {
    const bench = new DispatchBench(make);
    bench.worker();
    bench.worker();
    for (let key = 0; key < 2; key++) bench.submit({ key });
    assert.deepEqual(
      bench.slots.map((slot) => slot.handed.size),
      [1, 1],
    );
  });

  test('a key gets a new worker when its own does not serve any more', () => {
    const bench = new DispatchBench(make);
    const first = bench.worker();
    const task = bench.submit({ key: 'a' });
    bench.end(first, task);
    const second = bench.worker();
    first.transition('retiring');
    const next = bench.submit({ key: 'a' });
    assert.deepEqual(idsAt(second), [next.id]);
  });

  test('tiny tasks with a key lie ahead with its worker, but one that moves its arguments, and stay there when that one does not get on', () => {
    const bench = new DispatchBench(make);
    const home = bench.worker();
    bench.learnTiny('tiny');
    const tasks = Array.from({ length: 3 }, () => bench.submit({ name: 'tiny', key: 'a' }));
    bench.submit({ name: 'tiny', key: 'a', moves: [new ArrayBuffer(8)] });
    const ids = tasks.map(({ id }) => id);
    assert.deepEqual(idsAt(home), ids);
    assert.equal(bench.dispatch.waiting, 3);
    bench.begin(home, tasks[0]!);
    bench.worker();
    bench.platform.advance(STALL_MS);
    assert.deepEqual(idsAt(home), ids);
  });

  test('an urgent task with the key goes before those that are not handed yet', () => {
    const bench = new DispatchBench(make);
    const home = bench.worker();
    const first = bench.submit({ key: 'a' });
    const late = bench.submit({ name: 'tiny', key: 'a' });
    const urgent = bench.submit({ name: 'tiny', key: 'a', priority: 1 });
    assert.deepEqual(idsAt(home), [first.id]);
    bench.learnTiny('tiny');
    bench.dispatch.pump();
    assert.deepEqual(idsAt(home), [first.id, urgent.id, late.id]);
  });

  test('without a worker, tasks with a key wait like others', () => {
    const bench = new DispatchBench(make);
    const task = bench.submit({ key: 'a' });
    assert.equal(bench.dispatch.queued, 1);
    const slot = bench.worker();
    bench.dispatch.pump();
    assert.deepEqual(idsAt(slot), [task.id]);
  });
}

function backSuite(make: MakeDispatch): void {
  test('a task that waits can be removed, once, from the queue and from a lane', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    const running = bench.submit();
    const queued = bench.submit();
    const pinned = bench.task();
    bench.dispatch.submitTo(slot, pinned);
    for (const task of [queued, pinned]) {
      assert.equal(bench.dispatch.remove(task), true);
      assert.equal(bench.dispatch.remove(task), false);
    }
    assert.equal(bench.dispatch.remove(running), false, 'a worker has it');
    assert.equal(bench.dispatch.waiting, 0);
  });

  test('tasks put back are the next of their priority, in the order in which they were submitted', () => {
    const bench = new DispatchBench(make);
    const [old, older] = [bench.task(), bench.task()];
    const waiting = bench.submit();
    bench.dispatch.putBack([older, old]);
    assert.deepEqual([old.state, older.state], ['queued', 'queued']);
    const slot = bench.worker();
    bench.dispatch.pump();
    const order: number[] = [];
    for (let [task] = slot.handed; task !== undefined; [task] = slot.handed) {
      order.push(task.id);
      bench.end(slot, task);
    }
    assert.deepEqual(order, [old.id, older.id, waiting.id]);
  });

  test('clear takes out everything that waits, and nothing that a worker has', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    bench.submit();
    const waiting = [bench.submit(), bench.submit({ priority: 3 }), bench.submit({ key: 'k' })];
    const pinned = bench.task();
    bench.dispatch.submitTo(slot, pinned);
    assert.deepEqual(new Set(bench.dispatch.clear()), new Set([...waiting, pinned]));
    assert.equal(bench.dispatch.waiting, 0);
    assert.equal(slot.handed.size, 1);
  });

  test('the oldest waiting task is told, wherever it waits', () => {
    const bench = new DispatchBench(make);
    assert.equal(bench.dispatch.oldestSubmittedAt(), undefined);
    const slot = bench.worker('starting');
    bench.submit({ submittedAt: 30 });
    bench.submit({ submittedAt: 20, priority: -1 });
    assert.equal(bench.dispatch.oldestSubmittedAt(), 20);
    bench.dispatch.submitTo(slot, bench.task({ submittedAt: 10 }));
    assert.equal(bench.dispatch.oldestSubmittedAt(), 10, 'in a lane');
  });
}

/** Makes the worker end its tasks one after another. Returns the order in which it got them. */
function orderAt(bench: DispatchBench, slot: WorkerSlot): number[] {
  const order: number[] = [];
  for (let [task] = slot.handed; task !== undefined; [task] = slot.handed) {
    order.push(task.id);
    bench.end(slot, task);
  }
  return order;
}

function pausedSuite(make: MakeDispatch): void {
  test('what waits stays, and what was handed over and has not begun comes back; what has begun stays', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    const begun = bench.submit();
    bench.begin(slot, begun);
    const other = bench.worker();
    const unbegun = bench.submit();
    const waiting = [bench.submit(), bench.submit({ key: 'a' })];
    bench.dispatch.pause();
    assert.deepEqual([idsAt(slot), idsAt(other)], [[begun.id], []]);
    assert.equal(bench.dispatch.waiting, 3);
    bench.end(slot, begun);
    assert.deepEqual([idsAt(slot), idsAt(other)], [[], []]);
    bench.dispatch.resume();
    const given = [...idsAt(slot), ...idsAt(other), ...orderAt(bench, slot), ...orderAt(bench, other)];
    assert.deepEqual(new Set(given), new Set([unbegun, ...waiting].map(({ id }) => id)));
  });

  test('nothing that waits is a reason for workers, and there is room for nothing', () => {
    const bench = new DispatchBench(make);
    bench.worker();
    bench.dispatch.pause();
    bench.submit();
    bench.dispatch.pump();
    const { isPaused, waiting, queued, hasRoom } = bench.dispatch;
    assert.deepEqual([isPaused, waiting, queued, hasRoom], [true, 1, 0, false]);
    bench.dispatch.resume();
    assert.equal(bench.dispatch.waiting, 0);
  });

  test('without a worker, what waits is a reason for one again when it goes on', () => {
    const bench = new DispatchBench(make);
    bench.dispatch.pause();
    for (const key of [undefined, 'k']) bench.submit({ key });
    bench.dispatch.resume();
    assert.deepEqual([bench.dispatch.isPaused, bench.dispatch.queued], [false, 2]);
  });

  test('what was submitted meanwhile goes by priority, then in order, behind what had come back', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    const before = [bench.submit(), bench.submit()];
    bench.dispatch.pause();
    const meanwhile = [bench.submit(), bench.submit({ priority: 5 }), bench.submit()];
    bench.dispatch.resume();
    const order = [meanwhile[1]!, ...before, meanwhile[0]!, meanwhile[2]!];
    assert.deepEqual(
      orderAt(bench, slot),
      order.map(({ id }) => id),
    );
  });

  test('what a worker had not begun that died meanwhile goes before what came later', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    const [old, older] = [bench.task(), bench.task()];
    bench.dispatch.pause();
    const late = bench.submit();
    bench.dispatch.putBack([older, old]);
    bench.dispatch.pump();
    assert.deepEqual(idsAt(slot), []);
    bench.dispatch.resume();
    assert.deepEqual(orderAt(bench, slot), [old.id, older.id, late.id]);
  });

  test('a task whose arguments were moved to a worker is not taken back: it could not be sent again', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    const moved = bench.submit({ moves: [new ArrayBuffer(1)] });
    bench.dispatch.pause();
    bench.dispatch.resume();
    assert.deepEqual(idsAt(slot), [moved.id]);
    assert.deepEqual(linkOf(slot).sent, [moved]);
  });

  test('a broadcast is not held up; nothing else goes with it', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    bench.dispatch.pause();
    bench.submit({ priority: 9 });
    const broadcast = bench.task();
    bench.dispatch.submitTo(slot, broadcast);
    assert.deepEqual(idsAt(slot), [broadcast.id]);
  });

  test('a task that is aborted goes; all of them go when the pool breaks', () => {
    const bench = new DispatchBench(make);
    bench.worker();
    bench.dispatch.pause();
    const [one, other] = [bench.submit(), bench.submit({ submittedAt: 20 })];
    assert.equal(bench.dispatch.remove(one), true);
    assert.equal(bench.dispatch.remove(one), false);
    assert.equal(bench.dispatch.oldestSubmittedAt(), 20);
    assert.deepEqual(bench.dispatch.clear(), [other]);
    assert.equal(bench.dispatch.waiting, 0);
  });

  test('to pause, and to go on, twice is the same as once', () => {
    const bench = new DispatchBench(make);
    const slot = bench.worker();
    bench.dispatch.resume();
    for (const _ of [1, 2]) bench.dispatch.pause();
    const task = bench.submit();
    for (const _ of [1, 2]) bench.dispatch.resume();
    assert.deepEqual(idsAt(slot), [task.id]);
  });
}
