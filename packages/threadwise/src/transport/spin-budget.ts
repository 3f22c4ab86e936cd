/** When a thread looks again and again for what it waits for, or blocks until it comes, and when it sleeps at once. */

/** A loop that spins lets the other half of its core work, where the language can say so (Node 24 and later). */
const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => undefined);

/** Weight of the newest attempt in the average. */
const NEWEST_WEIGHT = 0.1;
/** Where attempts have not been worth it lately, one in this many is made all the same; after each one in vain, one in twice as many as before. */
const RETRY_INTERVAL = 16;
/** The interval does not grow beyond this many attempts. Chosen by hand: with 1,024, calls made one by one were slower on a quiet machine. */
const MOST_RETRY_INTERVAL = 128;

export interface SpinLimits {
  /** How many milliseconds an attempt takes at most. */
  readonly mostMs: number;
  /**
   * What it costs, in milliseconds of CPU time of both sides, to be woken instead: whoever spins for about that long at most does with no more than
   * twice the least possible (A. Karlin, K. Li, M. Manasse, S. Owicki: Empirical Studies of Competitive Spinning, 1991).
   */
  readonly wakeUpMs: number;
  /** How many looks there are between two looks at the clock, which costs as much as several cheap ones. Default: 1. */
  readonly looks?: number;
}

/**
 * Whether to spin: as long as what is waited for comes sooner, on the average, than being woken would cost. Longer is no gain on a core that
 * somebody else wants, another program, say, and nobody knows here whether there is one.
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

  /** An attempt that is made after many skipped ones may take all of its time: a shorter one would fail where only the other side's sleep makes it slow. */
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

  /** The same where `block` waits itself, for as many milliseconds at the most as it is given, and returns whether it found anything. */
  block(block: (mostMs: number) => boolean): boolean {
    const begin = this.#now();
    const hasFound = block(this.#limits.mostMs);
    return this.#note(hasFound, this.#now() - begin);
  }

  #note(hasFound: boolean, ms: number): boolean {
    const { mostMs, wakeUpMs } = this.#limits;
    const tookMs = hasFound ? Math.min(ms, mostMs) : mostMs;
    this.#averageMs += (tookMs - this.#averageMs) * NEWEST_WEIGHT;
    this.#retryInterval =
      tookMs < wakeUpMs ? RETRY_INTERVAL : Math.min(2 * this.#retryInterval, MOST_RETRY_INTERVAL);
    // One quick attempt is reason enough to make the next one.
    if (tookMs < wakeUpMs / 2) this.#averageMs = Math.min(this.#averageMs, wakeUpMs / 2);
    return hasFound;
  }
}
