/** Who waits for room in a bounded queue: first come, first served, and no more are woken than there is room for. */
import type { AbortSignalLike } from './options.js';

export class RoomQueue {
  readonly #freePlaces: () => number;
  readonly #waiting = new Set<() => void>();

  constructor(freePlaces: () => number) {
    this.#freePlaces = freePlaces;
  }

  /** Resolves when there is room, when `signal` aborts, or when the pool closes: the call that follows will tell. */
  wait(signal?: AbortSignalLike): Promise<void> {
    if (this.#waiting.size === 0 && this.#freePlaces() > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Places may have become free. */
  update(): void {
    if (this.#waiting.size === 0) return;
    let places = this.#freePlaces();
    for (const wake of [...this.#waiting]) {
      if (places-- <= 0) return;
      wake();
    }
  }

  close(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
