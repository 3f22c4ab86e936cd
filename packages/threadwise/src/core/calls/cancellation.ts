/** An abort signal of our own: the core has no platform to take AbortController from. */
import { type AbortSignalLike, ONCE } from './run-options.js';

export class Cancellation implements AbortSignalLike {
  readonly #listeners = new Set<() => void>();
  #unfollow: (() => void) | undefined;
  aborted = false;
  reason: unknown;

  cancel(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.dispose();
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  /** Cancels when `signal` aborts, until `dispose`. */
  follow(signal: AbortSignalLike | undefined): void {
    if (signal === undefined) return;
    const onAbort = () => this.cancel(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, ONCE);
    this.#unfollow = () => signal.removeEventListener('abort', onAbort);
  }

  /** Stops following. */
  dispose(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
