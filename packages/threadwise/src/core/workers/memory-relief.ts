/**
 * Near the limit of memory, and with no more workers than there must be: whether replacing a worker is worth it. Only what
 * has grown since it began can be given back: a cache that each worker loads would be there again.
 */
import type { Measured } from '../contracts.js';

/** Of the limit of memory. Chosen by hand: the same above which idle sizes go down (`scheduling/scaling/measured.ts`). */
const AT_LIMIT = 0.95;
/** What a worker's heap must have grown by; a new worker takes about a third of it. Bytes. */
const WORTHWHILE_BYTES = 32 * 2 ** 20;
/** And how many times as large it must be as at first. */
const WORTHWHILE_FACTOR = 2;
/** A replacement needs memory itself, until the one before is gone: not more often than this. Milliseconds. */
const INTERVAL_MS = 10_000;

/** A worker, as far as this matters. */
export interface Heap {
  /** After its last task that was measured; 0: none was. */
  readonly heapUsedBytes: number;
}

export class MemoryRelief {
  /** What a worker's heap held when it was measured for the first time. */
  readonly #atFirst = new WeakMap<Heap, number>();
  #lastAt = Number.NEGATIVE_INFINITY;

  /**
   * A worker's heap was measured: whether that worker is to be replaced. Only the one with the largest heap is.
   * @param least how many workers there must be: while there are more, idle ones go instead
   */
  wants(
    heap: Heap,
    all: readonly Heap[],
    least: number,
    memory: () => Measured['memory'],
    now: number,
  ): boolean {
    const { heapUsedBytes } = heap;
    const atFirst = this.#atFirst.get(heap);
    if (atFirst === undefined) this.#atFirst.set(heap, heapUsedBytes);
    if (atFirst === undefined || now - this.#lastAt < INTERVAL_MS) return false;
    const hasGrown =
      heapUsedBytes - atFirst >= WORTHWHILE_BYTES && heapUsedBytes >= WORTHWHILE_FACTOR * atFirst;
    if (!hasGrown || all.length > least || all.some((other) => other.heapUsedBytes > heapUsedBytes))
      return false;
    const used = memory(); // last: it asks the system
    if (used === undefined || used.usedBytes < AT_LIMIT * used.limitBytes) return false;
    this.#lastAt = now;
    return true;
  }
}
