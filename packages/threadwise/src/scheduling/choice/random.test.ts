/** The strategy that takes any worker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyTask, choiceConformance, worker } from './choice.case.js';
import { random } from './strategies.js';

choiceConformance('random', () => random());
choiceConformance('random with the largest number below 1', () => random(() => 1 - 2 ** -53));

test('random: equal parts of the source belong to each worker', () => {
  const workers = [worker(1), worker(2), worker(3), worker(4)];
  const chosen = [0, 0.24, 0.25, 0.49, 0.5, 0.74, 0.75, 0.99].map(
    (number) => random(() => number).choose(anyTask, workers).id,
  );
  assert.deepEqual(chosen, [1, 1, 2, 2, 3, 3, 4, 4]);
});
