// The soak: two million calls leave the memory of the process flat.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { tasksUrl } from './fixtures/helpers.mjs';

const CALLS = Number(process.env.SOAK_CALLS ?? 2_000_000);
/** Calls outstanding at a time. */
const WIDTH = 500;
/** Samples of the resident memory, evenly over the calls. */
const SAMPLES = 40;
/** A leak of one small object for each call would be a hundred times that. */
const ALLOWED_GROWTH_MIB = 24;

test('two million calls leave the resident memory flat', async () => {
  const pool = createPool(tasksUrl, { threads: 2, timeoutMs: 60_000 });
  const samples = [];
  let made = 0;
  const lane = async () => {
    while (made < CALLS) {
      const i = made++;
      if (i % (CALLS / SAMPLES) === 0) samples.push(process.memoryUsage.rss() / 2 ** 20);
      // Timeouts, keys and objects have bookkeeping of their own that could leak.
      const options = i % 10 === 0 ? { key: i % 1000 } : undefined;
      const result =
        i % 5 === 0 ? (await pool.run('echo', [{ id: i }], options)).id : await pool.run('echo', [i]);
      if (result !== i) throw new Error(`call ${i} gave ${result}`);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  assert.equal(pool.stats().tasks.completed, CALLS);
  await pool.close();
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const [early, late] = [
    mean(samples.slice(SAMPLES / 4, SAMPLES / 2)),
    mean(samples.slice((SAMPLES * 3) / 4)),
  ];
  const shown = samples.map(Math.round).join(' ');
  assert.ok(late - early < ALLOWED_GROWTH_MIB, `from ${early} to ${late} MiB: ${shown}`);
});
