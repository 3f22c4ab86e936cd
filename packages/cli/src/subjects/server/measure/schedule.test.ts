/** How the time is split into slices, ramps and warm-up, and how many connections fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsFor, leastMsFor, rampMsFor, sliceMsFor, warmMsFor } from './measure.js';

const roundMs = (lanes: number, sliceMs: number, handOverMs = 0) =>
  lanes * (sliceMs + rampMsFor(sliceMs) + handOverMs);

test('a minute is enough for the rounds that an interval needs', () => {
  for (const lanes of [2, 3, 4]) assert.ok(7 * roundMs(lanes, sliceMsFor(45_000, lanes)) <= 45_000);
});

test('where the app is slow to react, slices are shorter before rounds are fewer', () => {
  const slow = sliceMsFor(45_000, 3, 1000);
  assert.ok(slow < sliceMsFor(45_000, 3, 60));
  assert.ok(7 * roundMs(3, slow, 1000) <= 45_000);
});

test('with hardly any time a slice is not nothing', () => {
  assert.ok(sliceMsFor(0, 4) > 0);
});

test('the shortest slice has time for an answer on each connection, and needs no more', () => {
  assert.equal(leastMsFor(50, 100), 500);
  assert.equal(leastMsFor(50, 10_000), sliceMsFor(0, 4));
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
