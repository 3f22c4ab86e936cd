/**
 * How many jobs a machine takes at a time. BullMQ gives a machine a new job as soon as it has fewer than that, so whatever is beyond what the
 * pool can run lies here while another machine may be idle.
 */
import type { PoolStats } from 'threadwise';

/**
 * Tasks that end sooner than that get the next one fetched before they end: fetching takes about a millisecond, of a machine with a
 * slow way to Redis, some. A longer wait on a busy machine would not be worth it. Milliseconds.
 */
const SHORT_MS = 20;

/** A pure function of what the pool is like. */
export function intake(
  { threads, recent }: Pick<PoolStats, 'threads' | 'recent'>,
  tasksPerWorker: number,
): number {
  const workers = Math.max(1, threads.current);
  const runs = workers * tasksPerWorker;
  const { count, p50 } = recent.runMs;
  const isShort = count > 0 && p50 !== null && p50 < SHORT_MS;
  if (isShort) return 2 * runs;
  // A pool grows when tasks wait for it.
  const mayGrow = Math.max(0, threads.max - workers);
  return runs + Math.min(mayGrow, workers) * tasksPerWorker;
}
