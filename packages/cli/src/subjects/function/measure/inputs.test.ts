/** Which inputs are used: all, unless they differ too much for the time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseInputs, chooseSizes } from './schedule.js';

const taking = (...times: (number | undefined)[]) => times.map((ms, input) => ({ input, ms }));

test('inputs that take about as long are all used', () => {
  assert.deepEqual(chooseInputs(taking(50, 60, 70), 100), [0, 1, 2]);
});

test('inputs that were not tried are used with the others', () => {
  assert.deepEqual(chooseInputs(taking(1, 1.5, undefined), 100), [0, 1, 2]);
});

test('inputs that differ are all used where a slice has room for them', () => {
  assert.deepEqual(chooseInputs(taking(1, 10, 30), 100), [0, 1, 2]);
});

test('of more than a slice has room for, some are taken, from the quickest to the slowest', () => {
  const all = taking(...Array.from({ length: 100 }, (_, i) => i + 1));
  const chosen = chooseInputs(all, 500) as number[];
  assert.ok(chosen.length >= 4 && chosen.length < 20, String(chosen));
  const times = chosen.map((i) => all[i]!.ms!);
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  assert.ok(Math.abs(mean - 50.5) < 3, `${mean}`);
  assert.ok(times.reduce((sum, ms) => sum + ms, 0) <= 550);
});

test('a part of what was chosen is a mix as well', () => {
  const all = taking(...Array.from({ length: 100 }, (_, i) => i + 1));
  const half = (chooseInputs(all, 500) as number[]).slice(0, 4).map((i) => all[i]!.ms!);
  assert.ok(Math.min(...half) < 50 && Math.max(...half) > 50);
});

test('sizes that hardly differ say nothing', () => {
  assert.deepEqual(chooseSizes([100, 110, 120]), []);
  assert.deepEqual(chooseSizes([undefined, undefined]), []);
});

test('of many sizes a few are chosen, the smallest and the largest among them', () => {
  const chosen = chooseSizes(Array.from({ length: 50 }, (_, i) => 5000 - i * 100));
  assert.equal(chosen.length, 6);
  assert.deepEqual([chosen[0]?.bytes, chosen.at(-1)?.bytes], [100, 5000]);
  assert.deepEqual([chosen[0]?.index, chosen.at(-1)?.index], [49, 0]);
});

test('the same size is chosen once', () => {
  assert.deepEqual(
    chooseSizes([10, 10, 40, 40]).map(({ bytes }) => bytes),
    [10, 40],
  );
});
