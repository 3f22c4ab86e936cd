/** How long the workers of a pool ran tasks within a slice of time; of long tasks, how much of each lay within it. */
import type { Pool, PoolEvents } from 'threadwise';
import type { Loaded } from './outstanding.js';

interface Run {
  readonly at: number;
  readonly runMs: number;
}

export class RunTimes {
  readonly #pool: Pool;
  /** Undefined where calls are short: then the statistics will do, and no event is made for each call. */
  readonly #runs: Run[] | undefined;
  #before = 0;

  constructor(pool: Pool, isLong: boolean) {
    this.#pool = pool;
    this.#runs = isLong ? [] : undefined;
    if (isLong) pool.on('task:settle', (event) => this.#note(event));
  }

  begin(): void {
    this.#before = sumOf(this.#pool);
    if (this.#runs !== undefined) this.#runs.length = 0;
  }

  /**
   * Calls per second. Of short ones all, until the last one has settled; of long ones, of which only some workers would have one in
   * the end, those that ended in time and a part of each that ran then.
   */
  end(loaded: Loaded, threads: number, outstanding: number): { busyShare: number; rate: number } {
    const { begin, end, drained, calls } = loaded;
    if (this.#runs !== undefined && outstanding === threads)
      return this.#endOfOwn(this.#runs, loaded, threads);
    if (this.#runs === undefined) {
      const ms = sumOf(this.#pool) - this.#before;
      const elapsed = drained - begin;
      return { busyShare: Math.min(1, ms / (threads * elapsed)), rate: (calls * 1000) / elapsed };
    }
    let [parts, ms] = [0, 0];
    for (const { at, runMs } of this.#runs) {
      // They begin when the slice does: what lies before is the way of the news.
      const from = Math.max(begin, at - runMs);
      const within = Math.max(0, Math.min(at, end) - from);
      if (at <= end) parts += 1;
      else if (at > from) parts += within / (at - from);
      ms += within;
    }
    const elapsed = end - begin;
    return { busyShare: Math.min(1, ms / (threads * elapsed)), rate: (parts * 1000) / elapsed };
  }

  /**
   * Where no call waits for another, a call has its worker from when it was made until it has settled: its way there and back is a
   * part of that, which may take longer than its run.
   */
  #endOfOwn(runs: readonly Run[], { begin, end, parts, calls }: Loaded, threads: number) {
    const elapsed = end - begin;
    const runMs = runs.reduce((sum, run) => sum + run.runMs, 0) / Math.max(1, calls);
    return { busyShare: Math.min(1, (runMs * parts) / (threads * elapsed)), rate: (parts * 1000) / elapsed };
  }

  /** Without a time where the pool did not look at the clock: calls on its own thread, of which it times some. */
  #note({ runMs = 0 }: PoolEvents['task:settle']): void {
    this.#runs!.push({ at: performance.now(), runMs });
  }
}

function sumOf(pool: Pool): number {
  const workers = pool.stats().workers.filter(({ inline }) => !inline);
  return workers.reduce((sum, { runMs }) => sum + (runMs.count === 0 ? 0 : runMs.count * runMs.mean), 0);
}
