// How much resident memory a further worker takes, beside a bare thread.
import { setTimeout as pause } from 'node:timers/promises';
import { openReady } from '../../driver/with-pool.js';
import { oneOfEach } from './calls.js';
import { addedMebibytes } from './metrics.js';

const FEW_THREADS = 8;
const MANY_THREADS = 24;

/** Compares a pool of many threads with one of few, since not every pool can grow. What the pool itself takes is in both. */
async function run({ contender, budget: { settleMs } }) {
  const pools = [];
  const grownBy = async (threads) => {
    const before = await residentBytes(settleMs);
    pools.push(await openReady(contender, threads));
    return (await residentBytes(settleMs)) - before;
  };
  await grownBy(1); // what the first pool of a process loads
  const few = await grownBy(FEW_THREADS);
  const many = await grownBy(MANY_THREADS);
  await Promise.all(pools.map((pool) => pool.close()));
  return { perWorkerMiB: (many - few) / (MANY_THREADS - FEW_THREADS) / 2 ** 20 };
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
    metrics: [addedMebibytes('perWorkerMiB', 'MiB/worker')],
    takes: (contender) =>
      contender.id === 'bare Worker (empty)' || (contender.role !== 'inline' && oneOfEach(contender)),
    goals: [
      {
        text: 'at most 1 MiB more than a bare Worker',
        ...{ metric: 'perWorkerMiB', by: 'difference', to: 'bare', atMost: 1 },
      },
    ],
    highlights: [{ metric: 'perWorkerMiB' }],
    run,
  },
];
