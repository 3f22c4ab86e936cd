/** When the policy is asked, what it is given, and what is told of its answers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Decision, LoadView, Measured } from '../contracts.js';
import { FakePlatform } from '../fake-platform.case.js';
import { Sizer, type SizingDecision } from './sizer.js';

type Answer = Partial<Decision<unknown>>;

const NOTHING: Measured = { completed: 0, workers: [], memory: undefined };

function scene(answer: (load: LoadView, state: unknown) => Answer) {
  const platform = new FakePlatform();
  const asked: { readonly load: LoadView; readonly state: unknown }[] = [];
  const told: SizingDecision[] = [];
  const counts = { current: 2, due: 0, measured: 0 };
  const sizer = new Sizer({
    by: 'pool',
    platform,
    scaling: {
      name: 'test',
      initial: 'first',
      decide: (load, state) => {
        asked.push({ load, state });
        return {
          target: 2,
          why: 'so',
          state: undefined,
          isSated: false,
          againMs: undefined,
          ...answer(load, state),
        };
      },
    },
    load: () => ({
      min: 1,
      max: 4,
      cores: 4,
      current: counts.current,
      starting: 0,
      idle: 1,
      queued: 7,
      tasksPerWorker: 1,
      longestIdleMs: 0,
      idleTimeoutMs: 10,
    }),
    measure: () => {
      counts.measured++;
      return NOTHING;
    },
    onDue: () => {
      counts.due++;
      sizer.target();
    },
    onDecision: (decision) => told.push(decision),
  });
  return { platform, asked, told, counts, sizer };
}

describe('the sizer', () => {
  test('keeps what the policy answers within the bounds', () => {
    const targets = [0, 3, 99];
    const { sizer } = scene(() => ({ target: targets.shift()! }));
    assert.deepEqual([sizer.target(), sizer.target(), sizer.target()], [1, 3, 4]);
  });

  test('says when a bound decided, and not the policy', () => {
    const targets = [0, 3, 99];
    const { sizer, told } = scene(() => ({ target: targets.shift()! }));
    for (let i = 0; i < 3; i++) sizer.target();
    assert.deepEqual(
      told.map(({ why }) => why),
      ['there must be at least 1', 'so', 'so; there may be at most 4'],
    );
  });

  test('gives the policy back what it wanted to remember', () => {
    const { sizer, asked } = scene((_load, state) => ({ state: `${state}!` }));
    sizer.target();
    sizer.target();
    assert.deepEqual(
      asked.map(({ state }) => state),
      ['first', 'first!'],
    );
  });

  test('measures only at a look that the policy asked for', () => {
    const { sizer, platform, asked, counts } = scene(() => ({ againMs: 50 }));
    sizer.target();
    assert.equal(asked[0]!.load.measured, undefined);
    platform.advance(50);
    assert.equal(asked[1]!.load.measured, NOTHING);
    sizer.target();
    assert.equal(asked[2]!.load.measured, undefined);
    assert.deepEqual({ due: counts.due, measured: counts.measured }, { due: 1, measured: 1 });
  });

  test('has one timer, for the earliest time that was wanted', () => {
    const wishes = [50, 80, 20, undefined];
    const { sizer, platform, counts } = scene(() => ({ againMs: wishes.shift() }));
    sizer.target();
    sizer.target();
    sizer.target();
    assert.equal(platform.timerCount, 1);
    platform.advance(20);
    assert.equal(counts.due, 1);
    assert.equal(platform.timerCount, 0);
  });

  test('has no timer once it is stopped', () => {
    const { sizer, platform } = scene(() => ({ againMs: 50 }));
    sizer.target();
    sizer.stop();
    assert.equal(platform.timerCount, 0);
  });

  test('tells of a wish for another number once, with what was seen, and of the same again after it was met', () => {
    const { sizer, told, counts, platform } = scene((load) => ({ target: load.queued > 0 ? 3 : 2 }));
    sizer.target();
    sizer.target();
    const first = { at: platform.now(), by: 'pool', from: 2, to: 3, why: 'so', queued: 7, idle: 1 };
    assert.deepEqual(told, [first]);
    counts.current = 3;
    sizer.target();
    assert.equal(told.length, 1, 'nothing changes');
    counts.current = 2;
    sizer.target();
    assert.equal(told.length, 2);
  });
});
