/** Timeouts and aborts: what counts as running, how long a task may go on, and that neighbours are left alone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Thread } from '../contracts.js';
import type { Engine } from '../engine.js';
import type { ThreadwiseError } from '../options/errors.js';
import { FakePlatform, makeSlot, makeTask } from '../fake-platform.case.js';
import { Canceller } from './canceller.js';
import type { ResolvedRun } from './run-options.js';
import type { WorkerSlot } from '../workers/worker-slot.js';
import type { Task } from './task.js';

/** A worker, a canceller, and notes of what it does to the worker. */
function scene() {
  const platform = new FakePlatform();
  const done: string[] = [];
  const removed: Task[] = [];
  /** How often it had tasks handed over to whoever is free. */
  const handOvers = { count: 0 };
  const engine = {
    parts: { platform },
    dispatch: {
      remove: (task: Task) => removed.push(task) > 0,
      holder: () => undefined,
    },
    batchEnded: () => handOvers.count++,
    workers: {
      kill: (_slot: WorkerSlot, _reason: string, cause: ThreadwiseError) => done.push(`kill: ${cause.code}`),
      retire: () => done.push('retire'),
    },
    pump: () => undefined,
  };
  const canceller = new Canceller(engine as unknown as Engine);
  const { slot, link } = makeSlot(1, platform.now());
  /** Hands a task to the worker, as the dispatch does. */
  const hand = (run: Partial<ResolvedRun>) => {
    const made = makeTask(run);
    canceller.watchSignal(made.task);
    slot.hand(made.task);
    canceller.handed(made.task, slot);
    return made;
  };
  /** Hands a task over that begins at once. */
  const run = (options: Partial<ResolvedRun>) => {
    const made = hand(options);
    link.begin(made.task, platform.now());
    return made;
  };
  /** The worker says how the task ended. */
  const end = (task: Task) => {
    slot.release(task, platform.now());
    canceller.ended(task);
    task.settle({ outcome: 'completed', value: 'result', runMs: 1 });
  };
  return { platform, canceller, slot, link, hand, run, end, done, removed, handOvers };
}

const outcomes = (told: readonly { outcome: string }[]) => told.map(({ outcome }) => outcome);

describe('a timeout', () => {
  test('ends a task that runs for so long, and says so to caller and worker', () => {
    const { platform, link, run, slot } = scene();
    const { task, told } = run({ timeoutMs: 100 });
    platform.advance(99);
    assert.equal(told.length, 0);
    platform.advance(1);
    assert.deepEqual(outcomes(told), ['timedOut']);
    const { error } = told[0] as { error: ThreadwiseError };
    assert.equal(error.code, 'ERR_TASK_TIMEOUT');
    assert.equal(error.name, 'TimeoutError');
    assert.match(error.message, /'work'.*100 ms/);
    assert.deepEqual(link.aborted, [{ task, reason: error }]);
    assert.equal(task.stillRuns, true);
    assert.equal(slot.load, 1, 'the worker has it still');
  });

  test('does not count the time before the task begins', () => {
    const { platform, link, hand } = scene();
    const { task, told } = hand({ timeoutMs: 100 });
    platform.advance(1000);
    link.begin(task, platform.now());
    platform.advance(99);
    assert.equal(told.length, 0);
    platform.advance(1);
    assert.deepEqual(outcomes(told), ['timedOut']);
  });

  test('does not count the time before the task begins, in whatever moment between two looks it does', () => {
    for (const beginAfterMs of [1, 50, 99, 101]) {
      const { platform, link, hand } = scene();
      const { task, told } = hand({ timeoutMs: 100 });
      platform.advance(beginAfterMs);
      link.begin(task, platform.now());
      platform.advance(99);
      assert.equal(told.length, 0, `begun after ${beginAfterMs} ms`);
      platform.advance(1);
      assert.deepEqual(outcomes(told), ['timedOut']);
    }
  });

  test('loses against a result that has arrived and was not looked at', () => {
    const { platform, link, run, end, done } = scene();
    const { task, told } = run({ timeoutMs: 100 });
    link.unheard.push(() => end(task));
    platform.advance(100);
    assert.deepEqual(outcomes(told), ['completed']);
    platform.advance(10_000);
    assert.deepEqual(done, []);
    assert.deepEqual(link.aborted, []);
  });

  test('is over with the task: no timer is left', () => {
    const { platform, run, end } = scene();
    const { task } = run({ timeoutMs: 100 });
    assert.equal(platform.timerCount, 1);
    end(task);
    assert.equal(platform.timerCount, 0);
  });

  test('starts anew on the worker that gets the task next', () => {
    const { platform, canceller, slot, link, hand } = scene();
    const { task, told } = hand({ timeoutMs: 100 });
    platform.advance(60);
    slot.release(task, platform.now());
    canceller.release(task);
    assert.equal(platform.timerCount, 0);
    canceller.handed(task, slot);
    link.begin(task, platform.now());
    platform.advance(99);
    assert.equal(told.length, 0);
    platform.advance(1);
    assert.deepEqual(outcomes(told), ['timedOut']);
  });

  test('is nothing to a task that has none', () => {
    const { platform, run } = scene();
    const { told } = run({});
    assert.equal(platform.timerCount, 0);
    assert.equal(told.length, 0);
  });
});

describe('an abort', () => {
  test('takes a task out of the queue, and tells the reason as the cause', () => {
    const { canceller, removed, link } = scene();
    const controller = new AbortController();
    const { task, told } = makeTask({ signal: controller.signal });
    canceller.watchSignal(task);
    controller.abort('why');
    assert.deepEqual(removed, [task]);
    assert.deepEqual(outcomes(told), ['aborted']);
    const { error } = told[0] as { error: ThreadwiseError };
    assert.equal(error.code, 'ERR_TASK_ABORTED');
    assert.equal(error.name, 'AbortError');
    assert.equal(error.cause, 'why');
    assert.deepEqual(link.aborted, []);
  });

  test('takes back from the worker what it has not begun, and hands it something else', () => {
    const { platform, slot, link, hand, handOvers } = scene();
    const controller = new AbortController();
    const { task, told } = hand({ signal: controller.signal });
    controller.abort();
    assert.deepEqual(outcomes(told), ['aborted']);
    assert.equal(task.stillRuns, false);
    assert.equal(slot.load, 0);
    assert.equal(handOvers.count, 1);
    assert.deepEqual(link.aborted, []);
    assert.equal(platform.timerCount, 0);
  });

  test('raises the signal of a task that runs, with the reason, and tells the caller at once', () => {
    const { link, run } = scene();
    const controller = new AbortController();
    const { task, told } = run({ signal: controller.signal });
    controller.abort('why');
    assert.deepEqual(outcomes(told), ['aborted']);
    assert.deepEqual(link.aborted, [{ task, reason: 'why' }]);
    assert.equal(task.stillRuns, true);
  });

  test('ends every task of the signal, and no other', () => {
    const { run } = scene();
    const controller = new AbortController();
    const [first, second] = [run({ signal: controller.signal }), run({ signal: controller.signal })];
    const other = run({ signal: new AbortController().signal });
    controller.abort();
    assert.deepEqual(
      [first, second, other].map(({ told }) => told.length),
      [1, 1, 0],
    );
  });

  test('comes too late for a task that has settled', () => {
    const { run, end, link, removed } = scene();
    const controller = new AbortController();
    const { task, told } = run({ signal: controller.signal });
    end(task);
    controller.abort();
    assert.deepEqual(outcomes(told), ['completed']);
    assert.deepEqual(link.aborted, []);
    assert.deepEqual(removed, []);
  });
});

describe('an interrupted task that goes on', () => {
  /** A task that was interrupted just now. */
  function interrupted() {
    const here = scene();
    const controller = new AbortController();
    const { task } = here.run({ signal: controller.signal });
    return { ...here, task, abort: () => controller.abort() };
  }

  test('and has not noticed costs its thread after 200 ms', () => {
    const { platform, done, abort } = interrupted();
    abort();
    platform.advance(199);
    assert.deepEqual(done, []);
    platform.advance(1);
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED']);
    assert.equal(platform.timerCount, 0);
  });

  test('and has noticed gets 1000 ms more', () => {
    const { platform, canceller, done, task, abort } = interrupted();
    abort();
    canceller.noticed(task);
    platform.advance(200 + 999);
    assert.deepEqual(done, []);
    platform.advance(1);
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED']);
  });

  test('and ends within its grace costs nothing', () => {
    const { platform, canceller, done, task, abort, end } = interrupted();
    abort();
    canceller.noticed(task);
    platform.advance(700);
    end(task);
    platform.advance(10_000);
    assert.deepEqual(done, []);
    assert.equal(platform.timerCount, 0);
  });

  test('and whose end has arrived and was not looked at costs nothing', () => {
    const { platform, link, done, task, abort, end } = interrupted();
    abort();
    link.unheard.push(() => end(task));
    platform.advance(200);
    assert.deepEqual(done, []);
    assert.equal(platform.timerCount, 0);
  });

  test('and whose notice has arrived and was not looked at has noticed', () => {
    const { platform, canceller, link, done, task, abort } = interrupted();
    abort();
    link.unheard.push(() => canceller.noticed(task));
    platform.advance(200);
    assert.deepEqual(done, []);
    platform.advance(1000);
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED']);
  });

  test('takes no neighbour down: the worker gets nothing more, and ends when the others have', () => {
    const { platform, canceller, done, task, abort, run, end } = interrupted();
    const neighbour = run({});
    abort();
    canceller.noticed(task);
    platform.advance(2000);
    assert.deepEqual(done, ['retire']);
    platform.advance(20_000);
    assert.deepEqual(neighbour.told, []);
    assert.ok(done.every((what) => what === 'retire'));
    end(neighbour.task);
    platform.advance(1000);
    assert.equal(done.at(-1), 'kill: ERR_TASK_ABORTED');
    assert.deepEqual(outcomes(neighbour.told), ['completed']);
  });

  test('gives the thread 1000 ms to notice where a neighbour would go down with it', () => {
    const { platform, done, abort, run } = interrupted();
    run({});
    abort();
    platform.advance(999);
    assert.deepEqual(done, []);
    platform.advance(1);
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED'], 'blocked: the neighbour cannot get on either');
  });

  test('has no neighbour in a task that the worker has not begun', () => {
    const { platform, done, abort, hand } = interrupted();
    hand({});
    abort();
    platform.advance(200);
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED']);
  });

  test('is not charged for the time in which its thread had no core', () => {
    const { platform, canceller, slot, done, task, abort } = interrupted();
    const cpu = { usedMs: 1, waitedMs: 50 };
    slot.thread = { cpu: () => cpu } as unknown as Thread;
    abort();
    cpu.waitedMs += 150;
    platform.advance(200);
    cpu.waitedMs += 75;
    platform.advance(150);
    canceller.noticed(task);
    platform.advance(75);
    cpu.waitedMs += 500;
    platform.advance(1000 + 499);
    assert.deepEqual(done, [], 'it had no core for 725 of 1924 ms');
    platform.advance(1);
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED']);
    assert.equal(platform.timerCount, 0);
  });

  test('ends when its thread has had its grace on a core, though that waits most of the time, and main looks late', () => {
    const { platform, slot, done, abort } = interrupted();
    const cpu = { usedMs: 1, waitedMs: 50 };
    slot.thread = { cpu: () => cpu } as unknown as Thread;
    const { timer } = platform;
    Object.assign(platform, { timer: (ms: number, late: () => void) => timer(ms + 5, late) });
    abort();
    for (let i = 1; i < 400; i++) {
      cpu.waitedMs += 1.5;
      platform.advance(2);
      assert.deepEqual(done, [], `it has had ${i / 2} ms on a core`);
    }
    platform.advance(5 + 5); // while main is late once more
    assert.deepEqual(done, ['kill: ERR_TASK_ABORTED']);
  });

  test('is forgotten when the pool is over', () => {
    const { platform, canceller, done, run, abort } = interrupted();
    run({ timeoutMs: 50 });
    abort();
    canceller.clear();
    assert.equal(platform.timerCount, 0);
    platform.advance(10_000);
    assert.deepEqual(done, []);
  });
});
