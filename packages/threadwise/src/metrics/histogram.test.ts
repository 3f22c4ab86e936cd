/** Quantiles from the histogram against exact ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { Histogram } from './histogram.js';

/** The error that the head of histogram.ts promises. */
const RELATIVE_ERROR = 1 / 16;
/** Values below the smallest bucket are all shown as about as large as that: 2^-14 ms. */
const RESOLUTION_MS = 2 ** -14;

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

/** The smallest value that at least the share q of all values does not exceed. */
function exactQuantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(values.length * q) - 1]!;
}

function assertClose(actual: number, exact: number, what: string): void {
  const allowed = Math.max(exact * RELATIVE_ERROR * (1 + 1e-9), RESOLUTION_MS * (1 + RELATIVE_ERROR));
  assert.ok(Math.abs(actual - exact) <= allowed, `${what}: ${actual} for exactly ${exact}`);
}

const durations = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 2 ** 26, noNaN: true, maxExcluded: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: -14, max: 25 }).map((exponent) => 2 ** exponent),
    fc.constant(0),
  ),
  { minLength: 1, maxLength: 300 },
);

describe('Histogram', () => {
  test('is all zeros without a value', () => {
    assert.deepEqual(new Histogram().snapshot(), { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  });

  test('gives quantiles within the stated relative error of the exact ones', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { p50, p90, p99 } = histogramOf(values).snapshot();
        assertClose(p50, exactQuantile(values, 0.5), 'p50');
        assertClose(p90, exactQuantile(values, 0.9), 'p90');
        assertClose(p99, exactQuantile(values, 0.99), 'p99');
      }),
      { numRuns: 500 },
    );
  });

  test('counts how many were shorter than each power of two, also of what was added', () => {
    fc.assert(
      fc.property(durations, durations, (some, others) => {
        const histogram = histogramOf(some);
        histogram.add(histogramOf(others));
        const buckets = histogram.cumulative();
        assert.deepEqual(
          [buckets[0]!.belowMs, buckets.at(-1)!.belowMs, buckets.length],
          [2 ** -6, 2 ** 16, 23],
        );
        for (const { belowMs, count } of buckets) {
          assert.equal(count, [...some, ...others].filter((value) => value < belowMs).length);
        }
      }),
    );
  });

  test('gives count and maximum exactly, and the mean up to rounding', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { count, mean, max } = histogramOf(values).snapshot();
        assert.equal(count, values.length);
        assert.equal(max, Math.max(...values));
        const ascending = values.toSorted((a, b) => a - b);
        const exact = ascending.reduce((sum, value) => sum + value, 0) / values.length;
        assert.ok(Math.abs(mean - exact) <= exact * 1e-9 + 1e-300, `${mean} for ${exact}`);
      }),
    );
  });

  test('gives quantiles in order, none above the maximum', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { p50, p90, p99, max } = histogramOf(values).snapshot();
        assert.ok(p50 <= p90 && p90 <= p99 && p99 <= max);
      }),
    );
  });

  test('does not depend on the order of the values', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { mean: _, ...forwards } = histogramOf(values).snapshot();
        const { mean: __, ...sorted } = histogramOf(values.toSorted((a, b) => b - a)).snapshot();
        assert.deepEqual(forwards, sorted);
      }),
    );
  });

  test('a single value is its own quantile, within the error and never above it', () => {
    for (const value of [0.001, 0.5, 1, 3, 1000, 123_456.7]) {
      const { p50, p99 } = histogramOf([value]).snapshot();
      assert.equal(p50, p99);
      assert.ok(p50 <= value && p50 >= value * (1 - RELATIVE_ERROR), `${p50} for ${value}`);
    }
  });

  test('takes durations beyond its range as its largest, and keeps count and maximum right', () => {
    const { count, max, p50 } = histogramOf([2 ** 30, 2 ** 40, 1]).snapshot();
    assert.equal(count, 3);
    assert.equal(max, 2 ** 40);
    assert.ok(p50 >= 2 ** 25, 'not lost among the small ones');
  });
});
