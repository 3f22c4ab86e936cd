import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEWEST, MOST, RingQueue } from './ring-queue.js';

test('first in, first out, while it grows, goes round and shrinks', () => {
  const queue = new RingQueue();
  let [pushed, shifted] = [0, 0];
  const push = (count) => {
    for (let i = 0; i < count; i++) queue.push(pushed++);
  };
  const shift = (count) => {
    for (let i = 0; i < count; i++) assert.equal(queue.shift(), shifted++);
  };
  // When the ring has to grow, the oldest values are in its middle, and later ones at its beginning.
  push(200);
  shift(150);
  push(5000);
  assert.equal(queue.size, 5050);
  shift(5000);
  push(20);
  shift(70);
  assert.equal(queue.size, 0);
  assert.equal(queue.shift(), undefined);
});

test('its size is a power of two, between the fewest and the most', () => {
  const queue = new RingQueue();
  assert.equal(queue.capacity, FEWEST);
  for (let i = 0; i <= FEWEST; i++) queue.push(i);
  assert.equal(queue.capacity, 2 * FEWEST);
  while (queue.size < MOST) queue.push(0);
  assert.equal(queue.capacity, MOST);
  assert.throws(() => queue.push(0), { name: 'RangeError', message: `The queue is full: ${MOST} tasks` });
  while (queue.size > 0) queue.shift();
  assert.equal(queue.capacity, FEWEST);
});
