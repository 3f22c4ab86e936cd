/**
 * How many jobs a machine takes at a time. BullMQ fetches a job as soon as the machine has fewer than that, so the jobs beyond what the
 * pool can run wait here while another machine may be idle.
 */
import type { PoolStats } from 'threadwise';

/**
 * If the median task takes fewer milliseconds than this, the next job is fetched before a worker is free: fetching takes about 1 ms,
 * more over a slow network. For longer tasks a job would wait too long on a busy machine.
 */
const SHORT_MS = 20;

export function intake(
  { threads, recent, queue }: Pick<PoolStats, 'threads' | 'recent' | 'queue'>,
  tasksPerWorker: number,
): number {
  const workers = Math.max(1, threads.current);
  const runs = workers * tasksPerWorker;
  const { count, p50 } = recent.runMs;
  const isShort = count > 0 && p50 !== null && p50 < SHORT_MS;
  // A pool grows only when tasks wait, so it needs more jobs than it can run now.
  const mayGrow = Math.max(0, threads.max - workers);
  const waiting = isShort ? runs : Math.min(mayGrow, workers) * tasksPerWorker;
  // The pool has a limit only if somebody has set one since the machine began.
  return runs + Math.min(waiting, queue.limit ?? waiting);
}
