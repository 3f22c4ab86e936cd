import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normal, uniform } from '../subjects/function/rules/noise.test.fake.js';
import { confidenceOfEach, estimate, noiseOf, ratio, studentQuantile } from './statistics.js';

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('leaves out as many values at each end as the sign test allows', () => {
  // From tables of the binomial: P(B <= 0 | 6) = 0.0156, P(B <= 1 | 9) = 0.0195, P(B <= 1 | 8) = 0.0352, P(B <= 2 | 12) = 0.0193.
  assert.deepEqual(estimate(upTo(6)), { value: 3.5, low: 1, high: 6 });
  assert.deepEqual(estimate(upTo(8)), { value: 4.5, low: 1, high: 8 });
  assert.deepEqual(estimate(upTo(9)), { value: 5, low: 2, high: 8 });
  assert.deepEqual(estimate(upTo(12)), { value: 6.5, low: 3, high: 10 });
});

test('orders by size, not by text, and keeps the series as it was', () => {
  const series = [100, 9, 20, 3, 50, 7, 1];
  assert.deepEqual(estimate(series), { value: 9, low: 1, high: 100 });
  assert.deepEqual(series, [100, 9, 20, 3, 50, 7, 1]);
});

test('takes a long series', () => {
  const { value, low, high } = estimate(upTo(20_000))!;
  assert.equal(value, 10_000.5);
  // The normal approximation: 10,000.5 -+ 1.96 x sqrt(20,000) / 2 = 138.6
  assert.ok(Math.abs(low - (10_000.5 - 138.6)) < 2, `${low}`);
  assert.equal(low + high, 20_001);
});

test('has nothing to say of an empty series, and no interval of a single value', () => {
  assert.equal(estimate([]), undefined);
  assert.equal(estimate([Number.NaN, Number.POSITIVE_INFINITY]), undefined);
  assert.deepEqual(estimate([7]), { value: 7, low: 7, high: 7 });
});

test("widens to Student's interval where there are too few values, but not below nothing", () => {
  // Mean 20, deviation 10 / sqrt(2), by 12.706 / sqrt(2): 63.5 to each side; and for three 4.303 x 1 / sqrt(3) = 2.484.
  const two = estimate([15, 25])!;
  assert.deepEqual([two.value, two.low, Math.round(two.high * 10)], [20, 0, 835]);
  const three = estimate([10, 11, 12])!;
  assert.deepEqual(
    [three.low, three.high].map((end) => Math.round(end * 1000)),
    [8516, 13484],
  );
  const negative = estimate([-5, 5])!;
  assert.ok(negative.low < -60);
});

test('compares round by round, as far as both go', () => {
  assert.deepEqual(ratio([2, 20, 200, 4, 40, 400, 8], [1, 10, 100, 2, 20, 200]), {
    value: 2,
    low: 2,
    high: 2,
  });
  assert.equal(ratio([2], [1]), undefined, 'one round has no interval');
  assert.equal(ratio([], [1, 2]), undefined);
  assert.equal(ratio([1, 2], [0, 0]), undefined, 'nothing is infinitely fast');
});

test('knows of few ratios that half as much is as far off as twice as much', () => {
  // Their logarithms: mean 4.217, deviation 1.2726, by 2.776 / sqrt(5): 1.580 to each side.
  const { value, low, high } = ratio(new Array(5).fill(100), [1.25, 0.44, 6.59, 4.47, 0.43])!;
  assert.deepEqual([value, Math.round(low), Math.round(high / 10)], [80, 14, 33]);
  // Both ways round it is the same.
  const inverse = ratio([1.25, 0.44, 6.59, 4.47, 0.43], new Array(5).fill(100))!;
  assert.ok(Math.abs(inverse.low * high - 1) < 1e-9 && Math.abs(inverse.high * low - 1) < 1e-9);
  assert.ok(Number.isFinite(ratio([1e300, 1e-300], [1, 1])!.high));
  assert.equal(ratio([0, 1], [1, 1])!.low, 0);
});

test('calls noise what repeated runs differ by', () => {
  assert.equal(noiseOf([100, 90, 110]), 0.1);
  assert.equal(
    noiseOf([50, 50, 50, 100, 100, 100]),
    50 / 2 / 75,
    'a machine that became slower is noise, too',
  );
  assert.equal(noiseOf([100]), undefined);
  assert.equal(noiseOf([0, 0]), undefined);
});

const RUNS = 4000;
for (let count = 2; count <= 15; count++) {
  test(`holds the true median in 95 of 100 cases: ${count} values`, () => {
    const source = uniform(count);
    // Skewed and with outliers; of fewer than six values, what is assumed of them: normal.
    const draw =
      count < 6 ? () => 100 + normal(source) : () => Math.exp(normal(source)) * (source() < 0.05 ? 20 : 1);
    const median = count < 6 ? 100 : medianByCounting(draw);
    let held = 0;
    for (let run = 0; run < RUNS; run++) {
      const { low, high } = estimate(Array.from({ length: count }, draw))!;
      if (low <= median && median <= high) held += 1;
    }
    assert.ok(held / RUNS >= 0.93, `${held / RUNS}`);
  });
}

function medianByCounting(draw: () => number): number {
  return Array.from({ length: 200_001 }, draw).toSorted((a, b) => a - b)[100_000]!;
}

test('holds all of several medians at once, where each has the confidence that it needs for that', () => {
  const source = uniform(77);
  let held = 0;
  for (let run = 0; run < RUNS; run++) {
    const all = Array.from({ length: 8 }, () => Array.from({ length: 9 }, () => 100 + normal(source)));
    const intervals = all.map((series) => estimate(series, confidenceOfEach(8))!);
    if (intervals.every(({ low, high }) => low <= 100 && 100 <= high)) held += 1;
  }
  assert.ok(held / RUNS >= 0.93, `${held / RUNS}`);
});

test('gives what the tables of the t distribution say', () => {
  const table = [
    [0.05, 1, 12.706],
    [0.05, 2, 4.303],
    [0.05, 3, 3.182],
    [0.05, 4, 2.776],
    [0.05, 5, 2.571],
    [0.01, 5, 4.032],
    [0.01, 10, 3.169],
    [0.05, 30, 2.042],
    [0.001, 9, 4.781],
  ] as const;
  for (const [doubt, freedom, expected] of table) {
    const quantile = studentQuantile(doubt, freedom);
    assert.ok(Math.abs(quantile - expected) < 0.0006, `${doubt}, ${freedom}: ${quantile}, not ${expected}`);
  }
});
