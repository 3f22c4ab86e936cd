/** What a pool was like over the last ten minutes: what the program has kept, and what this page was told since. */
import { COLUMNS, countsOf, rowOf, sampleOf } from './sample.js';

export const SPAN_MS = 600_000;
/** Statistics come each second, or each two: a longer gap is one in which nothing is known. Milliseconds. */
export const GAP_MS = 6000;

/** How many minutes the charts have: whole ones, two at least, so that what has just begun is not a dot at their end. */
export function minutesOf(samples, now) {
  const known = Math.ceil((now - (samples[0]?.at ?? now)) / 60_000);
  return Math.min(SPAN_MS / 60_000, Math.max(2, known));
}

export class History {
  /** Oldest first. */
  samples = [];
  /** When each worker was last seen to end a task; by id. */
  #progress = new Map();

  get latest() {
    return this.samples.at(-1);
  }

  /** Whether what came before that moment has to be asked for. */
  lacks(at) {
    return this.latest === undefined || at - this.latest.at > GAP_MS;
  }

  /** Counts are below those where the charts begin: the program was started again, or has a new pool of that name. */
  isOfAnother(stats) {
    const before = this.samples[0]?.counts ?? {};
    return Object.entries(countsOf(stats)).some(([name, value]) => value < before[name]);
  }

  add(stats, at) {
    const sample = sampleOf(rowOf(stats, at));
    this.samples.push(sample);
    this.#forget(at);
    this.#note(stats.workers, at);
    return sample;
  }

  /** What the program has kept takes the place of all that this page knows of the time before its last gap. */
  take({ nowMs, columns, rows }, now) {
    // The page may be older than the program, which was started again in another version.
    if (rows.length === 0 || `${columns}` !== `${COLUMNS}`) return;
    const isFirst = ({ at }, i, samples) => i === 0 || at - samples[i - 1].at > GAP_MS;
    const own = this.samples.slice(Math.max(0, this.samples.findLastIndex(isFirst)));
    const begin = own[0]?.at ?? Number.POSITIVE_INFINITY;
    const kept = rows.map((row) => sampleOf(row, now - nowMs)).filter(({ at }) => at < begin);
    this.samples = [...kept, ...own];
    this.#forget(now);
  }

  #forget(now) {
    const begin = now - SPAN_MS - GAP_MS;
    while (this.samples.length > 0 && this.samples[0].at < begin) this.samples.shift();
  }

  #note(workers, at) {
    const next = new Map();
    for (const { id, completed, load } of workers) {
      const before = this.#progress.get(id);
      const isSame = before?.completed === completed && before.load > 0 && load > 0;
      // A worker that this page has seen idle, or start, was not stuck before.
      const isSeen = before !== undefined || this.#progress.size > 0;
      next.set(id, isSame ? { ...before, load } : { completed, load, since: at, isSeen });
    }
    this.#progress = next;
  }

  /** How long a worker with a task has ended none; undefined without a task. `isAtLeast`: maybe for longer. */
  stuckFor(id, now) {
    const { load, since, isSeen } = this.#progress.get(id) ?? { load: 0 };
    return load > 0 ? { ms: now - since, isAtLeast: !isSeen } : undefined;
  }

  /** How much counts have grown since the oldest sample, and how long ago that is. */
  grown() {
    const [oldest, latest] = [this.samples[0], this.latest];
    if (latest === undefined) return { ms: 0, counts: {} };
    const counts = Object.entries(latest.counts).map(([name, value]) => [name, value - oldest.counts[name]]);
    return { ms: latest.at - oldest.at, counts: Object.fromEntries(counts) };
  }

  /** How many calls of a function have failed since the oldest sample; not a number where that is not known. */
  failuresOf(name) {
    const [oldest, latest] = [this.samples[0], this.latest];
    const before = oldest?.failures.get(name) ?? (oldest?.hasAllFailures ? 0 : undefined);
    return (latest?.failures.get(name) ?? 0) - before;
  }
}
