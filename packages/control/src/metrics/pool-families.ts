/** The metrics of a pool as a whole. docs/metrics.md says what to do when one is bad. */
import { type Bucket, type Distribution, POOL_STATES, type PoolStats } from '../controllable-pool.js';
import { one, type PoolFamily, type Sample, seconds } from './family.js';

export const POOL_FAMILIES: readonly PoolFamily[] = [
  {
    name: 'threadwise_pool_state',
    type: 'gauge',
    help: '1 for the state in which the pool is, 0 for the others',
    read: (stats) =>
      POOL_STATES.map((state) => ({ labels: { state }, value: stats.state === state ? 1 : 0 })),
  },
  {
    name: 'threadwise_pool_threads',
    type: 'gauge',
    help: 'Workers that are, or will be, there for tasks, by what they do; their sum is how many there are',
    read: threadsByState,
  },
  {
    name: 'threadwise_pool_threads_limit',
    type: 'gauge',
    help: 'Bounds of the number of workers',
    read: ({ threads: { min, max } }) => [
      { labels: { bound: 'min' }, value: min },
      { labels: { bound: 'max' }, value: max },
    ],
  },
  {
    name: 'threadwise_queue_size',
    type: 'gauge',
    help: 'Tasks that wait for a worker',
    read: ({ queue }) => one(queue.size),
  },
  {
    name: 'threadwise_queue_limit',
    type: 'gauge',
    help: 'Tasks that may wait; not there if there is no limit',
    read: ({ queue }) => one(queue.limit ?? undefined),
  },
  {
    name: 'threadwise_queue_oldest_seconds',
    type: 'gauge',
    help: 'How long the task has waited that has waited longest; 0 if none waits',
    read: ({ queue }) => one(seconds(queue.oldestMs)),
  },
  {
    name: 'threadwise_tasks_submitted_total',
    type: 'counter',
    help: 'Calls that were made',
    read: ({ tasks }) => one(tasks.submitted),
  },
  {
    name: 'threadwise_tasks_total',
    type: 'counter',
    help: 'Calls that have settled, by how',
    read: tasksByOutcome,
  },
  {
    name: 'threadwise_tasks_open',
    type: 'gauge',
    help: 'Calls that have not settled: waiting and running',
    read: ({ tasks }) => one(tasks.open),
  },
  {
    name: 'threadwise_retries_total',
    type: 'counter',
    help: 'Times that a task was run again because its worker had ended under it',
    read: ({ tasks }) => one(tasks.retried),
  },
  {
    name: 'threadwise_task_run_seconds',
    type: 'histogram',
    help: 'Running time of tasks',
    read: ({ runMs, buckets }) => histogram(runMs, buckets?.runMs),
  },
  {
    name: 'threadwise_task_wait_seconds',
    type: 'histogram',
    help: 'Time of calls in which their task did not run',
    read: ({ waitMs, buckets }) => histogram(waitMs, buckets?.waitMs),
  },
  {
    name: 'threadwise_crashes_total',
    type: 'counter',
    help: 'Workers that ended though nobody asked for it',
    read: ({ crashes }) => one(crashes),
  },
  {
    name: 'threadwise_recycled_total',
    type: 'counter',
    help: 'Workers that were replaced for their age or their memory, or on request',
    read: ({ recycled }) => one(recycled),
  },
  {
    name: 'threadwise_interrupted_total',
    type: 'counter',
    help: 'Workers that were replaced because a task went on after its timeout or abort',
    read: ({ interrupted }) => one(interrupted),
  },
  {
    name: 'threadwise_coordinator_restarts_total',
    type: 'counter',
    help: "Times that the pool's coordinator was replaced; only with dispatch 'coordinator'",
    read: ({ coordinator }) => one(coordinator?.restarts),
  },
  {
    name: 'threadwise_sizing_last_decision_timestamp_seconds',
    type: 'gauge',
    help: 'When another number of workers was wanted last; not there before that',
    read: ({ sizing }) => one(sizing.decisions.at(-1) && seconds(sizing.decisions.at(-1)!.at)),
  },
  {
    name: 'threadwise_crossing_seconds',
    type: 'gauge',
    help: 'What a crossing costs in time of processors, beside running; not there as long as none was measured',
    read: ({ crossingMs }) => one(crossingMs == null ? undefined : seconds(crossingMs)),
  },
  {
    name: 'threadwise_function_calls_total',
    type: 'counter',
    help: 'Calls of a function that have ended, by where they ran',
    read: callsByFunction,
  },
  {
    name: 'threadwise_function_failures_total',
    type: 'counter',
    help: 'Calls of a function that threw, timed out, or were lost with their worker',
    read: failuresByFunction,
  },
  {
    name: 'threadwise_function_run_seconds',
    type: 'gauge',
    help: 'Running time of a function, mean of recent calls',
    read: ({ functions = [] }) =>
      functions.map(({ name, runMs }) => ({ labels: { function: name }, value: seconds(runMs) })),
  },
];

function callsByFunction({ functions = [] }: PoolStats): Sample[] {
  return functions.flatMap(({ name, calls, inline }) => [
    { labels: { function: name, place: 'threads' }, value: calls - inline },
    { labels: { function: name, place: 'inline' }, value: inline },
  ]);
}

function failuresByFunction({ functions = [] }: PoolStats): Sample[] {
  return functions.flatMap(({ name, failures, timeouts = 0 }) =>
    failures === undefined
      ? []
      : [
          { labels: { function: name, reason: 'timeout' }, value: timeouts },
          { labels: { function: name, reason: 'other' }, value: failures - timeouts },
        ],
  );
}

function threadsByState({ threads: { current, starting, idle } }: PoolStats): Sample[] {
  return [
    { labels: { state: 'starting' }, value: starting },
    { labels: { state: 'idle' }, value: idle },
    { labels: { state: 'busy' }, value: current - starting - idle },
  ];
}

function tasksByOutcome({ tasks }: PoolStats): Sample[] {
  const { completed, failed, aborted, timedOut, crashed, rejected } = tasks;
  const outcomes = { completed, failed, aborted, timed_out: timedOut, crashed, rejected };
  return Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value }));
}

/** Of an older library, which has no buckets, there is the one of all that was measured. */
function histogram({ count, mean }: Distribution, buckets: readonly Bucket[] = []): Sample[] {
  const bucket = (le: number | string, value: number): Sample => ({
    labels: { le },
    value,
    suffix: '_bucket',
  });
  return [
    ...buckets.map(({ belowMs, count: below }) => bucket(seconds(belowMs), below)),
    bucket('+Inf', count),
    { suffix: '_sum', value: seconds(mean * count) },
    { suffix: '_count', value: count },
  ];
}
