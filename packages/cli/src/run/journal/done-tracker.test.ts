import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { type Done, isDone, nothingDone } from '../inputs/input-source.js';
import type { Batch } from '../work/batch.js';
import { DoneTracker } from './journal.js';

function batchOf(positions: readonly number[], after?: number): Batch {
  return { inputs: positions.map((position) => ({ value: position, position, bytes: 0 })), after };
}

/** Cuts 0, 1, 2, … into batches of these sizes, leaving out what is done. */
function batches(sizes: readonly number[], done: Done = nothingDone): Batch[] {
  let next = 0;
  let after: number | undefined;
  return sizes.map((size) => {
    const positions: number[] = [];
    for (; positions.length < size; next += 1) if (!isDone(done, next)) positions.push(next);
    const batch = batchOf(positions, after);
    after = positions.at(-1);
    return batch;
  });
}

const doneNumbers = (done: Done, below: number): number[] =>
  Array.from({ length: below }, (_, i) => i).filter((i) => isDone(done, i));

test('in order, the mark follows and nothing is kept beyond it', () => {
  const tracker = new DoneTracker(nothingDone);
  for (const batch of batches([2, 3, 1])) {
    tracker.finish(batch, batch.inputs.length);
  }
  assert.deepEqual(tracker.done(), { mark: 5, beyond: [] });
});

test('out of order, stretches melt and the mark catches up', () => {
  const tracker = new DoneTracker(nothingDone);
  const [a, b, c, d] = batches([1, 1, 1, 1]) as [Batch, Batch, Batch, Batch];
  tracker.finish(d, 1);
  tracker.finish(b, 1);
  assert.deepEqual(tracker.done(), {
    mark: undefined,
    beyond: [
      [1, 1],
      [3, 3],
    ],
  });
  tracker.finish(c, 1);
  assert.deepEqual(tracker.done(), { mark: undefined, beyond: [[1, 3]] });
  tracker.finish(a, 1);
  assert.deepEqual(tracker.done(), { mark: 3, beyond: [] });
});

test('a batch that stopped in its middle stays open behind it', () => {
  const tracker = new DoneTracker(nothingDone);
  const [a, b] = batches([4, 2]) as [Batch, Batch];
  tracker.finish(b, 2);
  tracker.finish(a, 3);
  assert.deepEqual(tracker.done(), { mark: 2, beyond: [[4, 5]] });
  tracker.finish(batchOf([9]), 0);
  assert.deepEqual(tracker.done(), { mark: 2, beyond: [[4, 5]] });
});

test('whatever is finished in whatever order and over whatever restarts, exactly that is done', () => {
  const step = fc.record({ size: fc.integer({ min: 1, max: 4 }), share: fc.nat(4), rank: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 4 }), (runs) => {
      let done: Done = nothingDone;
      const expected = new Set<unknown>();
      for (const steps of runs) {
        const tracker = new DoneTracker(done);
        const begun = batches(
          steps.map(({ size }) => size),
          done,
        );
        const order = begun.map((batch, i) => ({ batch, ...steps[i]! })).sort((a, b) => a.rank - b.rank);
        for (const { batch, share } of order) {
          const count = Math.min(share, batch.inputs.length);
          tracker.finish(batch, count);
          for (const { position } of batch.inputs.slice(0, count)) expected.add(position);
        }
        done = JSON.parse(JSON.stringify(tracker.done())) as Done;
      }
      assert.deepEqual(new Set(doneNumbers(done, 150)), expected);
    }),
  );
});
