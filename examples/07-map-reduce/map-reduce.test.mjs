import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compare } from './compare.js';
import { BINS, count, fill, stepsOf } from './collatz.js';

test('the steps of known numbers', () => {
  // The well-known 27 takes 111 steps; a power of two takes its exponent; 837,799 takes the most below a million.
  assert.deepEqual([1, 2, 3, 27, 2 ** 20, 837_799].map(stepsOf), [0, 1, 7, 111, 20, 524]);
});

test('a histogram has each number once', () => {
  const histogram = new Float64Array(BINS);
  count([1, 1, 2, 27, 3], histogram);
  assert.deepEqual([histogram[0], histogram[1], histogram[7], histogram[111]], [2, 1, 1, 1]);
  assert.equal(
    histogram.reduce((sum, value) => sum + value),
    5,
  );
});

test('the same seed gives the same numbers, each within bounds', () => {
  const [a, b, c] = [5, 5, 6].map((seed) => {
    const numbers = new Uint32Array(1000);
    fill(numbers, seed * 2);
    return numbers;
  });
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
  assert.ok(a.every((number) => number >= 1 && number <= 2 ** 20));
});

test('all numbers of threads reduce to what one thread counts, also where a pair is missing', async () => {
  for (const threads of [1, 2, 3, 5]) {
    const { histogram } = await compare({ count: 1003, threads, seed: 9 });
    assert.equal(
      histogram.reduce((sum, value) => sum + value),
      1003,
    );
  }
});

test('more threads than numbers', async () => {
  const { histogram } = await compare({ count: 2, threads: 3, seed: 1 });
  assert.equal(
    histogram.reduce((sum, value) => sum + value),
    2,
  );
});

test('main.js runs, and ends with what threads brought', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--count', '500', '--threads', '2']);
  assert.match(stdout, /^500 numbers reach 1 .*\nOn 2 threads .* times as fast, reduction included/);
});
