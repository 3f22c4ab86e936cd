import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { age, bytes, count, duration, percent, rate } from './narrow.js';

test('counts', () => {
  const values = [0, 7, 99_999, 100_000, 123_456, 999_499, 999_999, 1_234_567, 45_600_000, 2e12, undefined];
  assert.deepEqual(values.map(count), [
    '0',
    '7',
    '99999',
    '100k',
    '123k',
    '999k',
    '1M',
    '1.23M',
    '45.6M',
    '2T',
    '-',
  ]);
});

test('rates', () => {
  assert.deepEqual([0, 0.25, 9.996, 81.4, 99.96, 123_456, undefined].map(rate), [
    '0',
    '0.25',
    '10',
    '81.4',
    '100',
    '123k',
    '-',
  ]);
});

test('durations', () => {
  const minute = 60_000;
  const hour = 60 * minute;
  const cases: readonly (readonly [number | undefined, string])[] = [
    [undefined, '-'],
    [0, '0'],
    [-5, '0'],
    [0.01, '0.01ms'],
    [12.25, '12.3ms'],
    [240, '240ms'],
    [999.6, '1s'],
    [1530, '1.53s'],
    [59_400, '59.4s'],
    [59_700, '1m00s'],
    [65_000, '1m05s'],
    [hour - 1, '1h00m'],
    [hour + 2 * minute, '1h02m'],
    [47 * hour, '47h00m'],
    [49 * hour, '2d01h'],
  ];
  for (const [ms, text] of cases) assert.equal(duration(ms), text, String(ms));
});

test('ages are whole seconds, and never negative: clocks differ', () => {
  assert.deepEqual([-4000, 0, 999, 12_900, 65_999, undefined].map(age), [
    '0s',
    '0s',
    '0s',
    '12s',
    '1m05s',
    '-',
  ]);
});

test('shares and bytes', () => {
  assert.deepEqual([0, 0.074, 1, undefined].map(percent), ['0%', '7%', '100%', '-']);
  assert.deepEqual([0, 1536, 120 * 2 ** 20, 1023 * 2 ** 20, undefined].map(bytes), [
    '0B',
    '1.5KiB',
    '120MiB',
    '1023MiB',
    '-',
  ]);
});

test('no figure is wider than its column', () => {
  const figure = fc.double({ min: 0, max: 1e14, noNaN: true });
  fc.assert(
    fc.property(figure, (value) => {
      assert.ok(count(value).length <= 5, count(value));
      assert.ok(rate(value).length <= 5, rate(value));
      assert.ok(bytes(value).length <= 7, bytes(value));
      const ms = value % (1000 * 24 * 3_600_000);
      assert.ok(duration(ms).length <= 7, duration(ms));
    }),
  );
});
