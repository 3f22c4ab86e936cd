import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatching } from './pump.js';

/** Lets batches of the chosen size run at a price per input until the size settles. */
function settledSize(itemMs: number): number {
  const batching = createBatching('auto', 2);
  for (let i = 0; i < 50; i += 1) batching.note({ ran: batching.size(), runMs: batching.size() * itemMs });
  return batching.size();
}

test('aims at batches of about 5 ms, of at most 256 inputs', () => {
  assert.equal(settledSize(0.00001), 256);
  assert.equal(settledSize(0.1), 50);
  assert.equal(settledSize(1), 5);
  assert.equal(settledSize(80), 1);
});

test('begins with one input and grows at most fourfold at a time', () => {
  const batching = createBatching('auto', 2);
  const sizes = [batching.size()];
  for (let i = 0; i < 5; i += 1) {
    batching.note({ ran: batching.size(), runMs: 0 });
    sizes.push(batching.size());
  }
  assert.deepEqual(sizes, [1, 4, 16, 64, 256, 256]);
});

test('keeps a size that was asked for', () => {
  const batching = createBatching(7, 2);
  batching.note({ ran: 7, runMs: 700 });
  assert.equal(batching.size(), 7);
});

test('has a stock of short batches out, and of long ones only what runs', () => {
  const depthAt = (runMs: number): number => {
    const batching = createBatching(1, 3);
    batching.note({ ran: 1, runMs });
    return batching.depth();
  };
  assert.equal(depthAt(0.01), 24);
  assert.equal(depthAt(50), 6);
  assert.equal(depthAt(5000), 3);
});
