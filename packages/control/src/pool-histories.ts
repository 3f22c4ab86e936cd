/** The recent history of each pool, for the charts of the dashboard: one reading every two seconds, kept as the JSON that is sent. */
import { COLUMNS, rowOf } from '../dashboard/sample.js';
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

export class PoolHistories {
  readonly #directory: Directory<ControllablePool>;
  readonly #intervalMs: number;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #byPool = new WeakMap<ControllablePool, History>();
  #timer: NodeJS.Timeout | undefined;

  /** @param spanMs how many milliseconds of history are kept; 0: none, and no pool is asked */
  constructor(
    directory: Directory<ControllablePool>,
    spanMs: number,
    { historyIntervalMs }: Pick<Limits, 'historyIntervalMs'>,
    now = () => performance.now(),
  ) {
    this.#directory = directory;
    this.#now = now;
    this.#intervalMs = historyIntervalMs;
    this.#capacity = Math.ceil(spanMs / historyIntervalMs);
  }

  begin(): void {
    if (this.#capacity > 0) this.#timer = setInterval(() => this.look(), this.#intervalMs).unref();
  }

  /** Keeps a reading that was taken for another purpose, if one is due; this saves a reading of our own. */
  note(pool: ControllablePool, stats: PoolStats): void {
    if (this.#isDue(pool)) this.#add(pool, stats);
  }

  /** Returns JSON: the time now, and rows with their times by the same clock. */
  text(pool: ControllablePool): string {
    const rows = this.#byPool.get(pool)?.rows ?? [];
    const head = JSON.stringify({ nowMs: Math.round(this.#now()), columns: COLUMNS });
    return `${head.slice(0, -1)},"rows":[${rows.join(',')}]}`;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Takes all readings that are due. Never throws: a timer calls it, so an error of a pool would end the program. */
  look(): void {
    try {
      for (const { item } of this.#directory.list()) if (this.#isDue(item)) this.#read(item);
    } catch {
      // `pools` belongs to the program, and its iterator may throw.
    }
  }

  #read(pool: ControllablePool): void {
    try {
      this.#add(pool, pool.stats());
    } catch {
      // The pool's charts have a gap here.
    }
  }

  #isDue(pool: ControllablePool): boolean {
    const { latest = Number.NEGATIVE_INFINITY, isOver = false } = this.#byPool.get(pool) ?? {};
    return this.#capacity > 0 && !isOver && this.#now() - latest > 0.75 * this.#intervalMs;
  }

  #add(pool: ControllablePool, stats: PoolStats): void {
    const history = this.#byPool.get(pool) ?? { rows: [], latest: 0, isOver: false };
    this.#byPool.set(pool, history);
    history.latest = this.#now();
    history.isOver = stats.state === 'closed';
    history.rows.push(JSON.stringify(rowOf(stats, history.latest, MOST_WORKERS)));
    if (history.rows.length > this.#capacity) history.rows.shift();
  }
}
