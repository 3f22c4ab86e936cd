/** A line to the server that is tried again when it fails, with longer and longer pauses, and says how it is. */

/** Pauses between attempts. Milliseconds; chosen so that a restart is seen soon and a dead server is left in peace. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000];

/**
 * up: answers. lost: the last attempt failed; `retryAt` says when the next one is. refused: the server wants a token that
 * it was not given; nothing is tried until somebody says so.
 *
 * `attempt(up, signal)` calls `up()` whenever it has heard something, and rejects when the line is lost.
 */
export class Link {
  #attempt;
  #onChange;
  #controller = new AbortController();
  #wake = () => undefined;
  #failures = 0;
  #state = { kind: 'connecting' };

  constructor(attempt, onChange) {
    this.#attempt = attempt;
    this.#onChange = onChange;
    this.#run();
  }

  get state() {
    return this.#state;
  }

  /** Ends the pause between two attempts. */
  tryNow() {
    this.#wake();
  }

  close() {
    this.#controller.abort();
    this.#wake();
  }

  async #run() {
    const { signal } = this.#controller;
    while (!signal.aborted) {
      try {
        await this.#attempt(() => this.#up(), signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#pause(error);
      }
    }
  }

  #up() {
    this.#failures = 0;
    if (this.#state.kind !== 'up') this.#change({ kind: 'up' });
  }

  async #pause(error) {
    const ms = PAUSES_MS[Math.min(this.#failures++, PAUSES_MS.length - 1)];
    const since = this.#state.since ?? Date.now();
    const isRefused = error.status === 401;
    const woken = new Promise((resolve) => {
      this.#wake = resolve;
    });
    const timer = isRefused ? undefined : setTimeout(this.#wake, ms);
    this.#change(
      isRefused
        ? { kind: 'refused', since, error }
        : { kind: 'lost', since, error, retryAt: Date.now() + ms },
    );
    await woken;
    clearTimeout(timer);
    // While it is being tried, nothing is to be waited for.
    if (!this.#controller.signal.aborted) this.#change({ ...this.#state, retryAt: undefined });
  }

  #change(state) {
    this.#state = state;
    this.#onChange(state);
  }
}
