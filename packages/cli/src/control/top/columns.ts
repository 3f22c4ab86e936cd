/** The columns of the tables of `top`: what they show, how wide, and which are dropped first. */

import { age, bytes, count, duration, percent, rate } from './figures.js';
import type { Style } from './line.js';
import type { DecisionView, FunctionView, PoolView, WorkerView } from './pool-view.js';
import type { Column } from './table.js';
import type { Sort, SortKey } from './worker-sort.js';

function styleOfState(state: string): Style | undefined {
  if (state === 'broken' || state === 'closed' || state === 'dead') return 'bad';
  return state === 'open' || state === 'ready' ? undefined : 'warn';
}

export const poolColumns: readonly Column<PoolView>[] = [
  { title: 'POOL', width: 10, stretches: true, priority: 1, cell: ({ label }) => label },
  {
    title: 'STATE',
    width: 8,
    priority: 2,
    cell: ({ state }) => state,
    style: ({ state }) => styleOfState(state),
  },
  {
    title: 'THREADS',
    width: 7,
    align: 'right',
    priority: 3,
    cell: ({ threads }) => `${count(threads.current)}/${count(threads.max)}`,
  },
  { title: 'QUEUE', width: 6, align: 'right', priority: 4, cell: ({ queue }) => count(queue.size) },
  { title: 'OLDEST', width: 7, align: 'right', priority: 5, cell: ({ queue }) => duration(queue.oldestMs) },
  { title: 'DONE/S', width: 6, align: 'right', priority: 6, cell: ({ throughput }) => rate(throughput) },
  {
    title: 'CRASH',
    width: 5,
    align: 'right',
    priority: 7,
    cell: ({ crashes }) => count(crashes),
    style: ({ crashes }) => ((crashes ?? 0) > 0 ? 'bad' : undefined),
  },
  { title: 'RUN50', width: 7, align: 'right', priority: 10, cell: ({ run }) => duration(run.p50) },
  { title: 'RUN99', width: 7, align: 'right', priority: 8, cell: ({ run }) => duration(run.p99) },
  { title: 'WAIT50', width: 7, align: 'right', priority: 11, cell: ({ wait }) => duration(wait.p50) },
  { title: 'WAIT99', width: 7, align: 'right', priority: 9, cell: ({ wait }) => duration(wait.p99) },
  {
    title: 'MAIN',
    width: 4,
    align: 'right',
    priority: 12,
    cell: ({ loopUtilization }) => percent(loopUtilization),
  },
];

type WorkerColumn = Column<WorkerView> & { readonly key: SortKey };

const workerTable: readonly WorkerColumn[] = [
  { key: 'worker', title: 'WORKER', width: 12, priority: 1, cell: ({ id }) => count(id) },
  {
    key: 'state',
    title: 'STATE',
    width: 8,
    priority: 2,
    cell: ({ state, inline }) => (inline ? 'inline' : state),
    style: ({ state }) => styleOfState(state),
  },
  { key: 'load', title: 'LOAD', width: 5, align: 'right', priority: 3, cell: ({ load }) => count(load) },
  {
    key: 'done',
    title: 'DONE',
    width: 6,
    align: 'right',
    priority: 5,
    cell: ({ completed }) => count(completed),
  },
  {
    key: 'busy',
    title: 'BUSY',
    width: 5,
    align: 'right',
    priority: 4,
    cell: ({ utilization }) => percent(utilization),
  },
  {
    key: 'run50',
    title: 'RUN50',
    width: 7,
    align: 'right',
    priority: 10,
    cell: ({ run }) => duration(run.p50),
  },
  {
    key: 'run99',
    title: 'RUN99',
    width: 7,
    align: 'right',
    priority: 7,
    cell: ({ run }) => duration(run.p99),
  },
  {
    key: 'wait50',
    title: 'WAIT50',
    width: 7,
    align: 'right',
    priority: 11,
    cell: ({ wait }) => duration(wait.p50),
  },
  {
    key: 'wait99',
    title: 'WAIT99',
    width: 7,
    align: 'right',
    priority: 9,
    cell: ({ wait }) => duration(wait.p99),
  },
  { key: 'cpu', title: 'CPU', width: 7, align: 'right', priority: 12, cell: ({ cpuMs }) => duration(cpuMs) },
  {
    key: 'cpuWait',
    title: 'CPUWAIT',
    width: 8,
    align: 'right',
    priority: 13,
    cell: ({ cpuWaitMs }) => duration(cpuWaitMs),
  },
  {
    key: 'heap',
    title: 'HEAP',
    width: 8,
    align: 'right',
    priority: 6,
    cell: ({ heapUsedBytes }) => bytes(heapUsedBytes),
  },
  { key: 'age', title: 'AGE', width: 7, align: 'right', priority: 8, cell: ({ ageMs }) => duration(ageMs) },
];

/** The one that is sorted by says so, and is never dropped before another one but the first. */
export function workerColumns({ key, descending }: Sort): readonly Column<WorkerView>[] {
  return workerTable.map((column) => {
    if (column.key !== key) return column;
    return {
      ...column,
      title: column.title + (descending ? 'v' : '^'),
      priority: Math.min(column.priority, 1.5),
    };
  });
}

export const functionColumns: readonly Column<FunctionView>[] = [
  { title: 'FUNCTION', width: 14, stretches: true, priority: 1, cell: ({ name }) => name },
  { title: 'PLACE', width: 7, priority: 2, cell: ({ place }) => place },
  { title: 'CALLS', width: 6, align: 'right', priority: 3, cell: ({ calls }) => count(calls) },
  { title: 'INLINE', width: 6, align: 'right', priority: 5, cell: ({ inline }) => count(inline) },
  { title: 'RUN', width: 7, align: 'right', priority: 4, cell: ({ runMs }) => duration(runMs) },
  { title: 'WHY', width: 10, stretches: true, priority: 6, cell: ({ why }) => why },
];

/** How long ago a decision was: its clock is the program's, which need not be this one. */
export function decisionColumns(now: number): readonly Column<DecisionView>[] {
  return [
    {
      title: 'DECIDED',
      width: 13,
      priority: 1,
      cell: ({ at }) => (at === undefined ? '-' : `${age(now - at)} ago`),
    },
    {
      title: 'THREADS',
      width: 10,
      align: 'right',
      priority: 2,
      cell: ({ from, to }) => `${count(from)} to ${count(to)}`,
    },
    { title: 'QUEUED', width: 6, align: 'right', priority: 4, cell: ({ queued }) => count(queued) },
    { title: 'IDLE', width: 5, align: 'right', priority: 5, cell: ({ idle }) => count(idle) },
    { title: 'BY', width: 11, priority: 6, cell: ({ by }) => by },
    { title: 'WHY', width: 12, stretches: true, priority: 3, cell: ({ why }) => why },
  ];
}
