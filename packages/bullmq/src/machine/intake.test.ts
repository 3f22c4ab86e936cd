import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolStats } from 'threadwise';
import { intake } from './intake.js';

interface Given {
  current: number;
  max: number;
  p50?: number | null;
  limit?: number | null;
}

function of({ current, max, p50 = null, limit = null }: Given) {
  const runMs = { count: p50 === null ? 0 : 1, p50 };
  return { threads: { current, max }, recent: { runMs }, queue: { limit } } as unknown as PoolStats;
}

test('as many jobs as there are workers, once all are there: none lies here while another machine may be idle', () => {
  assert.equal(intake(of({ current: 4, max: 4, p50: 200 }), 1), 4);
  assert.equal(intake(of({ current: 4, max: 4 }), 10), 40);
});

test('one more for each worker where tasks are short, for fetching takes as long', () => {
  assert.equal(intake(of({ current: 4, max: 4, p50: 1 }), 1), 8);
});

test('what makes a pool grow that may grow: twice as many, and no more than it can have', () => {
  assert.equal(intake(of({ current: 1, max: 8, p50: 200 }), 1), 2);
  assert.equal(intake(of({ current: 6, max: 8, p50: 200 }), 1), 8);
  assert.equal(intake(of({ current: 0, max: 2 }), 1), 2);
});

test('no more than may wait in a pool that has a limit: it would refuse them', () => {
  assert.equal(intake(of({ current: 4, max: 4, p50: 1, limit: 0 }), 1), 4);
  assert.equal(intake(of({ current: 4, max: 4, p50: 1, limit: 3 }), 1), 7);
  assert.equal(intake(of({ current: 1, max: 8, limit: 10 }), 1), 2);
});
