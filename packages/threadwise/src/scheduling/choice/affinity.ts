/** Remembers which worker a key belongs to: the same key goes to the same worker while that worker lives. */

/** How many keys are remembered, about 10 MB at most; the least recently used are forgotten first, and may then get another worker. Chosen by hand. */
const MAX_KEYS = 100_000;
/** The share of them that is forgotten at once: to find the first key of a Map, V8 steps over all that were removed before it. Chosen by hand. */
const FORGOTTEN_SHARE = 0.01;
/** After this many assignments, and one more for each key that is kept, the keys of workers that are gone are removed. Chosen by hand. */
const SWEEP_CALLS = 100;

export class Affinity<W extends { readonly serves: boolean }> {
  readonly #workers = new Map<unknown, W>();
  readonly #maxKeys: number;
  #untilSweep = SWEEP_CALLS;

  constructor(maxKeys: number = MAX_KEYS) {
    this.#maxKeys = maxKeys;
  }

  /** The worker that the key belongs to, if there is one and it still serves. */
  find(key: unknown): W | undefined {
    const worker = this.#workers.get(key);
    this.#workers.delete(key);
    if (!worker?.serves) return undefined;
    this.#workers.set(key, worker); // again, as the most recently used
    return worker;
  }

  assign(key: unknown, worker: W): void {
    this.#workers.set(key, worker);
    if (--this.#untilSweep === 0) this.#sweep();
    if (this.#workers.size > this.#maxKeys)
      this.#forgetOldest(1 + Math.floor(this.#maxKeys * FORGOTTEN_SHARE));
  }

  #forgetOldest(count: number): void {
    let left = count;
    for (const key of this.#workers.keys()) {
      if (left-- === 0) return;
      this.#workers.delete(key);
    }
  }

  /** Forgets the workers that serve no more: keys that nobody uses again would keep them in memory. */
  #sweep(): void {
    for (const [key, { serves }] of this.#workers) if (!serves) this.#workers.delete(key);
    this.#untilSweep = SWEEP_CALLS + this.#workers.size;
  }
}
