/** The recent history of each pool, for the charts of the dashboard: one reading every two seconds, kept as the JSON that is sent. */
import { COLUMNS, MOST_CLOSED, rowOf } from '../dashboard/sample.js';
import type { ControllablePool, PoolStats } from './controllable-pool.js';
import type { Directory } from './directory.js';
import type { Limits } from './limits.js';

/** The states of single workers are not kept for larger pools, so that a history of ten minutes stays below 400 kB. */
const MOST_WORKERS = 64;

interface History {
  readonly rows: string[];
  latest: number;
  /** The pool is closed: its statistics no longer change. */
  isOver: boolean;
}

export type PoolHistories = ReturnType<typeof keepHistories>;

/** @param spanMs how many milliseconds of history are kept; 0: none, and no pool is asked */
export function keepHistories(
  directory: Directory<ControllablePool>,
  spanMs: number,
  { historyIntervalMs: intervalMs }: Pick<Limits, 'historyIntervalMs'>,
  now = () => performance.now(),
) {
  const capacity = Math.ceil(spanMs / intervalMs);
  const byPool = new WeakMap<ControllablePool, History>();
  /** The histories of closed pools, oldest first: no reading shortens them any more. */
  const closed: History[] = [];
  let timer: NodeJS.Timeout | undefined;
  return {
    begin(): void {
      if (capacity > 0) timer = setInterval(look, intervalMs).unref();
    },

    /** Keeps a reading that was taken for another purpose, if one is due; this saves a reading of our own. */
    note(pool: ControllablePool, stats: PoolStats): void {
      if (isDue(pool)) add(pool, stats);
    },

    /** Returns JSON: the time now, and rows with their times by the same clock. */
    text(pool: ControllablePool): string {
      const rows = byPool.get(pool)?.rows ?? [];
      const head = JSON.stringify({ nowMs: Math.round(now()), columns: COLUMNS });
      return `${head.slice(0, -1)},"rows":[${rows.join(',')}]}`;
    },

    look,
    close: () => clearInterval(timer),
  };

  /** Takes all readings that are due. Never throws: a timer calls it, so an error of a pool would end the program. */
  function look(): void {
    try {
      for (const { item } of directory.list()) read(item);
    } catch {
      // `pools` belongs to the program, and its iterator may throw.
    }
    while (closed.length > MOST_CLOSED || now() - (closed[0]?.latest ?? now()) > spanMs)
      closed.shift()!.rows.length = 0;
  }

  function read(pool: ControllablePool): void {
    try {
      if (isDue(pool)) add(pool, pool.stats());
    } catch {
      // The pool's charts have a gap here.
    }
  }

  function isDue(pool: ControllablePool): boolean {
    const { latest = Number.NEGATIVE_INFINITY, isOver = false } = byPool.get(pool) ?? {};
    return capacity > 0 && !isOver && now() - latest > 0.75 * intervalMs;
  }

  function add(pool: ControllablePool, stats: PoolStats): void {
    const history = byPool.get(pool) ?? { rows: [], latest: 0, isOver: false };
    byPool.set(pool, history);
    history.latest = now();
    history.isOver = stats.state === 'closed';
    history.rows.push(JSON.stringify(rowOf(stats, history.latest, MOST_WORKERS)));
    if (history.rows.length > capacity) history.rows.shift();
    if (history.isOver) closed.push(history);
  }
}
