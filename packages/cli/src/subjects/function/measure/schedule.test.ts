/** The split of the time: nothing is promised twice, and what matters comes first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  batchSize,
  callLimitMs,
  coldRounds,
  coreCounts,
  latestEndMs,
  mostFor,
  outstandingFor,
  shareOf,
  slicesFor,
  STEPS,
  threadCounts,
} from './schedule.js';

test('the shares of all steps together are the budget', () => {
  let left = 60_000;
  for (const step of STEPS) left -= shareOf(step, left);
  assert.ok(Math.abs(left) < 1e-6);
});

test('a step that takes nothing leaves its time to those after it', () => {
  const [first, second] = STEPS as [(typeof STEPS)[number], (typeof STEPS)[number]];
  const left = 60_000 - shareOf(first, 60_000);
  assert.ok(shareOf(second, 60_000) > shareOf(second, left));
});

test('of no time there is nothing to share', () => {
  assert.equal(shareOf('rounds', -5), 0);
});

test('a call may take a quarter of the budget, or five seconds, and never more than there is', () => {
  assert.deepEqual([2000, 8000, 60_000].map(callLimitMs), [2000, 5000, 15_000]);
});

test('threads up to the cores are needed, those beyond are not', () => {
  assert.deepEqual(threadCounts(2, 4), { upToCores: [1, 2], beyond: [3, 4] });
  assert.deepEqual(threadCounts(4, 8), { upToCores: [1, 2, 3, 4], beyond: [6, 8] });
  assert.deepEqual(threadCounts(1, 2), { upToCores: [1], beyond: [2] });
});

test('no more threads than are allowed', () => {
  assert.deepEqual(threadCounts(4, 2), { upToCores: [1, 2], beyond: [] });
});

test('the most threads that are allowed are tried: other ways of calling are measured with as many', () => {
  assert.deepEqual(threadCounts(8, 5), { upToCores: [1, 2, 3, 4, 5], beyond: [] });
  assert.deepEqual(threadCounts(8, 10), { upToCores: [1, 2, 3, 4, 6, 8], beyond: [10] });
});

test('of many cores not every number is tried, but one and all are', () => {
  const { upToCores } = threadCounts(64, 128);
  assert.ok(upToCores.length < 16);
  assert.deepEqual([upToCores[0], upToCores.at(-1)], [1, 64]);
  assert.deepEqual(
    upToCores,
    [...new Set(upToCores)].sort((a, b) => a - b),
  );
});

test('at most four settings of cores', () => {
  assert.deepEqual(coreCounts(3), [1, 2, 3]);
  assert.deepEqual(coreCounts(16), [1, 2, 8, 16]);
});

test('slices are as long as the time allows for eight rounds, and no longer than they need be', () => {
  assert.deepEqual(slicesFor(60_000, 0.01, 7), { ms: 300, least: 50 });
  assert.deepEqual(slicesFor(8000, 0.01, 10), { ms: 100, least: 50 });
  assert.deepEqual(slicesFor(-5, 0.01, 3), { ms: 50, least: 50 });
});

test('a slice is hardly shorter than a call', () => {
  assert.deepEqual(slicesFor(20_000, 500, 7), { ms: 450, least: 450 });
});

test('before the rounds, the steps of a large budget take no more than of one of twenty seconds', () => {
  assert.equal(mostFor('behaviour', 20_000), mostFor('behaviour', 600_000));
  assert.ok(mostFor('behaviour', 10_000) < mostFor('behaviour', 20_000));
  assert.ok(mostFor('fewer cores', 600_000) > mostFor('fewer cores', 60_000));
});

test('short calls are outstanding in numbers, long ones are not', () => {
  assert.equal(outstandingFor(0.001, 2, 8), 64);
  assert.equal(outstandingFor(0.001, 16, 8), 128);
  assert.equal(outstandingFor(5, 2, 8), 4);
  assert.equal(outstandingFor(500, 2, 8), 2);
});

test('large values are not outstanding in numbers, but never too few for the threads', () => {
  assert.equal(outstandingFor(0.1, 2, 2 ** 20), 8);
  assert.equal(outstandingFor(0.1, 2, 2 ** 30), 4);
});

test('a batch is a millisecond of work, a message of a megabyte, and of more than a few inputs', () => {
  assert.equal(batchSize(0.01, 8), 100);
  assert.equal(batchSize(0.0001, 8), 1024);
  assert.equal(batchSize(0.01, 2 ** 17), 8);
  assert.equal(batchSize(0.5, 8), undefined);
  assert.equal(batchSize(0.01, 2 ** 20), undefined);
});

test('rounds that the verdict rests on may take what is left but for a second control run', () => {
  assert.equal(latestEndMs(5000, 10_000), 4400);
  assert.equal(latestEndMs(100, 10_000), 0);
});

test('rounds are cold as long as each is slower than all that follow, and much slower than most of them', () => {
  assert.equal(coldRounds([[100, 101, 99, 100]]), 0);
  assert.equal(coldRounds([[10, 40, 70, 100, 101, 99, 100]]), 3);
  // A slow moment later on is noise, and so is a first one that is hardly slower.
  assert.equal(coldRounds([[100, 40, 100, 100]]), 0);
  assert.equal(coldRounds([[90, 100, 101, 100]]), 0);
  assert.equal(
    coldRounds([
      [100, 100, 100],
      [10, 100, 101],
    ]),
    1,
    'of all that were measured in turn',
  );
  assert.equal(coldRounds([[1, 2], [1], []]), 0, 'nothing can be said of so few');
  assert.equal(coldRounds([]), 0);
});
