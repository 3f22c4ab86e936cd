// Loads for a pool that sizes itself, and for pools of fixed sizes beside it.
import { performance } from 'node:perf_hooks';
import { callsPerSecond } from '../crossing/metrics.js';

const SIZES = [1, 2, 3, 4, 5, 6, 7, 8];
const WAYS = [{ id: 'auto' }, ...SIZES.map((size) => ({ id: `${size} fixed` }))];
const OUTSTANDING = 64;

/** Until a pool of a fixed size is warm. */
const FIXED_MS = 1000;

const threadsOf = (way) => (way === 'auto' ? 'auto' : Number.parseInt(way, 10));

/** Each task, and what it is given. `parts`: of the task's time, milliseconds. */
const LOADS = {
  compute: { text: 'tasks that compute for 5 ms', task: 'busy', argument: 5 },
  block: {
    text: 'tasks that block their thread for 10 ms (Atomics.wait, for a slow call)',
    task: 'block',
    argument: 10,
  },
  wait: { text: 'tasks that await a timer of 10 ms', task: 'wait', argument: 10 },
  mixed: {
    text: 'tasks that compute for 3 ms and block for 3 ms',
    task: 'busyThenBlock',
    argument: { busyMs: 3, blockMs: 3 },
  },
};

/** Keeps calls open until `stop` is called; counts those that have settled. */
function keepCalling(pool, { task, argument }) {
  const state = { count: 0, isStopped: false };
  const lane = async () => {
    while (!state.isStopped) {
      await pool.call(task, argument);
      state.count++;
    }
  };
  const ended = Promise.all(Array.from({ length: OUTSTANDING }, lane));
  return {
    count: () => state.count,
    stop: () => {
      state.isStopped = true;
      return ended;
    },
  };
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls a second, over `measureMs`, after `followMs` in which the pool may find its size. */
async function rateOf(pool, load, { followMs, sizingMs }) {
  const calling = keepCalling(pool, load);
  await pause(followMs);
  const [count, start] = [calling.count(), performance.now()];
  await pause(sizingMs);
  const rate = ((calling.count() - count) * 1000) / (performance.now() - start);
  await calling.stop();
  return rate;
}

/** @param measure gets the open pool and the times: a fixed size has nothing to find out. */
async function withSize({ contender, way, budget }, measure) {
  const pool = await contender.open({ threads: threadsOf(way) });
  const followMs = way === 'auto' ? budget.followMs : Math.min(FIXED_MS, budget.followMs);
  const values = await measure(pool, { ...budget, followMs });
  await pool.close();
  return values;
}

const takesOurs = ({ id }) => id === 'threadwise';

const goal = {
  text: 'auto, after 5 s, at least 0.95 times the best size',
  of: 'threadwise, auto',
  metric: 'callsPerSecond',
  by: 'times',
  to: 'ours',
  atLeast: 0.95,
};

export const steady = Object.entries(LOADS).map(([id, load]) => ({
  id,
  title: `${load.text}, ${OUTSTANDING} calls outstanding`,
  metrics: [callsPerSecond],
  ways: WAYS,
  takes: takesOurs,
  goals: [goal],
  highlights: [{ metric: 'callsPerSecond', of: 'threadwise, auto', text: load.text }],
  run: (context) =>
    withSize(context, async (pool, budget) => ({ callsPerSecond: await rateOf(pool, load, budget) })),
}));

/** One after the other in the same pool; each has to be followed within the time. The sum of what gets done. */
export const changing = {
  id: 'changing',
  title: `first tasks that compute, then tasks that block, then tasks that compute, ${OUTSTANDING} calls outstanding`,
  metrics: [callsPerSecond],
  ways: WAYS,
  takes: takesOurs,
  goals: [goal],
  run: (context) =>
    withSize(context, async (pool, budget) => {
      let sum = 0;
      for (const id of ['compute', 'block', 'compute']) sum += await rateOf(pool, LOADS[id], budget);
      return { callsPerSecond: sum / 3 };
    }),
};
