/** The pool's queue: what all queues promise, and when age goes before priority. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AGEING_INTERVAL, PriorityQueue } from './priority.js';
import { type Item, item, queueConformance } from './queue.case.js';

queueConformance('PriorityQueue', () => new PriorityQueue<Item>(), { ageingInterval: AGEING_INTERVAL });

test('PriorityQueue: one take in AGEING_INTERVAL is by age, all the others by priority', () => {
  const queue = new PriorityQueue<Item>();
  const rounds = 5;
  for (let i = 0; i < rounds; i++) queue.push(item('old', 0), 0);
  for (let i = 0; i < rounds * AGEING_INTERVAL; i++) queue.push(item('urgent', 1), 1);
  const taken = Array.from({ length: rounds * AGEING_INTERVAL }, () => queue.shift()!.label);
  const byAge = taken.flatMap((label, i) => (label === 'old' ? [i] : []));
  assert.equal(byAge.length, rounds);
  for (const [round, at] of byAge.entries()) {
    assert.equal(Math.floor(at / AGEING_INTERVAL), round, 'one in each interval');
  }
});

test('PriorityQueue: thousands of priorities, each used once, come highest first but for the aged ones', () => {
  const queue = new PriorityQueue<Item>();
  const count = 2000;
  for (let i = 0; i < count; i++) queue.push(item(i, i), i);
  const taken = Array.from({ length: count }, () => Number(queue.shift()!.label));
  assert.deepEqual(new Set(taken), new Set(Array.from({ length: count }, (_, i) => i)));
  const falls = taken.slice(1).filter((label, i) => label > taken[i]!).length;
  assert.ok(falls <= count / AGEING_INTERVAL, `${falls} takes were not by priority`);
  assert.equal(queue.size, 0);
});

/** Pushes three items, takes one and removes another. In a function of its own, whose frame holds on to none. */
function takeTwo(queue: PriorityQueue<Item>): Record<'taken' | 'removed' | 'kept', WeakRef<Item>> {
  const [first, second, third] = [item(1), item(2), item(3)];
  for (const each of [first, second, third]) queue.push(each, 0);
  queue.remove(second);
  queue.shift();
  return { taken: new WeakRef(first), removed: new WeakRef(second), kept: new WeakRef(third) };
}

test('PriorityQueue: holds on to nothing that was taken or removed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const queue = new PriorityQueue<Item>();
  const { taken, removed, kept } = takeTwo(queue);
  // A WeakRef holds its target until the turn in which it was made is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.deepEqual([taken.deref(), removed.deref(), queue.size], [undefined, undefined, 1]);
  assert.notEqual(kept.deref(), undefined);
});
