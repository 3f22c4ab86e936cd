import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Done, type Input, nothingDone } from './input-source.js';
import { openRange } from './open-inputs.js';

function numbers(from: number, to: number, done: Done = nothingDone): unknown[] {
  return [...(openRange({ from, to }).read(done) as Iterable<Input[]>)].flat().map(({ value }) => value);
}

test('has both ends and knows its length', () => {
  assert.deepEqual(numbers(-2, 2), [-2, -1, 0, 1, 2]);
  assert.deepEqual(numbers(5, 5), [5]);
  assert.equal(openRange({ from: 1, to: 1_000_000_000 }).total, 1_000_000_000);
  assert.equal(numbers(0, 9999).length, 10_000);
});

test('goes on behind the mark at once and leaves out what is done beyond it', () => {
  assert.deepEqual(
    numbers(10, 20, {
      mark: 4,
      beyond: [
        [6, 7],
        [9, 9],
      ],
    }),
    [15, 18, 20],
  );
  const begin = performance.now();
  assert.deepEqual(numbers(0, 2 ** 50, { mark: 2 ** 50 - 2, beyond: [] }), [2 ** 50 - 1, 2 ** 50]);
  assert.ok(performance.now() - begin < 1000, 'nothing before the mark is listed');
});

test('samples evenly', () => {
  const sample = [...(openRange({ from: 1, to: 1000 }).sample(4).inputs as Iterable<Input>)];
  assert.deepEqual(
    sample.map(({ value }) => value),
    [1, 251, 501, 751],
  );
});
