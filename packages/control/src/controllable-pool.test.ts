/** Tests that a pool of the library fits the types of this package. That it compiles is half of the test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pool, PoolStats as RealStats } from 'threadwise';
import type { ControllablePool, PoolStats } from './controllable-pool.js';

const asControllable = (pool: Pool): ControllablePool => pool;
const asStats = (stats: RealStats): PoolStats => stats;

test('a pool of the library fits as it is', async () => {
  const { createPool } = await import('threadwise');
  const pool: Pool = createPool('data:text/javascript,export const none = () => undefined', { threads: 1 });
  const controllable = asControllable(pool);
  assert.equal(asStats(pool.stats()).state, 'open');
  for (const method of ['configure', 'pause', 'resume', 'drain', 'recycle', 'on', 'off'] as const) {
    assert.equal(typeof controllable[method], 'function', method);
  }
  await pool.close();
});
