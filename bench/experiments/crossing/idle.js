// How much CPU time a pool takes that has nothing to do, and one whose only task waits.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../conclusions/statistics.js';
import { withPool } from '../../driver/with-pool.js';
import { percent } from './metrics.js';

const WARM_UP_CALLS = 200;

async function run({ budget: { idleMs, waitMs, settleMs }, ...context }) {
  return withPool(context, async (pool) => {
    for (let i = 0; i < WARM_UP_CALLS; i++) await pool.call('increment', i);
    globalThis.gc?.();
    await pause(settleMs);
    const tenths = [];
    for (let i = 0; i < 10; i++) tenths.push(await shareOfCore(() => pause(idleMs / 10)));
    // The median, because some seconds after the last call Node.js collects garbage once more, with or without a pool: 20 to 60 ms.
    const idlePercent = median(tenths);
    const waitingPercent = await shareOfCore(() => pool.call('wait', waitMs));
    return { idlePercent, waitingPercent };
  });
}

/** CPU time of the whole process during `action`, in percent of one core. */
async function shareOfCore(action) {
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await action();
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 10 / (performance.now() - start);
}

export const idle = [
  {
    id: 'idle',
    title:
      'CPU time of an idle pool (median of ten tenths), and while one task awaits a timer for a second: percent of one core',
    // Idle pools use no CPU time, and each process counts its own: so all can be measured at the same time.
    isTogether: true,
    metrics: [percent.lower('idlePercent', 'idle %'), percent.lower('waitingPercent', 'task waits %')],
    // What is measured without a pool is what the timers of Node.js and the measuring take: 0.06 to 0.2 %.
    goals: [
      {
        text: 'no CPU time when idle (at most 0.1 % more than a process without a pool)',
        ...{ metric: 'idlePercent', by: 'difference', to: 'inline', atMost: 0.1 },
      },
    ],
    highlights: [{ metric: 'idlePercent', text: 'CPU time of an idle pool' }],
    run,
  },
];
