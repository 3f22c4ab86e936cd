// How much a pool adds to a task that it runs on the calling thread. The task takes half a microsecond, less than a crossing.
import assert from 'node:assert/strict';
import { isOurs } from '../../contenders/threadwise.js';
import { callCounted } from '../../driver/driver.js';
import { withPool } from '../../driver/with-pool.js';
import { oneOfEach } from '../crossing/calls.js';
import { callsPerSecond, cpuMicroseconds, totalMs } from '../crossing/metrics.js';
import { workloadOf } from '../fibonacci/numbers.js';
import { ACROSS, AUTO, AWAITED, PLAIN, placed } from './ways.js';

const INDEX = 100;
const OUTSTANDING = 1000;
const workload = workloadOf(INDEX);

async function run(count, context) {
  const { contender, budget } = context;
  const { role } = contender;
  const most = role === 'published' ? budget.publishedCalls : budget.calls;
  const made = Math.min(count, most);
  const values = await withPool(placed(context), async (pool) => {
    assert.equal(workload.score(await pool.call(workload.task, INDEX)), 1, 'fibonacci(100)');
    const options = {
      count: made,
      outstanding: Math.min(count, OUTSTANDING),
      isPlain: context.way === PLAIN.id,
    };
    return callCounted(pool, workload, { ...options, ...budget });
  });
  // Fewer calls give the same rate, but not the time of all calls.
  return made === count ? values : { ...values, totalMs: undefined };
}

const scenario = (id, count, title, rest = {}) => ({
  id: `fibonacci-${id}`,
  title: `fibonacci(100), ${title}`,
  metrics: [callsPerSecond, { ...totalMs, isOptional: true }, cpuMicroseconds],
  ways: [ACROSS, AUTO],
  inlineWays: [PLAIN, AWAITED],
  takes: (contender) => contender.role === 'inline' || isOurs(contender),
  run: (context) => run(count, context),
  ...rest,
});

const outstanding = `${OUTSTANDING.toLocaleString('en-US')} outstanding`;
const OURS = 'threadwise, auto';

export const fibonacci = [
  scenario('100', 100, '100 calls at once, round after round', { isQuick: false }),
  scenario(
    '1m',
    1_000_000,
    `1,000,000 calls (published pools: the rate of at most 100,000), ${outstanding}`,
    {
      takes: oneOfEach,
      goals: [
        {
          text: 'auto at least 0.8 times the calls of an awaited loop without a pool',
          ...{ of: OURS, metric: 'callsPerSecond', by: 'times', to: 'inline, awaited', atLeast: 0.8 },
        },
      ],
      highlights: [{ metric: 'callsPerSecond', of: OURS, text: "fibonacci(100), placement: 'auto'" }],
    },
  ),
  scenario('10m', 10_000_000, `10,000,000 calls, ${outstanding}`, {
    isQuick: false,
    mostRounds: 3,
    inlineWays: [PLAIN],
  }),
];
