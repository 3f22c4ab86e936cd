// What a further worker costs in resident memory, beside the least that a thread costs.
import { setTimeout as pause } from 'node:timers/promises';
import { openReady } from '../../driver/with-pool.js';
import { mebibytes } from './metrics.js';

const FURTHER_THREADS = 8;

/** One thread and then eight more, of a second pool, since few can grow: what that costs itself is spread over them. */
async function run({ contender, budget: { settleMs } }) {
  const first = await openReady(contender, 1);
  const before = await residentBytes(settleMs);
  const others = await openReady(contender, FURTHER_THREADS);
  const after = await residentBytes(settleMs);
  await Promise.all([first.close(), others.close()]);
  return { perWorkerMiB: Math.max(0, after - before) / FURTHER_THREADS / 2 ** 20 };
}

async function residentBytes(settleMs) {
  globalThis.gc?.();
  await pause(settleMs);
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

export const memory = [
  {
    id: 'memory',
    title: 'Resident memory of each further worker',
    metrics: [mebibytes('perWorkerMiB', 'MiB/worker')],
    takes: ({ role, id }) => role === 'ours' || ['piscina', 'bare Worker (empty)'].includes(id),
    goals: [
      {
        text: 'at most 1.5 MiB more than a bare Worker',
        metric: 'perWorkerMiB',
        by: 'difference',
        to: 'bare',
        atMost: 1.5,
      },
    ],
    highlights: [{ metric: 'perWorkerMiB' }],
    run,
  },
];
