// The published way: each of the first calls starts a worker, and whoever has answered gets the next call.
import { Worker } from 'node:worker_threads';

const module = new URL('./chained-worker.js', import.meta.url);

/** @param onResult gets each result @returns what ends the workers, when all results are there */
export async function callChained({ threads, count, argument, onResult }) {
  const workers = Array.from({ length: Math.min(threads, count) }, () => new Worker(module));
  let next = 0;
  const chain = (worker) =>
    new Promise((resolve, reject) => {
      const callNext = () => {
        if (next === count) return resolve();
        next++;
        worker.postMessage(argument);
      };
      worker.on('error', reject);
      worker.on('message', (result) => {
        onResult(result);
        callNext();
      });
      callNext();
    });
  await Promise.all(workers.map(chain));
  return { close: () => Promise.all(workers.map((worker) => worker.terminate())) };
}
