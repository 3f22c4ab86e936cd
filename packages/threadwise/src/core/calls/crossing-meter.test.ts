/** What a crossing is reckoned to cost, on a clock that is told what time it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacementLearner } from '../contracts.js';
import { CrossingMeter } from './crossing-meter.js';

/** A meter for which so many calls were submitted that only some are measured. */
function meterAt(clock: { ms: number }) {
  const meter = new CrossingMeter(() => clock.ms);
  for (let i = 0; i < 64; i++) assert.equal(meter.wantsSubmission(false), true);
  return meter;
}

test('crossing meter: the first calls are measured, then one of 64, and those that are rare', () => {
  const meter = meterAt({ ms: 0 });
  const wanted = Array.from({ length: 256 }, () => meter.wantsSubmission(false));
  assert.equal(wanted.filter(Boolean).length, 4);
  assert.equal(meter.wantsSubmission(false), true);
  assert.equal(meter.wantsSubmission(true), true);
});

test('crossing meter: twice the submission, the settlement and the wake-up', () => {
  const clock = { ms: 0 };
  const meter = meterAt(clock);
  assert.equal(meter.costMs, undefined);
  meter.submitted('f', 0.01);
  // As long as no settlement was measured it is taken to be as long as a submission; results come one by one.
  assert.ok(Math.abs(meter.costMs! - 2 * (0.01 + 0.01 + 0.005)) < 1e-9);
  meter.settled();
  clock.ms += 0.002;
  meter.settled();
  assert.ok(Math.abs(meter.costMs! - 2 * (0.01 + 0.002 + 0.005)) < 1e-9);
});

test('crossing meter: results that come together share the wake-up, and the time between batches does not count', () => {
  const clock = { ms: 0 };
  const meter = meterAt(clock);
  meter.submitted('f', 0.001);
  for (let batch = 0; batch < 100; batch++) {
    for (let i = 0; i < 17; i++) {
      clock.ms += 0.001;
      meter.settled();
    }
    meter.batchEnded();
    clock.ms += 100;
  }
  assert.ok(Math.abs(meter.costMs! - 2 * (0.001 + 0.001 + 0.005 / 17)) < 1e-4, `${meter.costMs}`);
});

test('crossing meter: one call that was held up does not move the figure; a function is told its own cost', () => {
  const meter = meterAt({ ms: 0 });
  const told: unknown[] = [];
  const find = (name: string) => ({ crossed: (costMs: number) => told.push([name, costMs > 1]) });
  meter.learner = { find } as unknown as PlacementLearner;
  for (const ms of [0.001, 0.001, 5, 0.001]) meter.submitted(ms > 1 ? 'slow' : 'quick', ms);
  assert.ok(meter.costMs! < 0.02);
  assert.deepEqual(told, [
    ['quick', false],
    ['quick', false],
    ['slow', true],
    ['quick', false],
  ]);
});
