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

/** Weight of the newest attempt in the share of attempts that found something. */
const NEWEST_WEIGHT = 0.1;
/** Spinning costs as much as some ten wake-ups save: below that share it is only tried now and then. */
const WORTHWHILE = 0.1;
const RETRY_INTERVAL = 16;

/** How long to spin: as long as it finds something often enough to pay for the times that it does not. */
export class SpinBudget {
  readonly #mostMs: number;
  #hitShare = 1;
  #skipped = 0;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /** Milliseconds to spin now. A retry gets all of it: less would miss what is slow only because the other side sleeps. */
  get ms(): number {
    return this.#hitShare > WORTHWHILE || ++this.#skipped % RETRY_INTERVAL === 0 ? this.#mostMs : 0;
  }

  /** What came of it. One hit is reason enough to try the next few times. */
  tried(hasFound: boolean): void {
    this.#hitShare += ((hasFound ? 1 : 0) - this.#hitShare) * NEWEST_WEIGHT;
    if (hasFound) this.#hitShare = Math.max(this.#hitShare, 2 * WORTHWHILE);
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
