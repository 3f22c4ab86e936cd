/** A warm-up goes on while the rate grows, and ends when it does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUp } from './calls.js';

const NEVER_OVER_MS = 60_000;

async function piecesOf(rates: readonly number[], mostMs: number): Promise<number> {
  let count = 0;
  await warmUp(() => rates[Math.min(count++, rates.length - 1)]!, mostMs);
  return count;
}

test('it goes on as long as it gets faster, and a little longer', async () => {
  assert.equal(await piecesOf([1, 2, 3, 4, 5], NEVER_OVER_MS), 5 + 3);
});

test('a slow moment does not end it', async () => {
  assert.equal(await piecesOf([1, 2, 1, 1, 4, 4], NEVER_OVER_MS), 5 + 3);
});

test('without time it is one piece', async () => {
  assert.equal(await piecesOf([1, 2, 3], 0), 1);
});
