// Aggregates and searches a genotype file with a pool, and compares that with a single pass.
import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { createPool } from 'threadwise';
import { slicesOf } from './slices.js';
import { aggregate, merge, search } from './tasks.js';

const taskModule = new URL('./tasks.js', import.meta.url);
/** How many bytes a slice has: enough that the cost of a call does not count, and so few that all threads end at about the same time. */
const SLICE = 2 ** 19;

/** Counts with a pool: each slice is a task, and results are added in any order. */
export async function aggregateWith(pool, path) {
  let total = merge(undefined, { records: 0, counts: [] });
  const slices = slicesOf(path, statSync(path).size, SLICE);
  for await (const part of pool.map('aggregate', slices, { ordered: false })) total = merge(total, part);
  return sorted(total);
}

/** Searches with a pool. The records are in the order of the file. */
export async function searchWith(pool, path, query) {
  const found = [];
  function* queries() {
    for (const slice of slicesOf(path, statSync(path).size, SLICE)) yield { ...slice, ...query };
  }
  for await (const records of pool.map('search', queries())) found.push(...records);
  return found;
}

/** Counts and searches in one pass on this thread. */
export function inOnePass(path, query) {
  const whole = { path, start: 0, end: statSync(path).size };
  return {
    total: sorted(merge(undefined, aggregate(whole))),
    found: search({ ...whole, ...query }),
  };
}

/** Sorts counts by chromosome, so that two results can be compared. */
function sorted({ records, counts }) {
  const rank = (chromosome) => Number(chromosome) || 100 + ['X', 'Y', 'MT'].indexOf(chromosome);
  const inOrder = counts.toSorted(
    ([a, x], [b, y]) => rank(a) - rank(b) || a.localeCompare(b) || x.localeCompare(y),
  );
  return { records, counts: inOrder };
}

/** Runs every number of threads. Throws unless each finds the same as one pass. */
export async function compare({ path, threads, query }) {
  let start = performance.now();
  const expected = inOnePass(path, query);
  const rows = [{ threads: 'inline', milliseconds: performance.now() - start }];
  for (const n of threads) {
    const pool = createPool(taskModule, { threads: n });
    try {
      await pool.ready;
      start = performance.now();
      const total = await aggregateWith(pool, path);
      const found = await searchWith(pool, path, query);
      rows.push({ threads: n, milliseconds: performance.now() - start });
      if (!isDeepStrictEqual({ total, found }, expected))
        throw new Error(`${n} threads found something else`);
    } finally {
      await pool.close();
    }
  }
  return { ...expected, rows };
}
