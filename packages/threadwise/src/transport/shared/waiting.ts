/** How a thread waits for a word of shared memory to change, without holding up its event loop. */

/** A loop that spins lets the other half of its core work, where the language can say so (Node 24 and later). */
const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => undefined);
/** Looks between two looks at the clock, which costs as much as several of them. */
const LOOKS = 16;

/** Looks again and again, for at most `ms`. Returns whether it found anything. */
export function spin(found: () => boolean, ms: number, now: () => number): boolean {
  for (const end = now() + ms; ; ) {
    for (let i = 0; i < LOOKS; i++) {
      if (found()) return true;
      pause();
    }
    if (now() > end) return false;
  }
}

/** How long spinning is worth while: as long as it finds something; after failures it is tried less and less. */
export class SpinBudget {
  readonly #mostMs: number;
  #misses = 0;
  #skipped = 0;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /** Milliseconds to spin now. */
  get ms(): number {
    if (this.#misses < FEW_MISSES) return this.#mostMs;
    // With the whole budget: less would miss what is slow only because the other side sleeps as well.
    return ++this.#skipped % RETRY_INTERVAL === 0 ? this.#mostMs : 0;
  }

  hit(): void {
    this.#misses = 0;
  }

  miss(): void {
    this.#misses++;
  }
}

/** Failures in a row after which spinning stops, and of the times after that, which one tries again. By hand. */
const FEW_MISSES = 4;
const RETRY_INTERVAL = 8;

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
    // One that was not needed is still there: whoever notifies finds it, and it calls back as well as a new one.
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
