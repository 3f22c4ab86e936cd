/** The metrics of a pool and its threads. docs/metrics.md says what to do when one is bad. */
import {
  type Bucket,
  type Distribution,
  POOL_STATES,
  type PoolStats,
  type WorkerStats,
} from '../controllable-pool.js';
import { by, counter, type Families, gauge, histogram, type Sample, seconds } from './family.js';

export const POOL_FAMILIES: Families<PoolStats> = {
  threadwise_pool_state: gauge('1 for the state in which the pool is, 0 for the others', (stats) =>
    POOL_STATES.map((state) => ({ labels: { state }, value: stats.state === state ? 1 : 0 })),
  ),
  threadwise_pool_threads: gauge(
    'Workers that are, or will be, there for tasks, by what they do; their sum is how many there are',
    ({ threads: { current, starting, idle } }) =>
      by('state', { starting, idle, busy: current - starting - idle }),
  ),
  threadwise_pool_threads_limit: gauge('Bounds of the number of workers', ({ threads: { min, max } }) =>
    by('bound', { min, max }),
  ),
  threadwise_queue_size: gauge('Tasks that wait for a worker', ({ queue }) => queue.size),
  threadwise_queue_limit: gauge(
    'How many tasks may wait; absent if there is no limit',
    ({ queue }) => queue.limit,
  ),
  threadwise_queue_oldest_seconds: gauge(
    'How long the oldest task that waits has waited; 0 if none waits',
    ({ queue }) => seconds(queue.oldestMs),
  ),
  threadwise_tasks_submitted_total: counter('Calls that were accepted', ({ tasks }) => tasks.submitted),
  threadwise_tasks_total: counter('Calls that have settled, by how', ({ tasks }) => {
    const { completed, failed, aborted, timedOut, crashed, rejected } = tasks;
    return by('outcome', { completed, failed, aborted, timed_out: timedOut, crashed, rejected });
  }),
  threadwise_tasks_open: gauge('Calls that have not settled: waiting and running', ({ tasks }) => tasks.open),
  threadwise_retries_total: counter(
    'Times that a task was run again because its worker had ended under it',
    ({ tasks }) => tasks.retried,
  ),
  threadwise_task_run_seconds: histogram('Running time of tasks', ({ runMs, buckets }) =>
    samplesOf(runMs, buckets?.runMs),
  ),
  threadwise_task_wait_seconds: histogram(
    'Time of calls in which their task did not run',
    ({ waitMs, buckets }) => samplesOf(waitMs, buckets?.waitMs),
  ),
  threadwise_crashes_total: counter('Workers that ended without being told to', ({ crashes }) => crashes),
  threadwise_recycled_total: counter(
    'Workers that were replaced after their number of tasks, for their memory, or on request',
    ({ recycled }) => recycled,
  ),
  threadwise_interrupted_total: counter(
    'Workers that were replaced because a task went on after its timeout or abort',
    ({ interrupted }) => interrupted,
  ),
  threadwise_coordinator_restarts_total: counter(
    "Times that the pool's coordinator was replaced; only with dispatch 'coordinator'",
    ({ coordinator }) => coordinator?.restarts,
  ),
  threadwise_sizing_last_decision_timestamp_seconds: gauge(
    'When the pool last decided to have another number of workers; absent before the first decision',
    ({ sizing }) => sizing.decisions.slice(-1).map(({ at }) => ({ value: seconds(at) })),
  ),
  threadwise_crossing_seconds: gauge(
    'About how much CPU time a crossing costs, beside the task itself; absent until one was measured',
    ({ crossingMs }) => (crossingMs == null ? undefined : seconds(crossingMs)),
  ),
  threadwise_function_calls_total: counter(
    'Calls of a function that have ended, by where they ran',
    ({ functions = [] }) =>
      functions.flatMap(({ name, calls, inline }) => [
        { labels: { function: name, place: 'threads' }, value: calls - inline },
        { labels: { function: name, place: 'inline' }, value: inline },
      ]),
  ),
  threadwise_function_failures_total: counter(
    'Calls of a function that threw, timed out, or were lost with their worker',
    ({ functions = [] }) =>
      functions.flatMap(({ name, failures, timeouts = 0 }) => [
        { labels: { function: name, reason: 'timeout' }, value: failures && timeouts },
        { labels: { function: name, reason: 'other' }, value: failures && failures - timeouts },
      ]),
  ),
  threadwise_function_run_seconds: gauge(
    'Running time of a function, mean of recent calls',
    ({ functions = [] }) =>
      functions.map(({ name, runMs }) => ({ labels: { function: name }, value: seconds(runMs) })),
  ),
  // Metrics of single threads. A worker that replaces another one has a new id, and so starts new series.
  threadwise_event_loop_utilization_ratio: gauge(
    "Share of time in which a thread's event loop was busy, since the last look at it. 'main' owns the pool",
    (stats) => [
      { labels: { thread: 'main' }, value: stats.process?.utilization },
      { labels: { thread: 'coordinator' }, value: stats.coordinator?.utilization },
      ...ofWorkers(({ utilization }) => utilization)(stats),
    ],
  ),
  threadwise_worker_heap_bytes: gauge(
    'Heap of a worker after the last task that was looked at',
    ofWorkers(({ heapUsedBytes }) => heapUsedBytes),
  ),
  threadwise_worker_cpu_seconds_total: counter(
    "CPU time of a worker's thread; absent where the system does not report it",
    ofWorkers(({ cpu }) => cpu && seconds(cpu.usedMs)),
  ),
  threadwise_worker_cpu_wait_seconds_total: counter(
    "Time in which a worker's thread could have run but had to wait for a CPU",
    ofWorkers(({ cpu }) => cpu && seconds(cpu.waitedMs)),
  ),
};

/** Leaves out the inline worker: it has no thread of its own. */
function ofWorkers(read: (worker: WorkerStats) => Sample['value']) {
  return ({ workers }: PoolStats): Sample[] =>
    workers
      .filter(({ inline }) => !inline)
      .map((worker) => ({ labels: { thread: worker.id }, value: read(worker) }));
}

/** An older library has no buckets: then only `+Inf`, the bucket of all values, is written. */
function samplesOf({ count, mean }: Distribution, buckets: readonly Bucket[] = []): Sample[] {
  const bounds = buckets.map(({ belowMs, count: below }) => [seconds(belowMs), below] as const);
  return [
    ...[...bounds, ['+Inf', count] as const].map(([le, value]) => ({
      labels: { le },
      value,
      suffix: '_bucket',
    })),
    // To the nanosecond: a sum that an error of rounding lets go down is taken for a restart of the program.
    { suffix: '_sum', value: Math.round(mean * count * 1e6) / 1e9 },
    { suffix: '_count', value: count },
  ];
}
