import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { comparePaths } from './walk.js';

/** The definition of the order, slow and simple. */
function compareSegments(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    if (left[i] !== right[i]) return left[i]! < right[i]! ? -1 : 1;
  }
  return left.length - right.length;
}

const path = fc
  .array(
    fc.string({
      unit: fc.constantFrom('a', 'b', '-', '.', '!', 'é', '\u{1F600}'),
      minLength: 1,
      maxLength: 3,
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((segments) => segments.join('/'));

test('orders paths segment by segment, by code units', () => {
  fc.assert(
    fc.property(path, path, (a, b) => {
      assert.equal(Math.sign(comparePaths(a, b)), Math.sign(compareSegments(a, b)));
    }),
  );
});

test('puts what is in a directory before a file whose name only begins like it', () => {
  const sorted = ['a.txt', 'a/z', 'a-b/c', 'a'].sort(comparePaths);
  assert.deepEqual(sorted, ['a', 'a/z', 'a-b/c', 'a.txt']);
});
