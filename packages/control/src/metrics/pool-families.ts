/** The metrics of a pool and its threads. docs/metrics.md says what to do when one is bad. */
import {
  type Bucket,
  type Distribution,
  POOL_STATES,
  type PoolStats,
  type WorkerStats,
} from '../controllable-pool.js';
import { by, counter, type Family, gauge, histogram, type Sample, seconds } from './family.js';

export const POOL_FAMILIES: readonly Family<PoolStats>[] = [
  gauge('threadwise_pool_state', '1 for the state in which the pool is, 0 for the others', (stats) =>
    POOL_STATES.map((state) => ({ labels: { state }, value: stats.state === state ? 1 : 0 })),
  ),
  gauge(
    'threadwise_pool_threads',
    'Workers that are, or will be, there for tasks, by what they do; their sum is how many there are',
    ({ threads: { current, starting, idle } }) =>
      by('state', { starting, idle, busy: current - starting - idle }),
  ),
  gauge('threadwise_pool_threads_limit', 'Bounds of the number of workers', ({ threads: { min, max } }) =>
    by('bound', { min, max }),
  ),
  gauge('threadwise_queue_size', 'Tasks that wait for a worker', ({ queue }) => queue.size),
  gauge(
    'threadwise_queue_limit',
    'Tasks that may wait; not there if there is no limit',
    ({ queue }) => queue.limit,
  ),
  gauge(
    'threadwise_queue_oldest_seconds',
    'How long the task has waited that has waited longest; 0 if none waits',
    ({ queue }) => seconds(queue.oldestMs),
  ),
  counter('threadwise_tasks_submitted_total', 'Calls that were made', ({ tasks }) => tasks.submitted),
  counter('threadwise_tasks_total', 'Calls that have settled, by how', ({ tasks }) => {
    const { completed, failed, aborted, timedOut, crashed, rejected } = tasks;
    return by('outcome', { completed, failed, aborted, timed_out: timedOut, crashed, rejected });
  }),
  gauge(
    'threadwise_tasks_open',
    'Calls that have not settled: waiting and running',
    ({ tasks }) => tasks.open,
  ),
  counter(
    'threadwise_retries_total',
    'Times that a task was run again because its worker had ended under it',
    ({ tasks }) => tasks.retried,
  ),
  histogram('threadwise_task_run_seconds', 'Running time of tasks', ({ runMs, buckets }) =>
    samplesOf(runMs, buckets?.runMs),
  ),
  histogram(
    'threadwise_task_wait_seconds',
    'Time of calls in which their task did not run',
    ({ waitMs, buckets }) => samplesOf(waitMs, buckets?.waitMs),
  ),
  counter(
    'threadwise_crashes_total',
    'Workers that ended though nobody asked for it',
    ({ crashes }) => crashes,
  ),
  counter(
    'threadwise_recycled_total',
    'Workers that were replaced for their age or their memory, or on request',
    ({ recycled }) => recycled,
  ),
  counter(
    'threadwise_interrupted_total',
    'Workers that were replaced because a task went on after its timeout or abort',
    ({ interrupted }) => interrupted,
  ),
  counter(
    'threadwise_coordinator_restarts_total',
    "Times that the pool's coordinator was replaced; only with dispatch 'coordinator'",
    ({ coordinator }) => coordinator?.restarts,
  ),
  gauge(
    'threadwise_sizing_last_decision_timestamp_seconds',
    'When another number of workers was wanted last; not there before that',
    ({ sizing }) => sizing.decisions.slice(-1).map(({ at }) => ({ value: seconds(at) })),
  ),
  gauge(
    'threadwise_crossing_seconds',
    'What a crossing costs in time of processors, beside running; not there as long as none was measured',
    ({ crossingMs }) => (crossingMs == null ? undefined : seconds(crossingMs)),
  ),
  counter(
    'threadwise_function_calls_total',
    'Calls of a function that have ended, by where they ran',
    ({ functions = [] }) =>
      functions.flatMap(({ name, calls, inline }) => [
        { labels: { function: name, place: 'threads' }, value: calls - inline },
        { labels: { function: name, place: 'inline' }, value: inline },
      ]),
  ),
  counter(
    'threadwise_function_failures_total',
    'Calls of a function that threw, timed out, or were lost with their worker',
    ({ functions = [] }) =>
      functions.flatMap(({ name, failures, timeouts = 0 }) => [
        { labels: { function: name, reason: 'timeout' }, value: failures && timeouts },
        { labels: { function: name, reason: 'other' }, value: failures && failures - timeouts },
      ]),
  ),
  gauge(
    'threadwise_function_run_seconds',
    'Running time of a function, mean of recent calls',
    ({ functions = [] }) =>
      functions.map(({ name, runMs }) => ({ labels: { function: name }, value: seconds(runMs) })),
  ),
  // Of single threads. A worker that replaces another one has a new id, and so new series.
  gauge(
    'threadwise_event_loop_utilization_ratio',
    "Share of time in which a thread's event loop was busy, since the last look at it. 'main' owns the pool",
    (stats) => [
      { labels: { thread: 'main' }, value: stats.process?.utilization },
      { labels: { thread: 'coordinator' }, value: stats.coordinator?.utilization },
      ...ofWorkers(({ utilization }) => utilization)(stats),
    ],
  ),
  gauge(
    'threadwise_worker_heap_bytes',
    'Heap of a worker after the last task that was looked at',
    ofWorkers(({ heapUsedBytes }) => heapUsedBytes),
  ),
  counter(
    'threadwise_worker_cpu_seconds_total',
    "CPU time of a worker's thread; not there where the system does not tell",
    ofWorkers(({ cpu }) => cpu && seconds(cpu.usedMs)),
  ),
  counter(
    'threadwise_worker_cpu_wait_seconds_total',
    "Time in which a worker's thread could have run but had to wait for a CPU",
    ofWorkers(({ cpu }) => cpu && seconds(cpu.waitedMs)),
  ),
];

/** What runs inline has no thread of its own. */
function ofWorkers(read: (worker: WorkerStats) => Sample['value']) {
  return ({ workers }: PoolStats): Sample[] =>
    workers
      .filter(({ inline }) => !inline)
      .map((worker) => ({ labels: { thread: worker.id }, value: read(worker) }));
}

/** Of an older library, which has no buckets, there is the one of all that was measured. */
function samplesOf({ count, mean }: Distribution, buckets: readonly Bucket[] = []): Sample[] {
  const bounds = buckets.map(({ belowMs, count: below }) => [seconds(belowMs), below] as const);
  return [
    ...[...bounds, ['+Inf', count] as const].map(([le, value]) => ({
      labels: { le },
      value,
      suffix: '_bucket',
    })),
    { suffix: '_sum', value: seconds(mean * count) },
    { suffix: '_count', value: count },
  ];
}
