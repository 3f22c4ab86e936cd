/** The table of plain calls: each call is settled once, whatever is asked of its slot, and its slot is free before it hears. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PlainWay } from '../contracts.js';
import { MeasuredRecorder } from '../../metrics/measured.js';
import { FakePlatform, makeTask } from '../fake-platform.case.js';
import { type PlainCall, PlainCalls } from './plain-calls.js';

/** A table, and a way with as many slots as are named: each call gets the next of them. */
function table({
  slots = [0, 1, 2, 3],
  hasBegun = () => true,
}: { slots?: number[]; hasBegun?: () => boolean } = {}) {
  const platform = new FakePlatform();
  const inflated: PlainCall[] = [];
  const offered: [slot: number, id: number][] = [];
  const recorder = new MeasuredRecorder();
  const next = [...slots];
  let lastId = 0;
  const way = {
    slots: 4,
    attach: () => undefined,
    capturePlain: (name: string) => {
      if (name === 'refused') throw new Error('the arguments are wrong');
      return next.shift() ?? -1;
    },
    offerPlain: (slot: number, id: number) => offered.push([slot, id]),
    hasBegun,
  };
  const calls = new PlainCalls({
    platform,
    way: way as unknown as PlainWay,
    submit: () => ++lastId,
    recordEnd: (outcome, count, now) => recorder.ended(outcome, count, now),
    inflate: (call) => {
      inflated.push(call);
      return makeTask().task;
    },
  });
  const enter = (timeoutMs?: number) => {
    const call = calls.enter('work', [], timeoutMs);
    assert.ok(call !== undefined);
    return call;
  };
  return { calls, enter, platform, inflated, offered, recorder, worker: recorder.worker() };
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

  test('an inflated call has all that was known of it, and is in the table no more', () => {
    const { calls, enter, platform, inflated } = table({ slots: [3] });
    platform.advance(5);
    void enter(250);
    calls.inflate(3);
    const [call] = inflated;
    assert.deepEqual(
      { ...call, resolve: typeof call?.resolve },
      { slot: 3, id: 1, name: 'work', submittedAt: platform.now(), timeoutMs: 250, resolve: 'function' },
    );
    assert.equal(calls.has(3), false);
    platform.advance(1000);
    assert.equal(inflated.length, 1, 'its timeout is seen to by others now');
  });

  test('a call whose timeout may be over is inflated once it runs, and left alone while it waits', () => {
    let hasBegun = false;
    const { enter, platform, inflated } = table({ hasBegun: () => hasBegun });
    void enter(100);
    platform.advance(350);
    assert.equal(inflated.length, 0);
    hasBegun = true;
    platform.advance(100);
    assert.deepEqual(
      inflated.map(({ slot, timeoutMs }) => [slot, timeoutMs]),
      [[0, 100]],
    );
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

  test('what has no slot, or cannot be captured, is left to be entered with a record', () => {
    const { calls, offered } = table({ slots: [0] });
    assert.equal(calls.enter('refused', [], undefined), undefined);
    assert.ok(calls.enter('work', [], undefined) !== undefined);
    assert.equal(calls.enter('work', [], undefined), undefined);
    assert.equal(calls.size, 1);
    assert.deepEqual(offered, [[0, 1]], 'and nothing was submitted for the others');
  });
});
