/** The table of plain calls: each call is settled once, whatever is asked of its slot, and its slot is free before it hears. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import type { PlainWay } from '../contracts.js';
import type { Engine } from '../engine.js';
import { MeasuredRecorder } from '../../metrics/measured.js';
import { FakePlatform, plainRun } from '../fake-platform.case.js';
import { PlainCalls } from './plain-calls.js';
import type { Ledger } from './ledger.js';
import { type OnSettled, Task } from './task.js';

/** A table, and a way with as many slots as are named: each call gets the next of them. */
function table({
  slots = [0, 1, 2, 3],
  hasBegun = () => true,
}: { slots?: number[]; hasBegun?: () => boolean } = {}) {
  const platform = new FakePlatform();
  const inflated: { readonly slot: number; readonly task: Task }[] = [];
  const offered: [slot: number, id: number][] = [];
  const ran: [name: string, runMs: number][] = [];
  const recorder = new MeasuredRecorder();
  const next = slots;
  let lastId = 0;
  const way = {
    enter: (name: string, _args: unknown, id: number) => {
      if (name === 'refused') throw new Error('the arguments are wrong');
      const slot = next.shift() ?? -1;
      if (slot >= 0) offered.push([slot, id]);
      return slot;
    },
    cells: {
      count: 4,
      hasBegun,
      payload: () => ({ args: [], transfer: [], onSettled: undefined }),
      keep: (slot: number, task: Task) => inflated.push({ slot, task }),
    },
  };
  const ledger = {
    newId: () => ++lastId,
    size: 0,
    settled: () => undefined,
    ranAcross: (name: string, runMs: number) => ran.push([name, runMs]),
    open: (...[id, name, payload, run, resolve, wireName, submittedAt]: Parameters<Ledger['open']>) => {
      const settled: OnSettled = (_task, { outcome, runMs, by, error }) => {
        recorder.settled(outcome, 0, runMs, platform.now(), by);
        ran.push([name, runMs!]);
        resolve(Promise.reject(error));
      };
      return Object.assign(new Task(id, name, payload, run, submittedAt!, settled, wireName), { resolve });
    },
  };
  const takenOver: Task[] = [];
  const told: string[] = [];
  const canceller = {
    takeOver: (task: Task) => {
      told.push(`record of ${task.id}`);
      takenOver.push(task);
    },
    aborted: ({ id }: Task) => told.push(`aborted ${id}`),
  };
  const engine = {
    parts: { platform, recorder },
    defaults: plainRun,
    canceller,
    admission: { limit: Number.POSITIVE_INFINITY, isExploring: () => false },
    meter: { wantsSubmission: () => false },
    hooks: { areCallsHeard: false },
    dispatch: { takesPlain: true },
    scaler: { canGrow: false },
    lifecycle: { updateKeepAlive: () => undefined },
  } as unknown as Engine;
  const calls = new PlainCalls(engine, way as unknown as PlainWay, ledger);
  engine.admission.plain = calls;
  const enter = (timeoutMs?: number) => {
    const call = calls.enter('work', [], timeoutMs === undefined ? undefined : { timeoutMs });
    assert.ok(call !== undefined);
    return call;
  };
  const worker = recorder.worker();
  return { calls, enter, platform, inflated, takenOver, told, offered, ran, recorder, worker };
}

describe('PlainCalls', () => {
  test('settle a call once: whoever comes second finds none', async () => {
    const { calls, enter, worker } = table({ slots: [2] });
    const call = enter();
    calls.beginBatch();
    calls.completed(2, 'result', worker);
    assert.equal(calls.has(2), false);
    assert.throws(() => calls.completed(2, 'again', worker), /slot 2 has no plain call/);
    assert.throws(() => calls.inflate(2), /slot 2 has no plain call/);
    assert.equal(await call, 'result');
    assert.equal(calls.size, 0);
  });

  test('the slot is free for the next call when the first one hears, also within a result that is read as a promise', async () => {
    const { calls, enter, worker } = table({ slots: [1, 1] });
    const call = enter();
    let next: Promise<unknown> | undefined;
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: a task may return what it likes
      get then() {
        next ??= enter();
        return undefined;
      },
    };
    calls.beginBatch();
    calls.completed(1, thenable, worker);
    assert.equal(calls.idOf(1), 2);
    calls.completed(1, 'second', worker);
    assert.equal(await call, thenable);
    assert.equal(await next, 'second');
  });

  test('how long tasks ran is told: of those that completed, once for a batch of one function', async () => {
    const { calls, ran, worker } = table();
    const ends = ['one', 'one', 'other', 'other'].map((name) => calls.enter(name, [], undefined));
    calls.beginBatch();
    for (const slot of [0, 1, 2]) {
      calls.runMs = slot + 1;
      calls.completed(slot, slot, worker);
    }
    calls.runMs = 8;
    calls.failed(3, new Error('expected'), worker);
    calls.endBatch();
    assert.deepEqual(ran.sort(), [
      ['one', 1.5],
      ['other', 3],
      ['other', 8],
    ]);
    await Promise.allSettled(ends);
  });

  test('an inflated call has all that was known of it, and is in the table no more', () => {
    const { calls, enter, platform, inflated, takenOver } = table({ slots: [3] });
    platform.advance(5);
    void enter(250);
    calls.inflate(3);
    const { slot, task } = inflated[0]!;
    const { id, name, submittedAt, run, resolve } = task;
    assert.deepEqual(
      { slot, id, name, submittedAt, timeoutMs: run.timeoutMs, resolve: typeof resolve },
      { slot: 3, id: 1, name: 'work', submittedAt: platform.now(), timeoutMs: 250, resolve: 'function' },
    );
    assert.deepEqual(takenOver, [task]);
    assert.equal(calls.has(3), false);
    platform.advance(1000);
    assert.equal(inflated.length, 1, 'its timeout is seen to by others now');
  });

  test('a call whose timeout may be over is inflated once it runs, and left alone while it waits', () => {
    const asked: number[] = [];
    const { enter, platform, inflated } = table({
      hasBegun: () => asked.push(platform.now() - begin) === 3,
    });
    const begin = platform.now();
    void enter(100);
    platform.advance(1000);
    assert.deepEqual(asked, [100, 200, 300], 'each time that its timeout has passed once more');
    assert.deepEqual(
      inflated.map(({ slot, task }) => [slot, task.run.timeoutMs]),
      [[0, 100]],
    );
  });

  test('each call is looked at when its timeout has passed, none that has ended, and one timer serves all', () => {
    const step = fc.oneof(
      fc.record({
        what: fc.constant('enter' as const),
        slot: fc.nat(3),
        ms: fc.constantFrom(undefined, 5, 20, 20, 70),
      }),
      fc.record({ what: fc.constant('end' as const), slot: fc.nat(3) }),
      fc.record({ what: fc.constant('pass' as const), ms: fc.nat(40) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const slots: number[] = [];
        const { calls, enter, platform, inflated, worker } = table({ slots });
        const dueAt = new Map<number, number>();
        const pass = () => {
          platform.advance(1);
          for (const { slot } of inflated.splice(0)) {
            assert.equal(platform.now(), dueAt.get(slot), `slot ${slot} is due now, and has not ended`);
            dueAt.delete(slot);
          }
          for (const due of dueAt.values()) assert.ok(due > platform.now(), 'none was forgotten');
        };
        for (const each of steps) {
          if (each.what === 'pass') for (let ms = 0; ms < each.ms; ms++) pass();
          else if (each.what === 'enter' && !calls.has(each.slot)) {
            slots.push(each.slot);
            void enter(each.ms);
            if (each.ms !== undefined) dueAt.set(each.slot, platform.now() + each.ms);
          } else if (each.what === 'end' && calls.has(each.slot)) {
            calls.completed(each.slot, 'result', worker);
            dueAt.delete(each.slot);
          }
          assert.ok(platform.timerCount <= 1);
        }
        for (let ms = 0; ms < 200; ms++) pass();
        assert.equal(dueAt.size, 0);
        assert.equal(platform.timerCount, 0, 'no timer is left');
      }),
    );
  });

  test('no timer is left when the pool is over', () => {
    const { calls, enter, platform } = table();
    void enter(50);
    assert.equal(platform.timerCount, 1);
    calls.close();
    assert.equal(platform.timerCount, 0);
  });

  test('what fails is told with its error, and all of it is counted', async () => {
    const { calls, enter, recorder, worker } = table();
    const [one, other] = [enter(), enter()];
    calls.beginBatch();
    calls.runMs = 2;
    calls.failed(0, new TypeError('no'), worker);
    calls.completed(1, 1, worker);
    calls.endBatch();
    await assert.rejects(one, TypeError);
    await other;
    const { outcomes, runMs } = recorder.snapshot(0);
    assert.deepEqual([outcomes.failed, outcomes.completed, runMs.count, runMs.mean], [1, 1, 2, 2]);
  });

  test('a call follows its signal until it settles, and gets a record with all its options when it is aborted', async () => {
    const { calls, enter, takenOver, worker } = table();
    const controllers = [0, 1].map(() => new AbortController());
    const runs = controllers.map(({ signal }) => ({ ...plainRun, timeoutMs: 7, signal }));
    const [one] = runs.map((run) => calls.enterWith('work', [], run));
    void enter();
    const listeners = () => controllers.map(({ signal }) => getEventListeners(signal, 'abort').length);
    assert.deepEqual(listeners(), [1, 1]);
    calls.beginBatch();
    calls.completed(0, 'result', worker);
    assert.equal(await one, 'result');
    assert.deepEqual(listeners(), [0, 1]);
    for (const controller of controllers) controller.abort();
    assert.deepEqual(
      takenOver.map(({ id, run }) => [id, run]),
      [[2, runs[1]]],
    );
    assert.deepEqual(listeners(), [0, 0]);
    assert.deepEqual([calls.has(0), calls.has(1), calls.has(2)], [false, false, true]);
  });

  test('a call that has got a record is told in its turn that its signal aborts: after those that were made later', () => {
    const { calls, told } = table();
    const controller = new AbortController();
    const run = { ...plainRun, signal: controller.signal };
    for (let i = 0; i < 2; i++) void calls.enterWith('work', [], run);
    calls.inflate(0);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
    controller.abort();
    assert.deepEqual(told, ['record of 1', 'record of 2', 'aborted 1']);
  });

  test('a call that is not entered follows nothing', () => {
    const { calls } = table({ slots: [] });
    const { signal } = new AbortController();
    assert.equal(calls.enterWith('work', [], { ...plainRun, signal }), undefined);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test('the next call in a slot has nothing of the options of the one before', () => {
    const { calls, enter, worker } = table({ slots: [0, 0] });
    void calls.enter('work', [], undefined, { run: { ...plainRun, timeoutMs: 7 } });
    calls.beginBatch();
    calls.completed(0, 'result', worker);
    void enter();
    assert.equal(calls.inflate(0).run, plainRun);
  });

  test('what has no slot, or cannot be captured, is left to be entered with a record', () => {
    const { calls, offered } = table({ slots: [0] });
    assert.equal(calls.enter('refused', [], undefined), undefined);
    assert.ok(calls.enter('work', [], undefined) !== undefined);
    assert.equal(calls.enter('work', [], undefined), undefined);
    assert.equal(calls.size, 1);
    assert.deepEqual(
      offered.map(([slot]) => slot),
      [0],
      'and nothing was submitted for the others',
    );
  });
});
