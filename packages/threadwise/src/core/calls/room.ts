/** Callers that wait for room in a bounded queue: first come, first served, and no more are let through than there is room for. */
import { type AbortSignalLike, ONCE } from './signals.js';

export class RoomQueue {
  readonly #freePlaces: () => number;
  readonly #later: (callback: () => void) => void;
  readonly #changed: () => void;
  readonly #waiting = new Set<() => void>();
  /** Places promised to those who were let through and have not made their calls yet. */
  #reserved = 0;
  #isExpirySet = false;

  /**
   * @param later calls back when those who were let through have had the time to make their calls
   * @param changed is told when somebody waits, or does not any more
   */
  constructor(
    freePlaces: () => number,
    later: (callback: () => void) => void,
    changed: () => void = () => undefined,
  ) {
    this.#freePlaces = freePlaces;
    this.#later = later;
    this.#changed = changed;
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Promises a place to a caller, if there is one and nobody waits. */
  take(): boolean {
    if (this.#waiting.size > 0 || this.#unpromised() <= 0) return false;
    this.#reserve();
    return true;
  }

  /** Resolves when there is room, when `signal` aborts, or when the pool closes: the call that follows will tell. */
  wait(signal?: AbortSignalLike): Promise<void> {
    if (signal?.aborted || this.#freePlaces() === Number.POSITIVE_INFINITY || this.take())
      return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        this.#changed();
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, ONCE);
      this.#changed();
    });
  }

  /** Places may have become free. */
  update(): void {
    if (this.#waiting.size === 0) return;
    for (const wake of this.#waiting) {
      if (this.#unpromised() <= 0) return;
      this.#reserve();
      wake();
    }
  }

  /** A call was accepted: one of the promised places counts as taken, even if another caller was promised it. */
  taken(): void {
    if (this.#reserved > 0) this.#reserved--;
  }

  close(): void {
    for (const wake of this.#waiting) wake();
  }

  #unpromised(): number {
    return this.#freePlaces() - this.#reserved;
  }

  /** Reserves a place for a short while: a caller that was let through may make no call, and then the next one must have it. */
  #reserve(): void {
    if (this.#freePlaces() === Number.POSITIVE_INFINITY) return;
    this.#reserved++;
    if (this.#isExpirySet) return;
    this.#isExpirySet = true;
    this.#later(() => {
      this.#isExpirySet = false;
      this.#reserved = 0;
      this.update();
    });
  }
}
