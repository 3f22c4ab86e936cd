/** Growth when tasks wait, release when workers stay idle. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoadView, Scaling } from '../../core/contracts.js';
import { onDemand } from './on-demand.js';
import { load, scalingConformance } from './scaling.case.js';

scalingConformance('on-demand', onDemand as Scaling);

const target = (view: LoadView) => onDemand.decide(view, undefined).target;

describe('on-demand', () => {
  test('wants one more worker for each task that waits and has none', () => {
    assert.equal(target(load({ current: 2, queued: 3 })), 5);
  });

  test('counts the workers that start already, and those that are idle', () => {
    assert.equal(target(load({ current: 3, starting: 2, queued: 3 })), 4);
    assert.equal(target(load({ current: 3, idle: 1, queued: 3 })), 5);
    assert.equal(target(load({ current: 6, starting: 2, idle: 2, queued: 3 })), 6);
  });

  test('counts on the places of a worker, not on workers', () => {
    assert.equal(target(load({ current: 1, queued: 9, tasksPerWorker: 4 })), 4);
  });

  test('starts from none when a task comes', () => {
    assert.equal(target(load({ min: 0, current: 0, queued: 1 })), 1);
  });

  test('wants as many as there are while none has been idle for long', () => {
    assert.equal(target(load({ current: 4, idle: 2, longestIdleMs: 999 })), 4);
  });

  test('releases one at a time once one has been idle for the timeout', () => {
    assert.equal(target(load({ current: 4, idle: 3, longestIdleMs: 1000 })), 3);
  });

  test('releases none at the minimum, none with an infinite timeout, none while tasks wait', () => {
    const idle = { idle: 2, longestIdleMs: 1e9 };
    assert.equal(target(load({ ...idle, min: 2, current: 2 })), 2);
    assert.equal(target(load({ ...idle, current: 4, idleTimeoutMs: Number.POSITIVE_INFINITY })), 4);
    assert.equal(target(load({ ...idle, current: 4, queued: 1 })), 4);
  });

  test('releases no worker that works, even with a timeout of 0', () => {
    assert.equal(target(load({ current: 4, idle: 0, longestIdleMs: 0, idleTimeoutMs: 0 })), 4);
  });

  test('wants to be asked again when the timeout of the one that is idle longest is over', () => {
    const againMs = (given: Partial<LoadView>) => onDemand.decide(load(given), undefined).againMs;
    assert.equal(againMs({ current: 2, idle: 1, longestIdleMs: 400 }), 600);
    assert.equal(againMs({ current: 2, idle: 1, longestIdleMs: 1500, queued: 1 }), 1, 'late');
    assert.equal(againMs({ current: 1, idle: 1 }), undefined, 'none may go');
    assert.equal(againMs({ current: 2 }), 1000, 'none is idle now');
    assert.equal(againMs({ current: 2, idle: 1, idleTimeoutMs: Number.POSITIVE_INFINITY }), undefined);
  });

  test('says what it saw', () => {
    assert.equal(onDemand.decide(load({ queued: 1 }), undefined).why, '1 task waits for a worker');
    const idle = load({ current: 2, idle: 1, longestIdleMs: 1200.4 });
    assert.equal(onDemand.decide(idle, undefined).why, 'a worker has been idle for 1200 ms');
  });
});
