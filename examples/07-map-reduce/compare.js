// Makes a histogram in one thread and on several, which must be equal in every number.
import { createPool } from 'threadwise';
import { Barrier } from 'threadwise/sync';
import { timed } from '../timing.js';
import { BINS, count, fill } from './collatz.js';

/** @returns milliseconds `alone` and `together`, and the histogram */
export async function compare({ count: length, threads, seed }) {
  const numbers = new Uint32Array(new SharedArrayBuffer(4 * length));
  fill(numbers, seed);
  const [expected, alone] = await timed(() => {
    const histogram = new Float64Array(BINS);
    count(numbers, histogram);
    return histogram;
  });
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const [histogram, together] = await timed(() => onThreads(pool, numbers, threads));
    if (!histogram.every((value, i) => value === expected[i]))
      throw new Error('The threads counted otherwise');
    return { alone, together, histogram };
  } finally {
    await pool.destroy();
  }
}

async function onThreads(pool, numbers, threads) {
  const histograms = new SharedArrayBuffer(8 * BINS * threads);
  const barrier = new Barrier(threads);
  const at = (i) => Math.floor((i * numbers.length) / threads);
  const parts = Array.from({ length: threads }, (_, index) => {
    const range = { index, threads, first: at(index), end: at(index + 1) };
    const part = { numbers: numbers.buffer, histograms, barrier: barrier.buffer, ...range };
    return pool.run('mapReduce', [part]).catch((error) => {
      // The other workers would wait for this one for ever.
      barrier.abort();
      throw error;
    });
  });
  await Promise.all(parts);
  return new Float64Array(histograms, 0, BINS);
}
