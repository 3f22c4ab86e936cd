/** The metrics of single threads. A worker that replaces another one has a new id, and so new series. */
import type { PoolStats, WorkerStats } from '../controllable-pool.js';
import { type PoolFamily, type Sample, seconds } from './family.js';

export const THREAD_FAMILIES: readonly PoolFamily[] = [
  {
    name: 'threadwise_event_loop_utilization_ratio',
    type: 'gauge',
    help: "Share of time in which a thread's event loop was busy, since the last look at it. 'main' owns the pool",
    read: utilizations,
  },
  {
    name: 'threadwise_worker_heap_bytes',
    type: 'gauge',
    help: 'Heap of a worker after the last task that was looked at',
    read: forEachWorker(({ heapUsedBytes }) => heapUsedBytes),
  },
  {
    name: 'threadwise_worker_cpu_seconds_total',
    type: 'counter',
    help: "CPU time of a worker's thread; not there where the system does not tell",
    read: forEachWorker(({ cpu }) => cpu && seconds(cpu.usedMs)),
  },
  {
    name: 'threadwise_worker_cpu_wait_seconds_total',
    type: 'counter',
    help: "Time in which a worker's thread could have run but had to wait for a CPU",
    read: forEachWorker(({ cpu }) => cpu && seconds(cpu.waitedMs)),
  },
];

function utilizations({ workers, coordinator, process }: PoolStats): Sample[] {
  return [
    { labels: { thread: 'main' }, value: process?.utilization },
    { labels: { thread: 'coordinator' }, value: coordinator?.utilization },
    ...threadsOf(workers).map(({ id, utilization }) => ({ labels: { thread: id }, value: utilization })),
  ];
}

function forEachWorker(value: (worker: WorkerStats) => number | null | undefined) {
  return ({ workers }: PoolStats): Sample[] =>
    threadsOf(workers).map((worker) => ({
      labels: { thread: worker.id },
      value: value(worker) ?? undefined,
    }));
}

/** What runs inline has no thread of its own. */
function threadsOf(workers: readonly WorkerStats[]): readonly WorkerStats[] {
  return workers.filter(({ inline }) => !inline);
}
