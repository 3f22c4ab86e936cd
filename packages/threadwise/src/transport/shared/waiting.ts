/** How a thread waits for a word of shared memory to change, without holding up its event loop. */

/** A loop that spins lets the other half of its core work, where the language can say so (Node 24 and later). */
const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => undefined);
/** Looks between two looks at the clock, which costs as much as several of them. */
const LOOKS = 16;

function look(found: () => boolean): boolean {
  for (let i = 0; i < LOOKS; i++) {
    if (found()) return true;
    pause();
  }
  return false;
}

/** Weight of the newest attempt in the average. */
const NEWEST_WEIGHT = 0.1;
/**
 * What it costs, in CPU time of both sides, to be woken instead: whoever spins for about that long at most does with no more than twice the
 * least possible (A. Karlin, K. Li, M. Manasse, S. Owicki: Empirical Studies of Competitive Spinning, 1991). Chosen by hand, in milliseconds.
 */
const WAKE_UP_MS = 0.015;
/** One in this many attempts is made even where spinning has not been worth it lately. */
const RETRY_INTERVAL = 16;

/**
 * Whether to spin: as long as what is waited for comes sooner, on the average, than being woken would cost. Longer is no gain on a core that
 * somebody else wants, another program, say, and nobody knows here whether there is one.
 */
export class SpinBudget {
  readonly #mostMs: number;
  readonly #now: () => number;
  /** How many milliseconds an attempt took on average; an attempt in vain counts with all of its time. */
  #averageMs = 0;
  #skipped = 0;

  constructor(mostMs: number, now: () => number) {
    this.#mostMs = mostMs;
    this.#now = now;
  }

  /** An attempt that is made after many skipped ones may take all of its time: a shorter one would fail where only the other side's sleep makes it slow. */
  wants(): boolean {
    return this.#averageMs < WAKE_UP_MS || ++this.#skipped % RETRY_INTERVAL === 0;
  }

  /** Looks again and again. Returns whether it found anything. */
  spin(found: () => boolean): boolean {
    const begin = this.#now();
    for (;;) {
      const hasFound = look(found);
      const ms = this.#now() - begin;
      if (!hasFound && ms <= this.#mostMs) continue;
      this.#took(hasFound ? Math.min(ms, this.#mostMs) : this.#mostMs);
      return hasFound;
    }
  }

  /** One quick attempt is reason enough to spin the next time. */
  #took(ms: number): void {
    this.#averageMs += (ms - this.#averageMs) * NEWEST_WEIGHT;
    if (ms < WAKE_UP_MS / 2) this.#averageMs = Math.min(this.#averageMs, WAKE_UP_MS / 2);
  }
}

type WaitAsync = (
  words: Int32Array,
  at: number,
  value: number,
) => { async: false; value: string } | { async: true; value: Promise<string> };

/** Calls back when a word is notified; asleep at most once. */
export class Sleeper {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #woken: () => void;
  #isWaiting = false;

  constructor(words: Int32Array, at: number, woken: () => void) {
    this.#words = words;
    this.#at = at;
    this.#woken = woken;
  }

  /** Returns false, and does not sleep, when the word is not `value` any more. */
  sleep(value: number): boolean {
    // An earlier wait that was not needed still stands: a notice finds it, and it calls back as a new one would.
    if (this.#isWaiting) return Atomics.load(this.#words, this.#at) === value;
    const result = (Atomics as unknown as { waitAsync: WaitAsync }).waitAsync(this.#words, this.#at, value);
    if (!result.async) return false;
    this.#isWaiting = true;
    void result.value.then(() => {
      this.#isWaiting = false;
      this.#woken();
    });
    return true;
  }
}
