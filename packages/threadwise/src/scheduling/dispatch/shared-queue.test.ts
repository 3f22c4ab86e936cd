/** Shared queue: what lies where workers take it by themselves, in which order, and what goes the direct way. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Task } from '../../core/calls/task.js';
import type { WorkerSlot } from '../../core/workers/worker-slot.js';
import { AGEING_INTERVAL } from '../queue/priority.js';
import { DispatchBench, FakePullQueue, idsAt, linkOf, type TaskSpec } from './bench.case.js';
import { pausedConformance } from './dispatch.case.js';
import { SharedQueueDispatch } from './shared-queue.js';

/** How many tasks of different priorities may lie ready for each worker. */
const WINDOW = 8;

interface Given {
  readonly tasksPerWorker?: number;
  readonly workers?: number;
}

function begin({ workers = 1, ...options }: Given = {}) {
  const pull = new FakePullQueue();
  const bench = new DispatchBench((context) => new SharedQueueDispatch(context, pull), options);
  const slots = Array.from({ length: workers }, () => bench.worker());
  return { pull, bench, dispatch: bench.dispatch, slots, slot: slots[0]! };
}

/** Runs all tasks on one worker. Returns the order in which it got them. */
function drain(bench: DispatchBench, pull: FakePullQueue, slot: WorkerSlot): number[] {
  const order: number[] = [];
  for (let task = bench.pull(slot, pull); task !== undefined; task = bench.pull(slot, pull)) {
    order.push(task.id);
  }
  return order;
}

const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

describe('shared queue: which way a task goes', () => {
  test('it lies where every worker takes it, also before there is one', () => {
    const { pull, bench, slot } = begin();
    const [early] = [bench.submit()];
    assert.deepEqual(pull.ids, [early.id]);
    assert.deepEqual(idsAt(slot), []);
    assert.equal(early.state, 'queued');
    const none = begin({ workers: 0 });
    const task = none.bench.submit();
    assert.deepEqual(none.pull.ids, [task.id]);
  });

  test('whoever watches over it hears of it, and of no other', () => {
    const { bench, dispatch } = begin();
    bench.submit();
    const watched = bench.task();
    watched.unwatch = () => undefined;
    dispatch.submit(watched);
    assert.deepEqual(bench.told, [`o${watched.id}`]);
  });

  const direct: readonly (readonly [string, TaskSpec])[] = [
    ['with a key', { key: 'k' }],
    ['whose arguments can only go by port', { byPort: true }],
    ['whose arguments move', { moves: [new ArrayBuffer(8)] }],
  ];
  for (const [what, spec] of direct) {
    test(`a task ${what} is handed to a worker, and waits for it`, () => {
      const { pull, bench, dispatch, slot } = begin();
      const [first, second] = [bench.submit(spec), bench.submit(spec)];
      assert.deepEqual(pull.ids, []);
      assert.deepEqual(idsAt(slot), spec.byPort ? ids([first, second]) : [first.id]);
      assert.equal(dispatch.waiting, 1);
      bench.end(slot, first);
      assert.deepEqual(idsAt(slot), [second.id]);
    });

    test(`a task ${what} that is put back is handed to another worker`, () => {
      const { pull, bench, dispatch, slots } = begin({ workers: 2 });
      const [one, two] = slots;
      const tasks = [bench.submit(spec), bench.submit(spec)];
      const dead = one!.handed.size > 0 ? one! : two!;
      const other = dead === one ? two! : one!;
      const back = [...dead.handed];
      bench.slots.splice(bench.slots.indexOf(dead), 1);
      dead.transition('dead');
      dead.handed.clear();
      for (const task of [...dead.lane]) if (dead.lane.remove(task)) back.push(task);
      dispatch.putBack(back);
      dispatch.pump();
      assert.deepEqual(pull.ids, [], 'it is not for all');
      const order: number[] = [];
      for (let [task] = other.handed; task !== undefined; [task] = other.handed) {
        order.push(task.id);
        bench.end(other, task);
      }
      assert.deepEqual(order.toSorted(), ids(tasks));
    });

    test(`a task ${what} that is put back does not hold up others`, () => {
      const { pull, bench, dispatch, slot } = begin();
      const task = bench.task(spec);
      linkOf(slot).capacity = 0;
      dispatch.putBack([task]);
      dispatch.pump();
      const other = bench.submit();
      assert.deepEqual(pull.ids, [other.id]);
      linkOf(slot).capacity = 1;
      dispatch.pump();
      assert.deepEqual(idsAt(slot), [task.id]);
    });
  }

  const moves = [new ArrayBuffer(8)];

  test('a task whose arguments move waits for a worker that nothing keeps', () => {
    const { pull, bench, dispatch, slots } = begin({ workers: 2 });
    const [one, two] = slots as [WorkerSlot, WorkerSlot];
    const long = bench.submit();
    const short = bench.submit();
    const task = bench.submit({ moves });
    assert.deepEqual([...idsAt(one), ...idsAt(two)], [], 'older ones wait for both workers');
    pull.take(one.link);
    pull.take(two.link);
    dispatch.pump();
    assert.equal(task.state, 'queued');
    assert.deepEqual([idsAt(one), idsAt(two)], [[long.id], [short.id]]);
    bench.end(two, short);
    assert.deepEqual([idsAt(one), idsAt(two)], [[long.id], [task.id]]);
  });

  test('a task whose arguments move is overtaken by no more than one task on each worker', () => {
    const { pull, bench, slot } = begin();
    const before = bench.submit();
    pull.take(slot.link);
    const task = bench.submit({ moves });
    const [after] = [bench.submit(), bench.submit()];
    bench.hear(slot, before);
    pull.end(before);
    pull.take(slot.link);
    bench.dispatch.pump();
    assert.deepEqual(idsAt(slot), [after!.id, task.id]);
    const last = bench.submit({ moves });
    assert.equal(last.state, 'queued', 'one at a time lies behind a task that has overtaken it');
  });

  test('a task that turns out to go only over a line is handed to a worker, and holds up nobody', () => {
    const { pull, bench, dispatch, slot } = begin();
    const task = bench.task();
    pull.refused.add(task);
    dispatch.submit(task);
    const other = bench.submit();
    dispatch.pump();
    assert.deepEqual(pull.ids, [other.id]);
    assert.deepEqual(idsAt(slot), [task.id]);
  });

  test('a task for one worker goes to that one', () => {
    const { pull, bench, dispatch, slots } = begin({ workers: 2 });
    const task = bench.task();
    dispatch.submitTo(slots[1]!, task);
    assert.deepEqual(slots.map(idsAt), [[], [task.id]]);
    assert.deepEqual(pull.ids, []);
  });

  test('tasks with one key run at one worker, one after the other, in order', () => {
    const { bench, slots } = begin({ workers: 3 });
    const tasks = Array.from({ length: 4 }, () => bench.submit({ key: 'k' }));
    const home = slots.find(({ handed }) => handed.size > 0)!;
    const order: number[] = [];
    for (let [task] = home.handed; task !== undefined; [task] = home.handed) {
      order.push(task.id);
      bench.end(home, task);
    }
    assert.deepEqual(order, ids(tasks));
  });
});

describe('shared queue: in which order', () => {
  test('first in, first out', () => {
    const { pull, bench, slot } = begin();
    const tasks = Array.from({ length: 50 }, () => bench.submit());
    assert.equal(pull.unclaimed, 50, 'they need no window');
    assert.deepEqual(drain(bench, pull, slot), ids(tasks));
  });

  test('a more urgent task goes before those that lie there, and they keep their order', () => {
    const { pull, bench, slot } = begin();
    const usual = Array.from({ length: 5 }, () => bench.submit());
    const urgent = bench.submit({ priority: 1 });
    assert.deepEqual(pull.ids, [urgent.id, ...ids(usual)]);
    const second = bench.submit({ priority: 1 });
    assert.deepEqual(drain(bench, pull, slot), [urgent.id, second.id, ...ids(usual)]);
  });

  test('a less urgent one goes behind them, and the next urgent one between', () => {
    const { pull, bench, slot } = begin();
    const [a, b] = [bench.submit({ priority: 5 }), bench.submit({ priority: 5 })];
    const low = bench.submit({ priority: -5 });
    const usual = bench.submit();
    const c = bench.submit({ priority: 5 });
    assert.deepEqual(drain(bench, pull, slot), ids([a, b, c, usual, low]));
  });

  // So few that none has its turn by age: each urgent one that comes between has others taken back.
  for (const priorities of [
    [0, 3, -1, 3, 0],
    [5, 4, 3, 2, 1],
    [1, 2, 3, 2],
    [0, 0, 7, 0, 7],
    [-3, 0, -3, 9],
  ]) {
    test(`a worker takes the highest priority, and of equal ones the oldest: ${priorities}`, () => {
      const { pull, bench, slot } = begin();
      const tasks = priorities.map((priority) => bench.submit({ priority }));
      const expected = tasks.toSorted((a, b) => b.priority - a.priority || a.id - b.id);
      assert.deepEqual(drain(bench, pull, slot), ids(expected));
    });
  }

  test('the same while a worker takes them', () => {
    const { pull, bench, slot } = begin();
    const waiting: Task[] = [];
    // So few takes that none has its turn by age.
    for (let i = 0; i < 5; i++) {
      for (const priority of [i % 3, (i * 7) % 5]) waiting.push(bench.submit({ priority }));
      const best = waiting.toSorted((a, b) => b.priority - a.priority || a.id - b.id)[0]!;
      assert.equal(bench.pull(slot, pull), best, `in round ${i}`);
      waiting.splice(waiting.indexOf(best), 1);
    }
  });

  test('of mixed priorities, only so many lie ready that a more urgent one has few to push aside', () => {
    for (const workers of [1, 3]) {
      const { pull, bench, dispatch } = begin({ workers });
      for (let i = 0; i < 100; i++) bench.submit({ priority: i % 2 });
      assert.equal(pull.unclaimed, WINDOW * workers);
      assert.equal(dispatch.waiting, 100 - workers);
      const urgent = bench.submit({ priority: 9 });
      assert.equal(pull.ids[0], urgent.id);
      assert.equal(pull.unclaimed, WINDOW * workers);
    }
  });

  test('when the mixed ones are gone, any number of equal ones lies ready again', () => {
    const { pull, bench, slot } = begin();
    for (let i = 0; i < 40; i++) bench.submit({ priority: i % 2 });
    drain(bench, pull, slot);
    const tasks = Array.from({ length: 40 }, () => bench.submit({ priority: 3 }));
    assert.deepEqual(pull.ids, ids(tasks));
  });

  for (const backlog of [0, 1, 7, 8, 15, 16, 40]) {
    test(`a low priority does not starve behind a flood of high ones and ${backlog} that wait`, () => {
      for (let phase = 0; phase < AGEING_INTERVAL; phase++) {
        const { pull, bench, slot } = begin();
        for (let i = 0; i < phase; i++) {
          bench.submit({ priority: i % 2 });
          bench.pull(slot, pull);
        }
        for (let i = 0; i < backlog; i++) bench.submit({ priority: 9 });
        const poor = bench.submit({ priority: 0 });
        let rounds = 0;
        do bench.submit({ priority: 9 });
        while (bench.pull(slot, pull) !== poor && rounds++ < 2000);
        assert.ok(rounds < 2000, `in phase ${phase} it ran after more than ${rounds} others`);
      }
    });
  }
});

describe('shared queue: a full one', () => {
  test('the others wait, in order, and follow when there is room again', () => {
    const { pull, bench, dispatch, slot } = begin();
    pull.capacity = 3;
    const tasks = Array.from({ length: 10 }, () => bench.submit());
    assert.deepEqual(pull.ids, ids(tasks.slice(0, 3)));
    assert.equal(dispatch.waiting, 9);
    assert.equal(dispatch.hasRoom, false);
    assert.deepEqual(drain(bench, pull, slot), ids(tasks));
    assert.equal(dispatch.waiting, 0);
  });

  test('a more urgent task goes before those that lie there and those that wait', () => {
    const { pull, bench, slot } = begin();
    pull.capacity = 3;
    const tasks = Array.from({ length: 6 }, () => bench.submit());
    const urgent = bench.submit({ priority: 1 });
    assert.deepEqual(drain(bench, pull, slot), [urgent.id, ...ids(tasks)]);
  });

  test('without any room, everything waits and nothing is lost', () => {
    const { pull, bench, dispatch, slot } = begin();
    pull.capacity = 0;
    const tasks = [bench.submit(), bench.submit({ priority: 1 }), bench.submit()];
    assert.equal(dispatch.queued, 3);
    pull.capacity = 10;
    dispatch.pump();
    assert.deepEqual(drain(bench, pull, slot), [tasks[1]!.id, tasks[0]!.id, tasks[2]!.id]);
  });

  test('room that comes without anybody saying so is found, and then no timer is left', () => {
    const { pull, bench, dispatch } = begin();
    pull.capacity = 0;
    const task = bench.submit();
    pull.capacity = 1;
    bench.platform.advance(100);
    assert.deepEqual(pull.ids, [task.id]);
    bench.platform.advance(100);
    assert.equal(bench.platform.timerCount, 0);
    assert.equal(dispatch.waiting, 0);
  });
});

describe('shared queue: how many wait', () => {
  for (const [workers, tasksPerWorker] of [
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 4],
  ] as const) {
    test(`${workers} workers that run ${tasksPerWorker} each: whatever they cannot begin at once`, () => {
      const { pull, bench, dispatch, slots } = begin({ workers, tasksPerWorker });
      const places = workers * tasksPerWorker;
      for (let submitted = 0; submitted < places + 5; submitted++) {
        assert.equal(dispatch.hasRoom, submitted < places, `room after ${submitted}`);
        bench.submit();
        const waiting = Math.max(0, submitted + 1 - places);
        assert.deepEqual([dispatch.waiting, dispatch.queued], [waiting, waiting], `after ${submitted + 1}`);
      }
      for (const slot of slots) for (let i = 0; i < tasksPerWorker; i++) pull.take(slot.link);
      assert.equal(dispatch.waiting, 5, 'also when they have begun');
    });
  }

  test('workers that start or retire do not count', () => {
    const { bench, dispatch } = begin({ workers: 0 });
    bench.worker('starting');
    bench.worker('retiring');
    assert.equal(dispatch.hasRoom, false);
    bench.submit();
    assert.equal(dispatch.waiting, 1);
  });

  test('a worker that has a task of its own has no place for one out of the queue', () => {
    const { bench, dispatch, slots } = begin({ workers: 2 });
    dispatch.submitTo(slots[0]!, bench.task());
    assert.equal(dispatch.hasRoom, true);
    bench.submit();
    assert.equal(dispatch.hasRoom, false);
    bench.submit();
    assert.deepEqual([dispatch.waiting, dispatch.queued], [1, 1]);
    dispatch.submitTo(slots[0]!, bench.task());
    assert.deepEqual([dispatch.waiting, dispatch.queued], [2, 1], 'the last one is for no other worker');
  });

  test('what a worker that retires still runs does not wait, and takes no room from others', () => {
    const { pull, bench, dispatch, slot } = begin();
    const [running] = [bench.submit()];
    pull.take(slot.link);
    slot.transition('retiring');
    assert.deepEqual([dispatch.waiting, dispatch.queued], [0, 0]);
    bench.worker();
    assert.equal(dispatch.hasRoom, true);
    bench.submit();
    assert.deepEqual([dispatch.waiting, dispatch.queued, dispatch.hasRoom], [0, 0, false]);
    bench.submit();
    assert.deepEqual([dispatch.waiting, dispatch.queued], [1, 1]);
    slot.adopt(); // somebody has asked who runs it
    assert.deepEqual([dispatch.waiting, dispatch.queued], [1, 1], 'what was adopted serves nobody else');
    assert.equal(running.state, 'handed');
  });

  test('the oldest waiting task is told, wherever it waits', () => {
    const { pull, bench, dispatch, slot } = begin();
    assert.equal(dispatch.oldestSubmittedAt(), undefined);
    pull.capacity = 1;
    bench.submit({ submittedAt: 30 });
    assert.equal(dispatch.oldestSubmittedAt(), 30, 'where workers take it');
    bench.submit({ submittedAt: 20 });
    assert.equal(dispatch.oldestSubmittedAt(), 20, 'in the queue');
    linkOf(slot).capacity = 0;
    dispatch.submitTo(slot, bench.task({ submittedAt: 10 }));
    assert.equal(dispatch.oldestSubmittedAt(), 10, 'in a lane');
  });
});

describe('shared queue: taking tasks back', () => {
  test('tasks put back are the next of their priority, in the order in which they were submitted', () => {
    const { pull, bench, dispatch, slot } = begin();
    pull.capacity = 0;
    const [older, old] = [bench.task(), bench.task()];
    const waiting = bench.submit();
    const urgent = bench.submit({ priority: 1 });
    dispatch.putBack([old, older]);
    assert.deepEqual([old.state, older.state], ['queued', 'queued']);
    pull.capacity = 10;
    dispatch.pump();
    assert.deepEqual(drain(bench, pull, slot), ids([urgent, older, old, waiting]));
  });

  test('a more urgent one that is put back goes before those that lie there', () => {
    const { pull, bench, dispatch, slot } = begin();
    const urgent = bench.task({ priority: 1 });
    const lying = [bench.submit(), bench.submit()];
    dispatch.putBack([urgent]);
    dispatch.pump();
    assert.deepEqual(drain(bench, pull, slot), ids([urgent, ...lying]));
  });

  test('a less urgent one that is put back goes behind them', () => {
    const { pull, bench, dispatch, slot } = begin();
    const low = bench.task({ priority: -1 });
    const lying = [bench.submit(), bench.submit()];
    dispatch.putBack([low]);
    dispatch.pump();
    assert.deepEqual(drain(bench, pull, slot), ids([...lying, low]));
  });

  test('a task can be removed, once, from wherever it waits, and not from a worker', () => {
    const { pull, bench, dispatch, slot } = begin();
    pull.capacity = 2;
    const [running, lying, queued] = [bench.submit(), bench.submit(), bench.submit()];
    pull.take(slot.link);
    const pinned = bench.task();
    linkOf(slot).capacity = 0;
    dispatch.submitTo(slot, pinned);
    for (const task of [lying, queued, pinned]) {
      assert.equal(dispatch.remove(task), true);
      assert.equal(dispatch.remove(task), false);
    }
    assert.equal(dispatch.remove(running), false, 'a worker has it');
  });

  test('when all that lies there is removed before a worker takes it, what waits behind it lies there next', () => {
    const { pull, bench, dispatch } = begin();
    const tasks = Array.from({ length: 20 }, (_, i) => bench.submit({ priority: i % 2 }));
    const lying = pull.ids;
    assert.equal(lying.length, WINDOW);
    for (const task of tasks) if (lying.includes(task.id)) dispatch.remove(task);
    bench.platform.advance(1);
    assert.equal(pull.ids.length, WINDOW);
  });

  test('a task that moves its arguments goes when those before it are removed', () => {
    const { pull, bench, dispatch, slot } = begin();
    const before = bench.submit();
    const moving = bench.submit({ moves: [1] });
    assert.deepEqual([pull.ids, idsAt(slot)], [[before.id], []]);
    dispatch.remove(before);
    bench.platform.advance(1);
    assert.deepEqual(idsAt(slot), [moving.id]);
  });

  test('clear takes out everything that waits, and nothing that a worker has', () => {
    const { pull, bench, dispatch, slot } = begin();
    pull.capacity = 2;
    bench.submit();
    pull.take(slot.link);
    const waiting = [bench.submit(), bench.submit({ priority: 3 }), bench.submit()];
    const pinned = bench.task();
    linkOf(slot).capacity = 0;
    dispatch.submitTo(slot, pinned);
    assert.deepEqual(new Set(dispatch.clear()), new Set([...waiting, pinned]));
    assert.equal(pull.open, 1);
    assert.deepEqual(pull.ids, []);
  });

  test('who asks for the holder of a task makes everything that this worker runs count as handed to it', () => {
    const { pull, bench, dispatch, slots } = begin({ workers: 2, tasksPerWorker: 2 });
    const [one, two] = slots;
    const tasks = Array.from({ length: 4 }, () => bench.submit());
    for (const slot of [one!, one!, two!]) pull.take(slot.link);
    assert.equal(dispatch.holder!(tasks[3]!), undefined, 'nobody has begun it');
    assert.equal(dispatch.holder!(tasks[1]!), one);
    assert.deepEqual(idsAt(one!), ids(tasks.slice(0, 2)));
    assert.deepEqual([tasks[0]!.state, tasks[2]!.state], ['handed', 'queued']);
    assert.deepEqual(idsAt(two!), [], 'the other was not asked about');
    assert.equal(dispatch.holder!(bench.task()), undefined);
  });
});

pausedConformance('shared queue, where nothing may lie', (context) => {
  const pull = new FakePullQueue();
  pull.carries = () => false;
  return new SharedQueueDispatch(context, pull);
});

describe('shared queue: paused', () => {
  test('what lies there is taken back, and lies there again in its order, by priority', () => {
    const { pull, bench, dispatch, slot } = begin();
    const [begun, ...waiting] = [bench.submit(), bench.submit(), bench.submit()];
    pull.take(slot.link);
    dispatch.pause();
    const late = [bench.submit(), bench.submit({ priority: 3 }), bench.submit({ key: 'k' })];
    assert.deepEqual(pull.ids, []);
    assert.deepEqual([dispatch.waiting, dispatch.queued, dispatch.hasRoom], [5, 0, false]);
    pull.end(begun!);
    dispatch.pump();
    assert.deepEqual([pull.ids, idsAt(slot)], [[], []]);
    dispatch.resume();
    assert.deepEqual(pull.ids, ids([late[1]!, ...waiting, late[0]!]));
    assert.deepEqual(idsAt(slot), ids([late[2]!]));
  });

  test('a task with a key that lies behind what its worker took by itself is taken back, and goes on in order', () => {
    const { pull, bench, dispatch, slot } = begin();
    bench.submit();
    const running = pull.take(linkOf(slot))!;
    const keyed = [bench.submit({ key: 'k' }), bench.submit({ key: 'k' })];
    assert.deepEqual(idsAt(slot), [keyed[0]!.id]);
    dispatch.pause();
    assert.deepEqual([idsAt(slot), dispatch.waiting], [[], 2]);
    pull.end(running);
    dispatch.resume();
    assert.deepEqual(idsAt(slot), [keyed[0]!.id]);
    bench.end(slot, keyed[0]!);
    assert.deepEqual(idsAt(slot), [keyed[1]!.id]);
  });

  test('what the queue gives back meanwhile stays with main', () => {
    const { pull, bench, dispatch } = begin();
    dispatch.pause();
    const returned = [bench.task()];
    pull.giveBack(returned);
    assert.deepEqual([pull.ids, dispatch.waiting], [[], 1]);
    dispatch.resume();
    assert.deepEqual(pull.ids, ids(returned));
  });

  test('without a worker, what lies there is a reason for one as soon as it goes on', () => {
    const { bench, dispatch } = begin({ workers: 0 });
    bench.submit();
    dispatch.pause();
    assert.equal(dispatch.queued, 0);
    dispatch.resume();
    assert.equal(dispatch.queued, 1);
  });
});
