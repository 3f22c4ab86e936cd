// The published way, as far as it is known: each share of the lines gets a thread.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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
