// The published way: each round starts a worker of its own, and each answer starts the next worker.
import { Worker } from 'node:worker_threads';

const module = new URL('./round-worker.js', import.meta.url);

/**
 * Resolves with the last answer that is needed; as published, more workers have been started by then.
 * @param atATime how many workers start at first; each answer starts one more
 * @param isEnding whether a worker is ended when it has answered. The published program ends none before it exits
 * @param onResult gets each result
 * @returns how many workers were started, and `close`, which ends them
 */
export async function startForEach({ atATime, rounds, argument, isEnding, onResult }) {
  const workers = [];
  let answers = 0;
  await new Promise((resolve, reject) => {
    const startNext = () => {
      const worker = new Worker(module);
      workers.push(worker);
      worker.on('error', reject);
      worker.on('message', (result) => {
        if (answers === rounds) return;
        answers++;
        onResult(result);
        if (answers === rounds) return resolve();
        startNext();
        if (isEnding) worker.terminate();
      });
      worker.postMessage(argument);
    };
    for (let i = 0; i < Math.min(atATime, rounds); i++) startNext();
  });
  return {
    started: workers.length,
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}
