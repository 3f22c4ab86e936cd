/** What threads cost before they do anything: how long one takes until it is ready, and the memory that it holds. */
import { mean } from 'd3-array';
import { createPool } from 'threadwise';
import { residentBytes } from '../../../experiment/gauges.js';
import { serveSteps } from '../../../experiment/serve.js';

export const open = async ({ module, threads }: { readonly module: string; readonly threads: number }) => {
  const pool = createPool(module, { threads: { min: 0, max: threads }, classes: 'plain' });
  await pool.ready;
  const before = residentBytes();
  const startMs: number[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    pool.on('worker:ready', (of) => startMs.push(of.startMs) === threads && resolve());
    pool.on('worker:exit', ({ reason, error }) => {
      reject(error ?? new Error(`a worker ended while it started: ${reason}`));
    });
  });
  pool.resize(threads);
  await ready;
  const bytesPerThread = (residentBytes() - before) / threads;
  await pool.destroy();
  return { opened: { readyMs: mean(startMs)!, bytesPerThread } };
};

serveSteps(open);
