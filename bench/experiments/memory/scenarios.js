// One scenario for each number of idle threads.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { openReady } from '../../driver/with-pool.js';
import { mebibytes } from '../crossing/metrics.js';
import { sizesOf } from './sizes.js';

const THREADS = [0, 1, 2, 4, 8, 16];
const QUICK_THREADS = [0, 1, 4, 16];
const POOLS = ['threadwise', 'piscina', AS_PUBLISHED];

/** As little as a thread can be that does not end. */
const IDLE = "require('node:worker_threads').parentPort.on('message', () => {});";

async function run({ contender, threads, budget: { settleMs } }) {
  const opened = await open(contender, threads);
  globalThis.gc?.();
  await pause(settleMs);
  globalThis.gc?.();
  const sizes = sizesOf();
  await opened.close();
  return sizes;
}

function open(contender, threads) {
  if (threads === 0) return { close: async () => {} };
  return contender.id === AS_PUBLISHED ? openIdle(threads) : openReady(contender, threads);
}

async function openIdle(threads) {
  const workers = Array.from({ length: threads }, () => new Worker(IDLE, { eval: true }));
  await Promise.all(workers.map((worker) => once(worker, 'online')));
  return { close: () => Promise.all(workers.map((worker) => worker.terminate())) };
}

export const scenarios = THREADS.map((threads) => ({
  id: `idle-${threads}`,
  title: `The size of a process with idle threads: ${threads}`,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  metrics: [
    mebibytes('residentMiB', 'resident MiB'),
    { ...mebibytes('virtualMiB', 'virtual MiB'), isOptional: true },
  ],
  takes: ({ id }) => POOLS.includes(id),
  run,
}));
