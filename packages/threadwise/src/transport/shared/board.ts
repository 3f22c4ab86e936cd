/** The board that all threads of a pool share: who sleeps, who looks for tasks, and how a sleeper is woken. */
import { int32sOf } from '../codec/value-memory.js';
import { countWithin } from '../trust.js';
import { DOZING, HEAD, PARKED, RESERVED, SEATS, SEATS_TAKEN, SEATS_USED, TAIL, wakeupsOf } from './layout.js';

export class Board {
  readonly words: Int32Array;
  /** Words of each mask that are in use, when that was last looked at: seats are added, and never taken away. */
  #maskWords = 1;

  constructor(buffer: ArrayBufferLike) {
    this.words = int32sOf(buffer);
  }

  /** Looks how many seats there are by now. */
  refresh(): void {
    this.#maskWords = (countWithin(Atomics.load(this.words, SEATS_USED), SEATS) + 31) >>> 5;
  }

  /** How many hints lie in the ring. */
  get length(): number {
    return (Atomics.load(this.words, TAIL) - Atomics.load(this.words, HEAD)) | 0;
  }

  set(mask: number, seat: number): void {
    Atomics.or(this.words, mask + (seat >>> 5), 1 << (seat & 31));
  }

  /** Returns whether it was set. */
  clear(mask: number, seat: number): boolean {
    const bit = 1 << (seat & 31);
    return (Atomics.and(this.words, mask + (seat >>> 5), ~bit) & bit) !== 0;
  }

  isSet(mask: number, seat: number): boolean {
    return (Atomics.load(this.words, mask + (seat >>> 5)) & (1 << (seat & 31))) !== 0;
  }

  /** Whether any bit is set; `mask`: PARKED, SPINNING or DOZING. */
  any(mask: number): boolean {
    const end = mask + this.#maskWords;
    for (let at = mask; at < end; at++) if (Atomics.load(this.words, at) !== 0) return true;
    return false;
  }

  count(mask: number): number {
    const end = mask + this.#maskWords;
    let bits = 0;
    for (let at = mask; at < end; at++) {
      for (let word = Atomics.load(this.words, at); word !== 0; word &= word - 1) bits++;
    }
    return bits;
  }

  /** Workers that do not sleep. */
  get awake(): number {
    return Atomics.load(this.words, SEATS_TAKEN) - this.count(PARKED) - this.count(RESERVED);
  }

  /** W1, W2: wakes one sleeper, if there is one. */
  wakeOne(): void {
    const end = PARKED + this.#maskWords;
    for (let at = PARKED; at < end; at++) {
      // The exchange may come second to another waker's: then the next bit is tried.
      for (let word = Atomics.load(this.words, at); word !== 0; word = Atomics.load(this.words, at)) {
        const seat = ((at - PARKED) << 5) + (31 - Math.clz32(word & -word));
        // First: once it is called it is relied on, until it looks; it clears this bit after the other one.
        this.set(DOZING, seat);
        if (this.#wake(PARKED, seat)) return;
        this.clear(DOZING, seat);
      }
    }
  }

  /** Wakes the worker of a seat, if it sleeps, whatever it can be woken for. */
  wake(seat: number): boolean {
    return this.#wake(PARKED, seat) || this.#wake(RESERVED, seat);
  }

  /** X5: whoever was about to wake this worker is dead; a wake-up too many does no harm. */
  wakeAgain(seat: number): void {
    Atomics.add(this.words, wakeupsOf(seat), 1);
    Atomics.notify(this.words, wakeupsOf(seat));
  }

  #wake(mask: number, seat: number): boolean {
    if (!this.clear(mask, seat)) return false;
    this.wakeAgain(seat);
    return true;
  }
}
