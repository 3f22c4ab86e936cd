/** Growth when tasks wait, release when workers stay idle. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onDemand } from './on-demand.js';
import { load, scalingConformance } from './scaling.case.js';

scalingConformance('on-demand', onDemand);

describe('on-demand', () => {
  test('wants one more worker for each task that waits and has none', () => {
    assert.equal(onDemand.target(load({ current: 2, queued: 3 })), 5);
  });

  test('counts the workers that start already, and those that are idle', () => {
    assert.equal(onDemand.target(load({ current: 3, starting: 2, queued: 3 })), 4);
    assert.equal(onDemand.target(load({ current: 3, idle: 1, queued: 3 })), 5);
    assert.equal(onDemand.target(load({ current: 6, starting: 2, idle: 2, queued: 3 })), 6);
  });

  test('counts on the places of a worker, not on workers', () => {
    assert.equal(onDemand.target(load({ current: 1, queued: 9, tasksPerWorker: 4 })), 4);
  });

  test('starts from none when a task comes', () => {
    assert.equal(onDemand.target(load({ min: 0, current: 0, queued: 1 })), 1);
  });

  test('wants as many as there are while none has been idle for long', () => {
    assert.equal(onDemand.target(load({ current: 4, idle: 2, longestIdleMs: 999 })), 4);
  });

  test('releases one at a time once one has been idle for the timeout', () => {
    assert.equal(onDemand.target(load({ current: 4, idle: 3, longestIdleMs: 1000 })), 3);
  });

  test('releases none at the minimum, none with an infinite timeout, none while tasks wait', () => {
    const idle = { idle: 2, longestIdleMs: 1e9 };
    assert.equal(onDemand.target(load({ ...idle, min: 2, current: 2 })), 2);
    assert.equal(onDemand.target(load({ ...idle, current: 4, idleTimeoutMs: Number.POSITIVE_INFINITY })), 4);
    assert.equal(onDemand.target(load({ ...idle, current: 4, queued: 1 })), 4);
  });

  test('releases no worker that works, even with a timeout of 0', () => {
    assert.equal(onDemand.target(load({ current: 4, idle: 0, longestIdleMs: 0, idleTimeoutMs: 0 })), 4);
  });
});
