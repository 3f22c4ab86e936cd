/** A double-ended queue over a ring buffer: O(1) at both ends, grows and shrinks by powers of two (experiment S0). */

/** Smallest size: 2^8 slots, as in the experiment. */
const MIN_EXPONENT = 8;

/*
 *        head           tail = head + size (mod capacity)
 *         |               |
 *   . . . a b c d e f g h . . .        capacity = 2^n, so that "mod" is "and mask"
 *
 * Grows to twice when full, shrinks to half when a quarter full: after either change, at least a quarter of the
 * capacity must pass before the next one, so pushing and shifting at a boundary never copies back and forth.
 */
export class Ring<T> {
  #slots: (T | undefined)[] = new Array(2 ** MIN_EXPONENT);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#slots.length;
  }

  push(item: T): void {
    if (this.#size === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size++;
  }

  /** Inverse of `shift`. */
  pushFront(item: T): void {
    if (this.#size === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#head = (this.#head - 1) & (this.#slots.length - 1);
    this.#slots[this.#head] = item;
    this.#size++;
  }

  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size--;
    if (this.#slots.length > 2 ** MIN_EXPONENT && this.#size <= this.#slots.length >> 2) {
      this.#resize(this.#slots.length >> 1);
    }
    return item;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.#size; i++) yield this.#slots[(this.#head + i) & (this.#slots.length - 1)] as T;
  }

  #resize(capacity: number): void {
    const slots: (T | undefined)[] = new Array(capacity);
    let i = 0;
    for (const item of this) slots[i++] = item;
    this.#slots = slots;
    this.#head = 0;
  }
}
