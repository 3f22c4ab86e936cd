// The queue of the article's tasks: first in, first out, in a ring whose size is a power of two, and which grows and
// shrinks with its contents.

/** The fewest and the most slots that a ring can have. */
export const FEWEST = 2 ** 8;
export const MOST = 2 ** 16;

export class RingQueue {
  #slots = new Array(FEWEST);
  #first = 0;
  #size = 0;

  get size() {
    return this.#size;
  }

  get capacity() {
    return this.#slots.length;
  }

  /** Throws if the largest ring is full. */
  push(value) {
    if (this.#size === this.#slots.length) this.#resize(2 * this.#slots.length);
    this.#slots[this.#at(this.#size)] = value;
    this.#size++;
  }

  /** Removes and returns the oldest value; undefined if there is none. */
  shift() {
    if (this.#size === 0) return undefined;
    const value = this.#slots[this.#first];
    this.#slots[this.#first] = undefined;
    this.#first = this.#at(1);
    this.#size--;
    // At a quarter and not at a half: otherwise a queue of about that size would be copied with every task.
    if (this.#size <= this.#slots.length / 4 && this.#slots.length > FEWEST)
      this.#resize(this.#slots.length / 2);
    return value;
  }

  #at(index) {
    return (this.#first + index) & (this.#slots.length - 1);
  }

  #resize(capacity) {
    if (capacity > MOST) throw new RangeError(`The queue is full: ${MOST} tasks`);
    const slots = new Array(capacity);
    for (let i = 0; i < this.#size; i++) slots[i] = this.#slots[this.#at(i)];
    this.#slots = slots;
    this.#first = 0;
  }
}
