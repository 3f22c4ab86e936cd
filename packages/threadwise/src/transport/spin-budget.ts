/** Decides whether a thread that waits spins (looks again and again) or blocks first, or sleeps at once. */

/** Tells the processor that this thread spins, so that the other thread on its core can work. The language can say so from Node 24 on. */
const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => undefined);

const NEWEST_WEIGHT = 0.1; // of the newest attempt, in the average
/** While attempts are not worth it, one in this many is made all the same. After each attempt in vain, the interval doubles. */
const RETRY_INTERVAL = 16;
/** The interval does not grow beyond this many attempts. Chosen by hand: with 1,024, calls made one by one were slower on a quiet machine. */
const MOST_RETRY_INTERVAL = 128;

export interface SpinLimits {
  readonly mostMs: number; // how long an attempt takes at most
  /**
   * How many milliseconds of CPU time, of both sides, it costs to be woken instead. A thread that spins for about that long at most takes no more
   * than twice the least possible time (A. Karlin, K. Li, M. Manasse, S. Owicki: Empirical Studies of Competitive Spinning, 1991).
   */
  readonly wakeUpMs: number;
  readonly looks?: number; // for each look at the clock, which costs as much as several of them; default: 1
}

/**
 * Whether to spin: only while waits take less time, on average, than a wake-up costs. To spin longer is no gain on a core that
 * another thread or program wants, and this thread cannot know whether there is one.
 */
export class SpinBudget {
  readonly #limits: SpinLimits;
  readonly #now: () => number;
  /** How many milliseconds an attempt took on average; an attempt in vain counts with all of its time. */
  #averageMs = 0;
  #skipped = 0;
  #retryInterval = RETRY_INTERVAL;

  constructor(limits: SpinLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Whether to make an attempt. An attempt that follows many skipped ones may take as long as any: a shorter one would fail where the wait is
   * long only because the other side sleeps.
   */
  wants(): boolean {
    return this.#averageMs < this.#limits.wakeUpMs || ++this.#skipped % this.#retryInterval === 0;
  }

  /** Looks again and again. Returns whether it found anything. */
  spin(found: () => boolean): boolean {
    const { mostMs, looks = 1 } = this.#limits;
    const begin = this.#now();
    for (let look = 1; ; look++) {
      const hasFound = found();
      if (hasFound || look % looks === 0) {
        const ms = this.#now() - begin;
        if (hasFound || ms > mostMs) return this.#note(hasFound, ms);
      }
      pause();
    }
  }

  /** The same for a thread that blocks. @param block waits for at most the given number of milliseconds, and returns whether it found anything */
  block(block: (mostMs: number) => boolean): boolean {
    const begin = this.#now();
    const hasFound = block(this.#limits.mostMs);
    return this.#note(hasFound, this.#now() - begin);
  }

  #note(hasFound: boolean, ms: number): boolean {
    const { mostMs, wakeUpMs } = this.#limits;
    const tookMs = hasFound ? Math.min(ms, mostMs) : mostMs;
    const longer = Math.min(2 * this.#retryInterval, MOST_RETRY_INTERVAL);
    this.#retryInterval = tookMs < wakeUpMs ? RETRY_INTERVAL : longer;
    this.#averageMs += (tookMs - this.#averageMs) * NEWEST_WEIGHT;
    // One quick attempt is reason enough to make the next one.
    if (tookMs < wakeUpMs / 2) this.#averageMs = Math.min(this.#averageMs, wakeUpMs / 2);
    return hasFound;
  }
}
