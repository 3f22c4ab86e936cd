// Tasks that are far too long for the calling thread: a pool that may choose where they run must do as well as one that
// may not.
import { isOurs } from '../../contenders/threadwise.js';
import { rateOf } from '../../driver/steady-load.js';
import { withPool } from '../../driver/with-pool.js';
import { perSecond } from '../crossing/metrics.js';
import { ACROSS, AUTO, placed } from './ways.js';

const TASK_MS = 10;
const OUTSTANDING = 64;

async function run(context) {
  const { warmUpMs, sizingMs } = context.budget;
  const load = { task: 'work', argument: TASK_MS };
  // The warm-up is long enough for about a hundred tasks, from which the pool learns what they are.
  const times = { followMs: warmUpMs, measureMs: sizingMs };
  const tasksPerSecond = await withPool(placed(context), (pool) =>
    rateOf(pool, load, { outstanding: OUTSTANDING, ...times }),
  );
  return { tasksPerSecond };
}

export const longTasks = [
  {
    id: 'long-tasks',
    title: `tasks that compute for about ${TASK_MS} ms, ${OUTSTANDING} calls outstanding`,
    metrics: [perSecond('tasksPerSecond', 'tasks')],
    ways: [ACROSS, AUTO],
    takes: isOurs,
    goals: [
      {
        text: 'auto at least 0.95 times the tasks of a pool that always crosses',
        of: 'threadwise, auto',
        ...{ metric: 'tasksPerSecond', by: 'times', to: 'threadwise, across', atLeast: 0.95 },
      },
    ],
    run,
  },
];
