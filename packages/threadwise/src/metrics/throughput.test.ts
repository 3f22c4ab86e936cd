/** Counts by the second, and what they come to per second. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Throughput } from './throughput.js';

/** Counts `count` in each of these seconds. */
function counted(times: readonly (readonly [second: number, count: number])[]): Throughput {
  const throughput = new Throughput();
  for (const [second, count] of times) for (let i = 0; i < count; i++) throughput.count(second * 1000 + i);
  return throughput;
}

describe('throughput', () => {
  test('is nothing before anything happened', () => {
    assert.equal(new Throughput().rate(5_000_000), 0);
  });

  test('is what there is, within the first second', () => {
    assert.equal(counted([[100, 7]]).rate(100_900), 7);
  });

  test('leaves out the second that has not ended', () => {
    assert.equal(
      counted([
        [100, 6],
        [101, 999],
      ]).rate(101_500),
      6,
    );
  });

  test('is the mean of the last ten whole seconds', () => {
    const throughput = counted(Array.from({ length: 30 }, (_, i) => [100 + i, i < 20 ? 500 : 10]));
    assert.equal(throughput.rate(130_000), 10);
  });

  test('falls while nothing happens, down to nothing', () => {
    const throughput = counted(Array.from({ length: 10 }, (_, i) => [100 + i, 10]));
    assert.equal(throughput.rate(110_000), 10);
    assert.equal(throughput.rate(115_000), 5);
    assert.equal(throughput.rate(121_000), 0);
    assert.equal(throughput.rate(9_000_000), 0);
  });

  test('a clock that goes back does no harm', () => {
    const throughput = counted([
      [100, 4],
      [99, 1],
      [101, 4],
    ]);
    assert.ok(Number.isFinite(throughput.rate(101_000)) && Number.isFinite(throughput.rate(50_000)));
  });
});
