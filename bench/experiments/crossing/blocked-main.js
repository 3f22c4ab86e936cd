// How busy the threads are while the main thread is blocked: they only have the work that it handed out before.
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneOfEach } from './calls.js';
import { sharedNow } from '../../driver/clock.js';
import { withPool } from '../../driver/with-pool.js';
import { milliseconds, percent } from './metrics.js';

const TASK_MS = 0.2;
/** How many times the work that fits into the block is queued: some of it runs before, and no thread may run out of it. */
const RESERVE = 1.5;
const WARM_UP_CALLS = 1000;

async function run({ budget: { blockMs }, ...context }) {
  const { threads } = context;
  return withPool(context, async (pool) => {
    await callAll(pool, WARM_UP_CALLS);
    const count = Math.ceil((RESERVE * threads * blockMs) / TASK_MS);
    const start = performance.now();
    const calls = callAll(pool, count);
    await nextTurn(); // contenders may hand out at the end of a turn
    const block = blockFor(blockMs);
    const spans = await calls;
    const total = performance.now() - start;
    const busyMs = spans.reduce((sum, span) => sum + overlap(span, block), 0);
    return { busyPercent: (100 * busyMs) / ((block.ended - block.began) * threads), totalMs: total };
  });
}

const callAll = (pool, count) => Promise.all(Array.from({ length: count }, () => pool.call('busy', TASK_MS)));

/** Sleeps instead of computing: this measures pools, and not how threads share too few cores. */
function blockFor(ms) {
  const began = sharedNow();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return { began, ended: sharedNow() };
}

const overlap = (a, b) => Math.max(0, Math.min(a.ended, b.ended) - Math.max(a.began, b.began));

export const blockedMain = [
  {
    id: 'blocked-main',
    title: 'The main thread blocked for 500 ms, with tasks of 0.2 ms queued: how busy the threads are',
    metrics: [percent.higher('busyPercent', 'busy %'), milliseconds('totalMs', 'all tasks ms')],
    takes: (contender) => contender.role !== 'inline' && oneOfEach(contender),
    goals: [{ text: 'threads at least 95 % busy', metric: 'busyPercent', atLeast: 95 }],
    highlights: [
      { metric: 'busyPercent', text: 'Main thread blocked for 500 ms, tasks queued: threads busy' },
    ],
    run,
  },
];
