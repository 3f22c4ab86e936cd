/** The strategy that takes turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyTask, choiceConformance, worker } from './choice.case.js';
import { roundRobin } from './strategies.js';

choiceConformance('round-robin', () => roundRobin());

const [one, two, three, four] = [worker(1), worker(2), worker(3), worker(4)] as const;

test('round-robin: each worker in turn, whatever its load, and round again', () => {
  const choice = roundRobin();
  const workers = [one, worker(2, { load: 50 }), three];
  const chosen = Array.from({ length: 7 }, () => choice.choose(anyTask, workers).id);
  assert.deepEqual(chosen, [1, 2, 3, 1, 2, 3, 1]);
});

test('round-robin: a worker without room is passed over, and the round goes on after it', () => {
  const choice = roundRobin();
  assert.equal(choice.choose(anyTask, [one, two, three]).id, 1);
  assert.equal(choice.choose(anyTask, [one, three]).id, 3);
  assert.equal(choice.choose(anyTask, [one, two, three]).id, 1);
});

test('round-robin: a worker that replaces another joins the round', () => {
  const choice = roundRobin();
  choice.choose(anyTask, [one, two]);
  choice.choose(anyTask, [one, two]);
  assert.equal(choice.choose(anyTask, [two, four]).id, 4);
  assert.equal(choice.choose(anyTask, [two, four]).id, 2);
});

test('round-robin: two pools keep a place each', () => {
  const [first, second] = [roundRobin(), roundRobin()];
  first.choose(anyTask, [one, two]);
  assert.equal(second.choose(anyTask, [one, two]).id, 1);
  assert.equal(first.choose(anyTask, [one, two]).id, 2);
});
