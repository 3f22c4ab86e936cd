// Studies a file: in slices, with a pool; and the published way, as far as it is known: each share of the lines gets a thread.
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { merge } from './genotypes.js';

const workerModule = new URL('./share-worker.js', import.meta.url);

export async function studyInShares({ path, threads, pattern, panel }) {
  const lines = readFileSync(path, 'latin1').split('\n');
  const size = Math.ceil(lines.length / threads);
  const share = async (_, i) => {
    const workerData = { lines: lines.slice(i * size, (i + 1) * size), pattern, panel };
    const worker = new Worker(workerModule, { workerData });
    const ended = once(worker, 'exit');
    const [result] = await once(worker, 'message');
    await ended;
    return result;
  };
  return merge(await Promise.all(Array.from({ length: threads }, share)));
}

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
