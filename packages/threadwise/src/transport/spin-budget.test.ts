/** When a thread spins or blocks: as long as that costs less than to be woken. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SpinBudget } from './spin-budget.js';

const MOST_MS = 0.05;
/** How many attempts there are from one that is made to the next, at the most. */
const MOST_INTERVAL = 128;
/** How many attempts in vain it takes until the interval has grown to that. */
const SETTLED = 1000;
/** Between two looks at the clock. */
const LOOK_MS = 0.001;

/** A budget on a clock that goes on with each look at it, and what is waited for comes after so many milliseconds. */
function world() {
  let time = 0;
  const now = () => {
    time += LOOK_MS;
    return time;
  };
  const budget = new SpinBudget({ mostMs: MOST_MS, wakeUpMs: 0.015, looks: 16 }, now);
  /** Whether it spun, and found it. */
  const wait = (ms: number): 'found' | 'in vain' | 'not tried' => {
    if (!budget.wants()) return 'not tried';
    const comes = time + ms;
    return budget.spin(() => time >= comes) ? 'found' : 'in vain';
  };
  const waits = (count: number, ms: number) => Array.from({ length: count }, () => wait(ms));
  /** The same, where it blocks. */
  const block = (ms: number): 'found' | 'in vain' | 'not tried' => {
    if (!budget.wants()) return 'not tried';
    const hasFound = budget.block((mostMs) => {
      time += Math.min(ms, mostMs);
      return ms < mostMs;
    });
    return hasFound ? 'found' : 'in vain';
  };
  const blocks = (count: number, ms: number) => Array.from({ length: count }, () => block(ms));
  return { waits, blocks, time: () => time };
}

describe('spinning', () => {
  test('goes on while what is waited for comes soon', () => {
    const { waits } = world();
    assert.deepEqual(new Set(waits(200, 0.005)), new Set(['found']));
  });

  test('ends by itself, and is given up where it is in vain, but for a try now and then', () => {
    const { waits, time } = world();
    const begin = time();
    assert.deepEqual(waits(1, 1), ['in vain']);
    assert.ok(time() - begin < 2 * MOST_MS);
    waits(SETTLED, 1);
    const later = waits(10 * MOST_INTERVAL, 1);
    assert.equal(later.filter((each) => each === 'in vain').length, 10);
    assert.equal(later.filter((each) => each === 'not tried').length, 10 * (MOST_INTERVAL - 1));
  });

  test('is tried again sooner where it has been in vain for a short while only', () => {
    const { waits } = world();
    const tried = waits(SETTLED, 1).flatMap((each, i) => (each === 'in vain' ? [i] : []));
    const intervals = tried.slice(1).map((at, i) => at - tried[i]!);
    assert.deepEqual(
      intervals,
      intervals.toSorted((a, b) => a - b),
    );
    assert.equal(intervals[0], 1);
    assert.equal(intervals.at(-1), MOST_INTERVAL);
  });

  test('is given up as well where it finds something, and late', () => {
    const { waits } = world();
    waits(SETTLED, 0.04);
    assert.equal(waits(10 * MOST_INTERVAL, 0.04).filter((each) => each === 'found').length, 10);
  });

  test('begins again with the first try that is quick', () => {
    const { waits } = world();
    waits(SETTLED, 1);
    const again = waits(2 * MOST_INTERVAL, 0.002);
    const first = again.indexOf('found');
    assert.ok(first >= 0 && first < MOST_INTERVAL, 'the first try');
    assert.deepEqual(new Set(again.slice(first)), new Set(['found']));
  });

  test('a few that are slow among many that are quick change nothing', () => {
    const { waits } = world();
    for (let i = 0; i < 20; i++) {
      assert.deepEqual(new Set(waits(9, 0.002)), new Set(['found']));
      assert.deepEqual(waits(1, 1), ['in vain']);
    }
  });
});

describe('blocking', () => {
  test('goes on while what is waited for comes soon', () => {
    const { blocks } = world();
    assert.deepEqual(new Set(blocks(200, 0.005)), new Set(['found']));
  });

  test('is given up where it is in vain, but for a try now and then, and begins again with the first that is quick', () => {
    const { blocks } = world();
    blocks(SETTLED, 1);
    const later = blocks(10 * MOST_INTERVAL, 1);
    assert.equal(later.filter((each) => each === 'in vain').length, 10);
    const again = blocks(2 * MOST_INTERVAL, 0.002);
    const first = again.indexOf('found');
    assert.ok(first >= 0 && first < MOST_INTERVAL, 'the first try');
    assert.deepEqual(new Set(again.slice(first)), new Set(['found']));
  });
});
