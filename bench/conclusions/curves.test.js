import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amdahl, bestX, breakEven, slope } from './curves.js';
import { always, curveOf, MACHINE, MEMORY, RATE } from '../report/made-up.js';

const roughly = (value, expected) =>
  assert.ok(Math.abs(value / expected - 1) < 1e-6, `${value} is not ${expected}`);

test('the knee is the smallest x with 95 % of the best', () => {
  const times = { threadwise: [100, 50, 26, 25.5, 30].map(always) };
  const found = bestX(curveOf([1, 2, 4, 8, 16], times), 'threadwise', 'ms');
  assert.deepEqual([found.x, found.best], [4, 8]);
  assert.deepEqual(
    found.points.map(({ x, value }) => [x, value.value]),
    [100, 50, 26, 25.5, 30].map((value, i) => [2 ** i, value]),
  );
  assert.equal(
    found.sentence,
    'threadwise has at least 95 % of its best already with 4 threads: 26 ms; its best is with 8 threads: 25.5 ms',
  );
});

test('a peak is its own knee; more is better where it is a rate; the order of scenarios does not matter', () => {
  const rates = { inline: [400, 100, 200].map(always) };
  const found = bestX(curveOf([3, 1, 2], rates, { metric: RATE }), 'inline', 'rate', 'core');
  assert.equal(found.x, 3);
  assert.equal(found.sentence, 'inline is at its best with 3 cores: 400 calls/s');
});

test('of one round the knee is told as doubtful; of one point there is none', () => {
  const found = bestX(curveOf([1, 2], { a: [[10], [5]] }), 'a', 'ms');
  assert.deepEqual([found.x, found.best], [undefined, 2]);
  assert.match(found.sentence, /^a did best with 2 threads: 5 ms; whether fewer are enough cannot be told/);
  assert.equal(bestX(curveOf([1], { a: [always(1)] }), 'a', 'ms'), undefined);
  assert.equal(bestX(curveOf([1, 2], { a: [always(1), new Error('no')] }), 'a', 'ms'), undefined);
  assert.equal(bestX([], 'a', 'ms'), undefined);
});

test('where rounds differ too much there is no knee, whatever the medians are', () => {
  const noisy = [
    [100, 120, 60, 140, 90],
    [80, 130, 95, 70, 110],
  ];
  const found = bestX(curveOf([1, 2], { a: noisy }), 'a', 'ms');
  assert.equal(found.x, undefined);
  assert.match(found.sentence, /cannot be told/);
  // By its median 1 is enough, but it may also be a quarter worse.
  const doubtful = bestX(curveOf([1, 2], { a: [[100, 130, 99, 135, 100], always(98)] }), 'a', 'ms');
  assert.equal(doubtful.x, undefined);
});

test("Amdahl's law gives back the share that it was made with", () => {
  const serial = 0.25;
  const times = [1, 2, 3, 4, 8].map((n) => always(1000 * (serial + (1 - serial) / Math.min(n, 4))));
  const four = { ...MACHINE, cores: 4, availableParallelism: 4 };
  const found = amdahl(four, curveOf([1, 2, 3, 4, 8], { a: times }), 'a', 'ms');
  roughly(found.serialShare.value, serial);
  assert.ok(found.error < 1e-9);
  assert.match(
    found.sentence,
    /^By Amdahl's law, 25 % \(25 % to 25 %\) of the work of a does not run in parallel/,
  );
});

test('two points fit any share, and that is said; without one thread there is no fit', () => {
  const found = amdahl(MACHINE, curveOf([1, 2], { a: [always(100), always(75)] }), 'a', 'ms');
  roughly(found.serialShare.value, 0.5);
  assert.match(found.sentence, /two points fit any share/);
  assert.equal(amdahl(MACHINE, curveOf([2, 4], { a: [always(2), always(1)] }), 'a', 'ms'), undefined);
});

test('the slope is what one more of x adds', () => {
  const sizes = [0, 1, 2, 4].map((x) => [30, 31, 32].map((base, round) => base + (5 + round) * x));
  const { value, low, high } = slope(curveOf([0, 1, 2, 4], { a: sizes }, { metric: MEMORY }), 'a', 'size');
  roughly(value, 6);
  assert.ok(low <= 5 && high >= 7, 'the rounds are from 5 to 7');
  assert.equal(slope([], 'a', 'size'), undefined);
});

/** A curve on which ours makes `gains` times as many calls as inline, for each x. */
const gaining = (xs, gains) =>
  curveOf(
    xs,
    { threadwise: gains.map((gain) => always(100 * gain)), inline: gains.map(() => always(100)) },
    { metric: RATE },
  );

test('the break-even is where the gain passes one, on a scale of powers', () => {
  const { x, sentence } = breakEven(gaining([100, 10_000], [0.1, 10]), 'threadwise', 'inline', 'rate');
  roughly(x.value, 1000);
  assert.equal(sentence, 'threadwise is better than inline with about 1,000 calls or more');
});

test('always better, never better: the sentence says which', () => {
  const always2 = breakEven(gaining([10, 1000], [2, 2]), 'threadwise', 'inline', 'rate');
  assert.equal(always2.x, undefined);
  assert.equal(always2.sentence, 'threadwise is better than inline already with 10 calls');
  const never = breakEven(gaining([10, 1000], [0.5, 0.9]), 'threadwise', 'inline', 'rate', 'file');
  assert.equal(never.sentence, 'threadwise is not better than inline with up to 1,000 files');
});

test('one round, or rounds that contradict each other: cannot tell', () => {
  const once = curveOf([1, 10], { a: [[1], [10]], b: [[2], [2]] }, { metric: RATE });
  assert.match(breakEven(once, 'a', 'b', 'rate').sentence, /^Cannot tell how many calls it takes until/);
  const noisy = curveOf(
    [1, 10],
    { a: [always(1), [1, 9, 1, 9, 1]], b: [always(2), always(2)] },
    { metric: RATE },
  );
  const { x, sentence } = breakEven(noisy, 'a', 'b', 'rate');
  assert.equal(x, undefined);
  assert.match(sentence, /^Cannot tell/);
  assert.match(breakEven([], 'a', 'b', 'rate').sentence, /not measured together/);
});
