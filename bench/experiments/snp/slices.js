// Studies a file in slices, with a pool.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { merge } from './genotypes.js';

/** How many bytes a slice has at most: enough that the cost of a call does not count. */
const LARGEST_SLICE = 2 ** 19;
/** How many slices a file has at least, so that all threads end at about the same time. */
const FEWEST_SLICES = 32;
const OUTSTANDING = 32;

/** The workers read their slices themselves. */
export function studyByOffset(pool, { path, pattern, panel }) {
  return studySlices(pool, statSync(path).size, { path, pattern, panel });
}

/** The main thread reads the file into memory that all threads share. */
export function studyInSharedBuffer(pool, { path, pattern, panel }) {
  const { size } = statSync(path);
  const buffer = new SharedArrayBuffer(size);
  const file = openSync(path);
  const read = readSync(file, new Uint8Array(buffer), 0, size, 0);
  closeSync(file);
  return studySlices(pool, read, { buffer, pattern, panel });
}

async function studySlices(pool, size, where) {
  const parts = [];
  const slice = Math.max(1, Math.min(LARGEST_SLICE, Math.ceil(size / FEWEST_SLICES)));
  let next = 0;
  const lane = async () => {
    while (next < size) {
      const start = next;
      next = Math.min(size, start + slice);
      parts.push(await pool.call('studyGenotypes', { ...where, start, end: next }));
    }
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
  return merge(parts);
}
