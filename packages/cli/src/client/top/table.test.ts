import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareRows, windowStart } from './line.js';

test('each gets what it wants where there is room', () => {
  assert.deepEqual(
    shareRows(20, [
      { wanted: 3, least: 2 },
      { wanted: 5, least: 2 },
    ]),
    [3, 5],
  );
});

test('first the least for each in turn, then one row each', () => {
  const claims = [
    { wanted: 4, least: 2 },
    { wanted: 9, least: 2 },
    { wanted: 2, least: 1 },
  ];
  // 2 + 2 + 1, and of the four that are left 1 + 1 + 1, then 1 for the first.
  assert.deepEqual(shareRows(9, claims), [4, 3, 2]);
});

test('what cannot get its least gets nothing, and a smaller one may take it', () => {
  assert.deepEqual(
    shareRows(3, [
      { wanted: 5, least: 2 },
      { wanted: 5, least: 2 },
      { wanted: 1, least: 1 },
    ]),
    [2, 0, 1],
  );
  assert.deepEqual(shareRows(0, [{ wanted: 5, least: 1 }]), [0]);
  assert.deepEqual(shareRows(-2, [{ wanted: 5, least: 1 }]), [0]);
});

test('the window is around what is selected, and never beyond the ends', () => {
  assert.deepEqual(
    [0, 1, 2, 5, 9].map((selected) => windowStart(selected, 10, 4)),
    [0, 0, 0, 3, 6],
  );
  assert.equal(windowStart(2, 3, 10), 0);
});
