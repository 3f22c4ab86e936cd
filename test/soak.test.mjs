// Soak test: millions of calls do not make the memory of the process grow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { moduleUrl } from './fixtures/helpers.mjs';
import { inUseMiB } from './fixtures/modules/memory.mjs';

const CALLS = Number(process.env.SOAK_CALLS ?? 2_000_000);
const THREADS = 2;
/** How many calls are open at a time. */
const WIDTH = 500;
/** How many samples of the memory are taken, evenly over the calls. */
const SAMPLES = 40;
/**
 * How many MiB the memory in use may grow from the second quarter of the samples to the last, half of the calls later:
 * four bytes for each call between. It grew by at most 0.5 MiB on any version.
 */
const ALLOWED_IN_USE_GROWTH_MIB = 4;
/**
 * How many MiB the resident memory may grow: 67 bytes for each call between. It shows less, because garbage and free
 * memory are part of it: it grows once in steps of up to 28 MiB, on a loaded machine as late as in the last half.
 */
const ALLOWED_RESIDENT_GROWTH_MIB = 64;

/** How much the mean of the last quarter exceeds that of the second; in the first the heaps find their size. */
function growth(samples) {
  const mean = (from, to) => samples.slice(from, to).reduce((a, b) => a + b, 0) / (to - from);
  return mean((SAMPLES * 3) / 4, SAMPLES) - mean(SAMPLES / 4, SAMPLES / 2);
}

test(`${CALLS.toLocaleString('en')} calls leave the memory in use flat, and the resident memory`, async () => {
  const pool = createPool(moduleUrl('memory.mjs'), { threads: THREADS, timeoutMs: 60_000 });
  const samples = { inUse: [], resident: [] };
  const takeSample = async () => {
    samples.resident.push(process.memoryUsage.rss() / 2 ** 20);
    const threads = [inUseMiB(), ...(await pool.broadcast('inUseMiB'))];
    samples.inUse.push(threads.reduce((a, b) => a + b, 0));
  };
  let made = 0;
  const lane = async () => {
    while (made < CALLS) {
      const i = made++;
      if (i % (CALLS / SAMPLES) === 0) await takeSample();
      // Keys and objects have bookkeeping of their own that could leak.
      const options = i % 10 === 0 ? { key: i % 1000 } : undefined;
      const result =
        i % 5 === 0 ? (await pool.run('echo', [{ id: i }], options)).id : await pool.run('echo', [i]);
      if (result !== i) throw new Error(`call ${i} gave ${result}`);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  assert.equal(pool.stats().tasks.completed, CALLS + SAMPLES * THREADS);
  await pool.close();
  for (const [what, allowed] of [
    ['inUse', ALLOWED_IN_USE_GROWTH_MIB],
    ['resident', ALLOWED_RESIDENT_GROWTH_MIB],
  ]) {
    const grown = growth(samples[what]);
    const shown = samples[what].map((value) => value.toFixed(1)).join(' ');
    assert.ok(grown < allowed, `${what}: grown by ${grown.toFixed(1)} MiB: ${shown}`);
  }
});
