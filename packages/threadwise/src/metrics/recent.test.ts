/** Quantiles of a window, from counts that only grow. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Histogram } from './histogram.js';
import { Recent, type RecentTimes } from './recent.js';

/** Looks, and calls that ran and waited between them. */
class Timeline {
  readonly #recent = new Recent(0);
  #run = new Histogram();

  ran(ms: number, times = 1): void {
    this.#run.record(ms, times);
  }

  /** The look gets a copy that nobody changes afterwards, as the recorder's does. */
  look(at: number): RecentTimes {
    const run = new Histogram();
    run.add(this.#run);
    return this.#recent.times({ at, run, wait: run });
  }
}

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) <= expected / 16, `${actual} is not ${expected} within 1/16`);

describe('times of calls that ended lately', () => {
  test('are all there are, at the first look', () => {
    const line = new Timeline();
    line.ran(3, 10);
    const { ms, runMs } = line.look(4000);
    assert.deepEqual([ms, runMs.count], [4000, 10]);
    near(runMs.p50, 3);
  });

  test('do not have what ended more than ten seconds ago', () => {
    const line = new Timeline();
    for (let at = 0; at < 60_000; at += 1000) {
      line.ran(at < 40_000 ? 500 : 2);
      line.look(at);
    }
    const { ms, runMs } = line.look(60_000);
    assert.deepEqual([ms, runMs.count], [10_000, 9], 'the calls of the seconds 51 to 59');
    for (const value of [runMs.p50, runMs.p99, runMs.max, runMs.mean]) near(value, 2);
  });

  test('are nothing when nothing ended since', () => {
    const line = new Timeline();
    line.ran(7);
    for (let at = 0; at <= 20_000; at += 1000) line.look(at);
    const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
    assert.deepEqual(line.look(20_500).runMs, none);
  });

  test('reach back to the last look, if that is longer ago, and say so', () => {
    const line = new Timeline();
    line.ran(9);
    line.look(5000);
    line.ran(1);
    const { ms, runMs } = line.look(65_000);
    assert.deepEqual([ms, runMs.count], [60_000, 1]);
    near(runMs.max, 1);
  });

  test('are of ten seconds however often somebody looks', () => {
    const line = new Timeline();
    for (let at = 0; at <= 30_000; at += 50) line.look(at);
    const { ms } = line.look(30_000);
    assert.ok(ms >= 10_000 && ms < 11_000, `${ms}`);
  });

  test('a clock that goes back does no harm', () => {
    const line = new Timeline();
    line.ran(1);
    line.look(50_000);
    assert.equal(line.look(20_000).ms, 20_000);
  });
});
