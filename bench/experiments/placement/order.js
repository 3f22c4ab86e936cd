// A task of about two microseconds that gets an object of 900 bytes: for a call that does not cross, what a pool adds is the
// copying of arguments and result.
import { isOurs } from '../../contenders/threadwise.js';
import { callCounted } from '../../driver/driver.js';
import { withPool } from '../../driver/with-pool.js';
import { callsPerSecond, cpuMicroseconds } from '../crossing/metrics.js';
import { ACROSS, AUTO, AWAITED, INLINE, placed } from './ways.js';

const CALLS = 100_000;

/** An order of 900 bytes as JSON. */
const order = (id) => ({
  id,
  customer: { name: 'A. Customer', street: 'Long Street 5', city: 'Berlin', zip: '10115' },
  isPaid: true,
  note: null,
  tags: ['red', 'green', 'blue'],
  lines: Array.from({ length: 9 }, (_, i) => ({
    sku: `article-7-${i}`,
    title: `A thing that is sold, no. ${i}`,
    count: 1 + i,
    price: i + 0.5,
  })),
});

/** The total of every order: each line 1 to 9 times at its price. */
const TOTAL = Array.from({ length: 9 }, (_, i) => (1 + i) * (i + 0.5)).reduce((sum, each) => sum + each);

const workload = (task) => ({
  task,
  argument: order,
  score: ({ id, total }) => id + total,
  expected: ({ id }) => ({ id, total: TOTAL }),
});

async function run(task, outstanding, context) {
  const { budget } = context;
  const count = Math.min(CALLS, budget.calls);
  return withPool(placed(context), async (pool) => {
    const { callsPerSecond, cpuMicroseconds } = await callCounted(pool, workload(task), {
      count,
      outstanding,
      ...budget,
    });
    return { callsPerSecond, cpuMicroseconds };
  });
}

const AT_LEAST = { by: 'times', to: 'inline, awaited', metric: 'callsPerSecond', atLeast: 0.6 };

const scenario = (id, what, { task, outstanding = 1, ...rest }) => ({
  id: `order-${id}`,
  title: `A task of two microseconds with an object of 900 bytes, ${what}`,
  metrics: [callsPerSecond, cpuMicroseconds],
  ways: [ACROSS, AUTO, INLINE],
  inlineWays: [AWAITED],
  takes: (contender) => contender.role === 'inline' || isOurs(contender),
  run: (context) => run(task, outstanding, context),
  goals: [AUTO, INLINE].map(({ id: way }) => ({
    text: `${way}: at least 0.6 times the calls of an awaited loop without a pool`,
    of: `threadwise, ${way}`,
    ...AT_LEAST,
  })),
  ...rest,
});

export const orders = [
  scenario('copied', 'awaited one at a time', { task: 'bill' }),
  scenario('many', '1,000 calls outstanding', { task: 'bill', outstanding: 1000, isQuick: false, goals: [] }),
];
