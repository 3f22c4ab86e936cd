/** The order of the workers in the table. */

import type { WorkerView } from './pool-view.js';

/** In the order of the columns, which is the order in which a key goes through them. */
export const sortKeys = [
  'worker',
  'state',
  'load',
  'done',
  'busy',
  'run50',
  'run99',
  'wait50',
  'wait99',
  'cpu',
  'cpuWait',
  'heap',
  'age',
] as const;

export type SortKey = (typeof sortKeys)[number];

export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

export const firstSort: Sort = { key: 'worker', descending: false };

/** Of figures, large ones are of interest. */
export function nextSort({ key }: Sort): Sort {
  const next = sortKeys[(sortKeys.indexOf(key) + 1) % sortKeys.length]!;
  return { key: next, descending: next !== 'worker' && next !== 'state' };
}

const values: Readonly<Record<SortKey, (worker: WorkerView) => number | string | undefined>> = {
  worker: ({ id }) => id,
  state: ({ state }) => state,
  load: ({ load }) => load,
  done: ({ completed }) => completed,
  busy: ({ utilization }) => utilization,
  run50: ({ run }) => run.p50,
  run99: ({ run }) => run.p99,
  wait50: ({ wait }) => wait.p50,
  wait99: ({ wait }) => wait.p99,
  cpu: ({ cpuMs }) => cpuMs,
  cpuWait: ({ cpuWaitMs }) => cpuWaitMs,
  heap: ({ heapUsedBytes }) => heapUsedBytes,
  age: ({ ageMs }) => ageMs,
};

/** What is not known comes last in either direction; equals stay as they were. */
export function sorted(workers: readonly WorkerView[], { key, descending }: Sort): WorkerView[] {
  const of = values[key];
  return [...workers].sort((a, b) => {
    const [left, right] = [of(a), of(b)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    const order = left < right ? -1 : left > right ? 1 : 0;
    return descending ? -order : order;
  });
}
