/** Remembers which worker a key belongs to: the same key goes to the same worker while that worker lives. */

/** How many keys are remembered, about 10 MB at most; the least recently used is forgotten first, and may then get another worker. Chosen by hand. */
const MAX_KEYS = 100_000;
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
    if (this.#workers.size > this.#maxKeys) this.#workers.delete(this.#workers.keys().next().value);
  }

  /** Forgets the workers that serve no more: keys that nobody uses again would keep them in memory. */
  #sweep(): void {
    for (const [key, { serves }] of this.#workers) if (!serves) this.#workers.delete(key);
    this.#untilSweep = SWEEP_CALLS + this.#workers.size;
  }
}
