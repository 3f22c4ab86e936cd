/**
 * What is told of one pool in words: its calls, and how it is set. In the order in which a narrow screen
 * drops them.
 */

import { count, percent } from './figures.js';
import type { PoolView } from './pool-view.js';

/** Ways of ending that one wants to know of only where they occur. */
const rare: readonly (readonly [name: string, words: string])[] = [
  ['failed', 'failed'],
  ['crashed', 'crashed'],
  ['timedOut', 'timed out'],
  ['aborted', 'aborted'],
  ['rejected', 'refused'],
  ['retried', 'retried'],
];

export function callsOf({ label, tasks, recycled }: PoolView): string[] {
  const ends = rare
    .filter(([name]) => (tasks[name] ?? 0) > 0)
    .map(([name, words]) => `${count(tasks[name])} ${words}`);
  return [
    label,
    `${count(tasks.open)} open`,
    `${count(tasks.completed)} done`,
    ...ends,
    ...((recycled ?? 0) > 0 ? [`${count(recycled)} recycled`] : []),
  ];
}

export function settingsOf(pool: PoolView): string[] {
  const { threads, policy, choose, placement, queue, dispatch, coordinatorUtilization } = pool;
  const bounds =
    threads.min === threads.max ? count(threads.max) : `${count(threads.min)}-${count(threads.max)}`;
  const limit = queue.limit === null ? 'none' : count(queue.limit);
  return [
    `threads ${bounds} (${policy})`,
    `queue limit ${limit}`,
    `choose ${choose}`,
    `placement ${placement}`,
    `dispatch ${dispatch}`,
    ...(coordinatorUtilization === undefined ? [] : [`coordinator ${percent(coordinatorUtilization)} busy`]),
  ];
}
