/** The default strategy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyTask, choiceConformance, worker } from './choice.case.js';
import { leastBusy } from './strategies.js';

choiceConformance('least-busy', () => leastBusy);

test('least-busy: the fewest tasks win, wherever it stands', () => {
  const workers = [worker(1, { load: 3 }), worker(2, { load: 1 }), worker(3, { load: 2 })];
  assert.equal(leastBusy.choose(anyTask, workers).id, 2);
  assert.equal(leastBusy.choose(anyTask, workers.toReversed()).id, 2);
});

test('least-busy: among equals the first wins', () => {
  const workers = [worker(4, { load: 1 }), worker(5, { load: 1 }), worker(6, { load: 1 })];
  assert.equal(leastBusy.choose(anyTask, workers).id, 4);
});
