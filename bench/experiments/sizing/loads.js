// Loads for a pool that sizes itself, and for pools of fixed sizes.
import { isOurs } from '../../contenders/threadwise.js';
import { rateOf } from '../../driver/steady-load.js';
import { callsPerSecond } from '../crossing/metrics.js';

const SIZES = [1, 2, 4, 8];
/** The sizes and the loads of a quick run. */
const QUICK = { sizes: [1, 2, 4], loads: ['compute', 'block', 'wait'] };
const WAYS = [
  { id: 'auto' },
  ...SIZES.map((size) => ({ id: `${size} fixed`, isQuick: QUICK.sizes.includes(size) })),
];
/** The best size for one part of a load that changes, and that for the other. */
const CHANGING_SIZES = [2, 8];
const OUTSTANDING = 64;

/** How many milliseconds a pool of a fixed size gets to warm up. */
const FIXED_MS = 500;

const threadsOf = (way) => (way === 'auto' ? 'auto' : Number.parseInt(way, 10));

/** The loads: each is a task and its argument. */
const LOADS = {
  compute: { text: 'tasks that compute for about 5 ms', task: 'work', argument: 5 },
  block: {
    text: 'tasks that block their thread for 10 ms (Atomics.wait, for a slow call)',
    task: 'block',
    argument: 10,
  },
  wait: { text: 'tasks that await a timer of 10 ms', task: 'wait', argument: 10 },
  mixed: {
    text: 'tasks that compute for about 3 ms and block for 3 ms',
    task: 'workThenBlock',
    argument: { workMs: 3, blockMs: 3 },
  },
};

/**
 * @param measure gets a function that measures the rate of a load, after `followMs` in which the pool may find its size; a
 *   fixed size only warms up
 */
async function withSize({ contender, way, budget }, measure) {
  const pool = await contender.open({ threads: threadsOf(way) });
  const followMs = way === 'auto' ? budget.followMs : Math.min(FIXED_MS, budget.followMs);
  const times = { followMs, measureMs: budget.sizingMs };
  const values = await measure((load) => rateOf(pool, load, { outstanding: OUTSTANDING, ...times }));
  await pool.close();
  return values;
}

const goal = {
  text: 'auto, after 5 s, at least 0.95 times the best size',
  ...{ of: 'threadwise, auto', metric: 'callsPerSecond', by: 'times', to: 'ours', atLeast: 0.95 },
};

export const steady = Object.entries(LOADS).map(([id, load]) => ({
  id,
  title: `${load.text}, ${OUTSTANDING} calls outstanding`,
  metrics: [callsPerSecond],
  ways: WAYS,
  takes: isOurs,
  isQuick: QUICK.loads.includes(id),
  goals: [goal],
  highlights: [{ metric: 'callsPerSecond', of: 'threadwise, auto', text: load.text }],
  run: (context) => withSize(context, async (rate) => ({ callsPerSecond: await rate(load) })),
}));

/** Three loads, one after the other in the same pool, each of which it has to follow in time. The figure is their mean rate. */
export const changing = {
  id: 'changing',
  title: `first tasks that compute, then tasks that block, then tasks that compute, ${OUTSTANDING} calls outstanding`,
  metrics: [callsPerSecond],
  ways: WAYS.filter(({ id }) => id === 'auto' || CHANGING_SIZES.includes(threadsOf(id))),
  takes: isOurs,
  isQuick: false, // three loads take too long
  goals: [goal],
  run: (context) =>
    withSize(context, async (rate) => {
      let sum = 0;
      for (const id of ['compute', 'block', 'compute']) sum += await rate(LOADS[id]);
      return { callsPerSecond: sum / 3 };
    }),
};
