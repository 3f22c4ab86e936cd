/** What threads cost before they do anything: how long one takes until it is ready, and the memory that it holds. */
import { createPool, type Pool } from 'threadwise';
import { serveSteps } from '../../../experiment/serve.js';

export const open = async ({ module, threads }: { readonly module: string; readonly threads: number }) => {
  const pool = createPool(module, { threads: { min: 0, max: threads }, classes: 'plain' });
  await pool.ready;
  const before = process.memoryUsage.rss();
  const times = allReady(pool, threads);
  pool.resize(threads);
  const startMs = await times;
  const bytesPerThread = (process.memoryUsage.rss() - before) / threads;
  await pool.destroy();
  const readyMs = startMs.reduce((sum, ms) => sum + ms, 0) / threads;
  return { opened: { readyMs, bytesPerThread } };
};

function allReady(pool: Pool, threads: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const times: number[] = [];
    pool.on('worker:ready', ({ startMs }) => {
      times.push(startMs);
      if (times.length === threads) resolve(times);
    });
    pool.on('worker:exit', ({ reason, error }) => {
      reject(error ?? new Error(`a worker ended while it started: ${reason}`));
    });
  });
}

serveSteps(open);
