// What a pool adds to a task when the pool has nothing else to do: its threads sleep, and must be woken.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../conclusions/statistics.js';
import { withPool } from '../../driver/with-pool.js';
import { microseconds } from './metrics.js';

const DURATIONS = [1, 5, 20];
/** How many milliseconds pass between two calls, so that the pool is idle. */
const PAUSE_MS = 10;
/** How many milliseconds the pool is idle: longer than any thread may stay awake. */
const IDLE_MS = 120;
const WARM_UP_CALLS = 200;

const kinds = ['busy', 'wait'].flatMap((task) =>
  DURATIONS.map((ms) => ({ id: `${task}${ms}Microseconds`, task, ms, label: `${task} ${ms} ms +us` })),
);
const afterIdle = microseconds('afterIdleMicroseconds', 'after 120 ms us');

async function run({ budget: { repeats }, ...context }) {
  return withPool(context, async (pool) => {
    for (let i = 0; i < WARM_UP_CALLS; i++) await pool.call('increment', i);
    const values = {};
    for (const { id, task, ms } of kinds) {
      values[id] = await medianOf(repeats, PAUSE_MS, () => addedTo(pool, task, ms));
    }
    values[afterIdle.id] = await medianOf(repeats, IDLE_MS, () => timed(() => pool.call('increment', 1)));
    return values;
  });
}

async function medianOf(repeats, pauseMs, measure) {
  const samples = [];
  for (let i = 0; i < repeats; i++) {
    await pause(pauseMs);
    samples.push(await measure());
  }
  return 1000 * median(samples);
}

/** How many milliseconds longer a call took than its task ran. */
async function addedTo(pool, task, ms) {
  let span;
  const total = await timed(async () => {
    span = await pool.call(task, ms);
  });
  return total - (span.ended - span.began);
}

async function timed(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

const atMostPiscinas = (metric, text) => ({ text, metric, by: 'share', to: 'piscina', atMost: 1 });

function goalOf({ id, task, ms }) {
  const does = task === 'busy' ? 'computes' : 'awaits a timer';
  return atMostPiscinas(id, `added to a task that ${does} for ${ms} ms: not more than piscina adds`);
}

export const quiet = [
  {
    id: 'quiet',
    title: 'One task sent to an idle pool: time added to it; first call after idleness',
    metrics: [...kinds.map(({ id, label }) => microseconds(id, label)), afterIdle],
    takes: ({ id, role }) => id === 'threadwise' || role === 'published',
    goals: [
      ...kinds.map(goalOf),
      atMostPiscinas(afterIdle.id, 'the first call after 120 ms: not longer than with piscina'),
    ],
    highlights: [
      { metric: 'busy5Microseconds', text: 'Added to one task of 5 ms on an idle pool' },
      { metric: afterIdle.id, text: 'First call after 120 ms of idleness' },
    ],
    run,
  },
];
