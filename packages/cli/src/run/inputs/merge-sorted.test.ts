import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeSorted } from './merge-sorted.js';

const byNumber = (a: number, b: number): number => a - b;

test('merges listings in order and gives what several of them have once', () => {
  const merged = mergeSorted([[1, 4, 6], [], [2, 4, 5, 6, 9]], byNumber);
  assert.deepEqual([...merged], [1, 2, 4, 5, 6, 9]);
});

test('takes from a listing no more than it gives out, and one ahead', () => {
  let taken = 0;
  function* endless(): Generator<number> {
    for (;;) yield taken++;
  }
  const merged = mergeSorted([endless()], byNumber);
  for (let i = 0; i < 10; i += 1) merged.next();
  assert.ok(taken <= 11, `took ${taken}`);
});
