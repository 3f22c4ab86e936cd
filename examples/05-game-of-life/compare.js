// Plays the same game in one thread and on several, which must come to the same grid.
import { createPool } from 'threadwise';
import { Barrier } from 'threadwise/sync';
import { timed } from '../timing.js';
import { grid, step } from './life.js';

/** @returns milliseconds `alone` and `together`, and how many cells live in the end */
export async function compare({ width, height, generations, threads, seed }) {
  const begin = grid({ width, height, seed });
  const [expected, alone] = await timed(() => plainly(begin, { width, height, generations }));
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const [cells, together] = await timed(() => shared(pool, begin, { width, height, generations, threads }));
    if (Buffer.compare(cells, expected) !== 0) throw new Error('The threads came to another grid');
    return { alone, together, living: cells.reduce((sum, cell) => sum + cell, 0) };
  } finally {
    await pool.destroy();
  }
}

function plainly(begin, { width, height, generations }) {
  let [from, to] = [begin.slice(), new Uint8Array(begin.length)];
  for (let i = 0; i < generations; i++) {
    step(from, to, { width, height, first: 0, end: height });
    [from, to] = [to, from];
  }
  return from;
}

/** Each worker has a range of rows. The barrier keeps all workers in the same generation. */
export async function shared(pool, begin, { width, height, generations, threads }) {
  const cells = new SharedArrayBuffer(2 * begin.length);
  new Uint8Array(cells, 0, begin.length).set(begin);
  const barrier = new Barrier(threads);
  const row = (i) => Math.floor((i * height) / threads);
  const parts = Array.from({ length: threads }, (_, i) => {
    const part = {
      cells,
      barrier: barrier.buffer,
      generations,
      width,
      height,
      first: row(i),
      end: row(i + 1),
    };
    return pool.run('live', [part]).catch((error) => {
      // The other workers would wait for this one for ever.
      barrier.abort();
      throw error;
    });
  });
  await Promise.all(parts);
  return new Uint8Array(cells, (generations % 2) * begin.length, begin.length);
}
