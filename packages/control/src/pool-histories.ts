/** What each pool was like in the last minutes, for whoever comes to look: one reading each two seconds, kept as the text that is sent. */
import { COLUMNS, rowOf } from '../dashboard/sample.js';
import type { ControllablePool, PoolStats } from './controllable-pool.js';
import type { Directory } from './directory.js';
import type { Limits } from './limits.js';

/** Of larger pools the time line of the threads is not kept, so that the history of ten minutes is never larger than 400 kB. */
const MOST_WORKERS = 64;

interface History {
  readonly rows: string[];
  latest: number;
  /** A pool that is closed changes no more. */
  isOver: boolean;
}

export class PoolHistories {
  readonly #directory: Directory<ControllablePool>;
  readonly #intervalMs: number;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #byPool = new WeakMap<ControllablePool, History>();
  #timer: NodeJS.Timeout | undefined;

  /** @param spanMs 0: nothing is kept, and no pool is asked */
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

  /** Takes a reading that somebody else needed, too: it spares one of ours. */
  note(pool: ControllablePool, stats: PoolStats): void {
    if (this.#isDue(pool)) this.#add(pool, stats);
  }

  /** JSON: the clock, and each row with its time by that clock. */
  text(pool: ControllablePool): string {
    const rows = this.#byPool.get(pool)?.rows ?? [];
    const head = JSON.stringify({ nowMs: Math.round(this.#now()), columns: COLUMNS });
    return `${head.slice(0, -1)},"rows":[${rows.join(',')}]}`;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Called by a timer, where what a pool throws would end the program that is only looked at: who asks is told. */
  look(): void {
    try {
      for (const { item } of this.#directory.list()) if (this.#isDue(item)) this.#read(item);
    } catch {
      // The set of pools is the program's own.
    }
  }

  #read(pool: ControllablePool): void {
    try {
      this.#add(pool, pool.stats());
    } catch {
      // A gap in its charts.
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
