/** How the time is split. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsFor, planRounds, warmMsFor } from './schedule.js';

test('a minute is enough for the rounds that an interval needs, and is not exceeded', () => {
  for (const lanes of [2, 3, 4]) {
    const { rounds, sliceMs, rampMs } = planRounds(45_000, lanes);
    assert.ok(rounds >= 7, `${rounds} rounds`);
    assert.ok(rounds * lanes * (sliceMs + rampMs) <= 45_000);
  }
});

test('where the app is slow to react, slices are shorter before rounds are fewer', () => {
  const quick = planRounds(45_000, 3, 60);
  const slow = planRounds(45_000, 3, 1000);
  assert.ok(slow.sliceMs < quick.sliceMs);
  assert.ok(slow.rounds >= 7, `${slow.rounds} rounds`);
  assert.ok(slow.rounds * 3 * (slow.sliceMs + slow.rampMs + 1000) <= 45_000);
});

test('with hardly any time there is still one round', () => {
  assert.equal(planRounds(0, 4).rounds, 1);
  assert.ok(planRounds(0, 4).sliceMs > 0);
});

test('warm-up takes a part of the time, never all of it', () => {
  assert.ok(4 * warmMsFor(60_000, 4) <= 15_000);
  assert.ok(warmMsFor(0, 4) > 0);
});

test('slow requests get fewer connections, so that a slice holds several of each', () => {
  assert.equal(connectionsFor(50, 10_000, 1000, 2), 50);
  assert.equal(connectionsFor(50, 100, 1000, 2), 25);
  assert.equal(connectionsFor(50, 1, 1000, 2), 8, 'enough for two processes');
  assert.equal(connectionsFor(3, 1, 1000, 2), 3, 'never more than were asked for');
});
