import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bytes,
  counted,
  duration,
  factor,
  inOneUnit,
  noise,
  part,
  perCent,
  range,
  times,
  timesAfter,
  timesFromTo,
  withRange,
} from './figures.js';

test('durations have the unit in which they are read', () => {
  const said = [0, 0.0011, 0.04, 0.0994, 0.0996, 2.5, 994, 996, 3210, 123_456].map(duration);
  assert.deepEqual(said, [
    '0 us',
    '1.1 us',
    '40 us',
    '99 us',
    '0.1 ms',
    '2.5 ms',
    '994 ms',
    '1 s',
    '3.2 s',
    '123 s',
  ]);
});

test('bytes have binary units', () => {
  const said = [0, 1, 1023, 1024, 3584, 5 * 2 ** 20, 150 * 2 ** 20, 2 ** 31, 2 ** 41].map(bytes);
  assert.deepEqual(said, [
    '0 bytes',
    '1 byte',
    '1,023 bytes',
    '1 KiB',
    '3.5 KiB',
    '5 MiB',
    '150 MiB',
    '2 GiB',
    '2,048 GiB',
  ]);
});

test('values that are compared have one unit, in which none has too many digits', () => {
  const said = (format: typeof bytes, values: number[]) => values.map(inOneUnit(format, values));
  assert.deepEqual(said(duration, [0.02, 2, 6.3, 0.058]), ['20 us', '2,000 us', '6,300 us', '58 us']);
  assert.deepEqual(said(duration, [13, 0, 0.09]), ['13 ms', '0 ms', '0.09 ms']);
  assert.deepEqual(said(duration, [0.005, 1234.5]), ['0.005 ms', '1,230 ms']);
  assert.deepEqual(said(bytes, [900 * 2 ** 20, 1.2 * 2 ** 30]), ['900 MiB', '1,230 MiB']);
  assert.deepEqual(said(duration, [0, 0]), ['0 us', '0 us']);
});

test('noise is told neither as none nor to the digit where there is nothing to see', () => {
  const all = [undefined, 0, 0.004, 0.25, 0.99, 1.37].map(noise);
  assert.deepEqual(all, ['-', '± less than 1 %', '± less than 1 %', '± 25 %', '± 99 %', '± more than 100 %']);
});

test('shares, factors and counts', () => {
  assert.deepEqual([0, 0.004, 0.256, 1].map(perCent), ['0 %', '0 %', '26 %', '100 %']);
  assert.deepEqual([0, 0.004, 0.006].map(part), ['0 %', 'less than 1 %', '1 %']);
  assert.deepEqual([0.994, 0.996, 1].map(part), ['99 %', 'more than 99 %', '100 %']);
  assert.deepEqual(
    [0.876, 1.94, 12.3, 123.4].map((value) => times({ value })),
    ['0.88 x', '1.9 x', '12 x', '123 x'],
  );
  assert.deepEqual([0.0123, 0.876, 12.34, 1234.5].map(factor), ['0.012 x', '0.88 x', '12.3 x', '1,234.5 x']);
  assert.equal(timesFromTo({ value: 1.9, low: 1.71, high: 2.04 }), '1.7 to 2 x');
  assert.equal(timesFromTo({ value: 1.9, low: 1.88, high: 1.92 }), '1.9 x');
  assert.deepEqual([counted(1, 'call'), counted(2000, 'call')], ['1 call', '2,000 calls']);
});

test('what is huge is not told to the last digit', () => {
  const huge = [999_999, 18_054_123.4, 2.036719198604642e28, Number.MAX_VALUE];
  const said = ['999,999 x', '1.8e+7 x', '2.0e+28 x', '1.8e+308 x'];
  assert.deepEqual(
    huge.map((value) => times({ value })),
    said,
  );
  assert.deepEqual(huge.map(factor), said);
});

test('what is next to nothing is not told to the digit', () => {
  for (const format of [(value: number) => times({ value }), factor]) {
    const said = [0, 3.3e-7, 0.00099, 0.000994, 0.000996, 0.00123].map(format);
    const less = 'less than 0.001 x';
    assert.deepEqual(said, ['0 x', less, less, less, '0.001 x', '0.0012 x']);
  }
  const [both, across, fromNone] = [
    { value: 3.5e-7, low: 3.3e-7, high: 3.9e-7 },
    { value: 0.0015, low: 0.0005, high: 0.002 },
    { value: 0.0005, low: 0, high: 0.0009 },
  ];
  const ways = [timesFromTo, (gain: typeof both) => range(gain, factor)];
  for (const way of ways) {
    const said = [both, across, fromNone].map(way);
    const expected = ['less than 0.001 x', 'up to 0.002 x', 'less than 0.001 x'];
    assert.deepEqual(said, expected);
  }
  assert.equal(withRange(both, factor), 'less than 0.001 x');
  assert.equal(withRange(across, factor), '0.0015 x (up to 0.002 x)');
  assert.deepEqual(
    [across, both].map((gain) => timesAfter('about', gain)),
    ['about 0.0015 x', 'less than 0.001 x'],
  );
});
