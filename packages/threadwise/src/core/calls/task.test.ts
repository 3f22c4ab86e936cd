/** A call settles exactly once, whoever comes second. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { makeTask } from '../fake-platform.case.js';
import type { Settlement } from './task.js';

const settlements: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record({ outcome: fc.constant('completed' as const), value: fc.anything(), runMs: fc.nat() }),
  fc.record({
    outcome: fc.constantFrom('failed' as const, 'aborted' as const, 'timedOut' as const, 'crashed' as const),
    error: fc.anything(),
  }),
);

describe('Task', () => {
  test('tells the caller the first settlement and drops all others', () => {
    fc.assert(
      fc.property(fc.array(settlements, { minLength: 1, maxLength: 6 }), (given) => {
        const { task, told } = makeTask();
        const firsts = given.map((settlement) => task.settle(settlement));
        assert.deepEqual(
          firsts,
          given.map((_, i) => i === 0),
        );
        assert.equal(told.length, 1);
        assert.equal(told[0], given[0]);
        assert.equal(task.state, 'settled');
      }),
    );
  });

  test('undoes what watches it before the caller is told, and once', () => {
    const { task, told } = makeTask();
    const undone: number[] = [];
    task.unwatch = () => undone.push(told.length);
    task.settle({ outcome: 'failed', error: 'first' });
    task.settle({ outcome: 'failed', error: 'second' });
    assert.deepEqual(undone, [0]);
    assert.equal(task.unwatch, undefined);
  });

  test('settles once also if what watches it settles it again when undone', () => {
    const { task, told } = makeTask();
    task.unwatch = () => void task.settle({ outcome: 'aborted', error: 'again' });
    assert.equal(task.settle({ outcome: 'failed', error: 'first' }), true);
    assert.deepEqual(told, [{ outcome: 'failed', error: 'first' }]);
  });

  test('has as many retries left as the call asked for', () => {
    assert.equal(makeTask({ retries: 3 }).task.retriesLeft, 3);
  });
});
