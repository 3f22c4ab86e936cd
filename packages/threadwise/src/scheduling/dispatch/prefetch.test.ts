/** How many tasks may lie unbegun at a worker. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { MAX_PREFETCH, Prefetch } from './prefetch.js';

function after(...runs: number[]): number {
  const prefetch = new Prefetch();
  for (const run of runs) prefetch.observe('task', run);
  return prefetch.depth('task');
}

describe('Prefetch', () => {
  test('lets none lie unbegun as long as nothing is known of the task', () => {
    const prefetch = new Prefetch();
    prefetch.observe('other', 0.001);
    assert.equal(prefetch.depth('task'), 0);
  });

  test('lets none lie behind a task that runs for long', () => {
    assert.equal(after(20), 0);
    assert.equal(after(0.6), 0);
  });

  test('lets the most lie behind the tiniest task, also one that took no time that can be measured', () => {
    assert.equal(after(0.0001), MAX_PREFETCH);
    assert.equal(after(0), MAX_PREFETCH);
  });

  test('lets lie about half a millisecond of work', () => {
    assert.equal(after(0.1), 5);
    assert.equal(after(0.25), 2);
  });

  test('one long run empties the lane at once, many short ones fill it again', () => {
    const tiny = new Array<number>(50).fill(0.001);
    assert.equal(after(...tiny, 5), 0);
    assert.equal(after(...tiny, 5, ...new Array<number>(200).fill(0.001)), MAX_PREFETCH);
  });

  test('answers with a whole number from 0 to the most, whatever was measured', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), (runs) => {
        const depth = after(...runs);
        assert.ok(Number.isInteger(depth) && depth >= 0 && depth <= MAX_PREFETCH, String(depth));
      }),
    );
  });

  test('never lets more lie behind tasks that all take longer', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 1 }), (runs) => {
        assert.ok(after(...runs.map((ms) => ms * 2)) <= after(...runs));
      }),
    );
  });
});
