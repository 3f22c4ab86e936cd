/** Callers that wait for room in a bounded queue: first come, first served, and no more are let through than there is room for. */
import type { Engine } from '../engine.js';
import { type AbortSignalLike, ONCE } from './signals.js';

export class RoomQueue {
  readonly #engine: Engine;
  readonly #waiting = new Set<() => void>();
  /** Places promised to those who were let through and have not made their calls yet. */
  #reserved = 0;
  #isExpirySet = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Promises a place to a caller, if there is one and nobody waits. */
  take(): boolean {
    return !this.isAwaited && this.#reserve();
  }

  /** Resolves when there is room, when `signal` aborts, or when the pool closes: the call that follows will tell. */
  async wait(signal?: AbortSignalLike): Promise<void> {
    if (signal?.aborted || this.#freePlaces === Number.POSITIVE_INFINITY || this.take()) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        this.#engine.lifecycle.updateKeepAlive();
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, ONCE);
      this.#engine.lifecycle.updateKeepAlive();
    });
  }

  update(): void {
    if (this.#waiting.size === 0) return;
    for (const wake of this.#waiting) {
      if (!this.#reserve()) return;
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

  get #freePlaces(): number {
    return this.#engine.admission.freePlaces();
  }

  /** Reserves a place, if there is one, until the next turn: a caller that was let through may make no call, and then the next one must have it. */
  #reserve(): boolean {
    const free = this.#freePlaces - this.#reserved;
    if (free <= 0 || free === Number.POSITIVE_INFINITY) return free > 0;
    this.#reserved++;
    if (this.#isExpirySet) return true;
    this.#isExpirySet = true;
    this.#engine.parts.platform.nextTurn(() => {
      this.#isExpirySet = false;
      this.#reserved = 0;
      this.update();
    });
    return true;
  }
}
