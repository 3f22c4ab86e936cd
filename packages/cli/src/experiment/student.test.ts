import assert from 'node:assert/strict';
import { test } from 'node:test';
import { studentQuantile } from './student.js';

test('gives what the tables of the t distribution say', () => {
  const table = [
    [0.05, 1, 12.706],
    [0.05, 2, 4.303],
    [0.05, 3, 3.182],
    [0.05, 4, 2.776],
    [0.05, 5, 2.571],
    [0.01, 5, 4.032],
    [0.01, 10, 3.169],
    [0.05, 30, 2.042],
    [0.001, 9, 4.781],
  ] as const;
  for (const [doubt, freedom, expected] of table) {
    const quantile = studentQuantile(doubt, freedom);
    assert.ok(Math.abs(quantile - expected) < 0.0006, `${doubt}, ${freedom}: ${quantile}, not ${expected}`);
  }
});
