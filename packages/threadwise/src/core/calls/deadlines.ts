/**
 * When to look whether plain calls with a timeout have run for too long: for each duration one list of slots, in the order of their calls,
 * and one timer for its head. So a timeout costs a call no timer and no object of its own.
 */
import type { Platform, TimerHandle } from '../contracts.js';

const NONE = -1;

/** The calls that have one duration. */
interface List {
  readonly ms: number;
  first: number;
  last: number;
  timer: TimerHandle | undefined;
}

export class Deadlines {
  readonly #platform: Pick<Platform, 'timer' | 'now'>;
  readonly #isDue: (slot: number) => boolean;
  readonly #lists = new Map<number, List>();
  /** For each slot: the list that it is in, its neighbours there, and when to look at it, in milliseconds of the platform's clock. */
  readonly #listOf: (List | undefined)[] = [];
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #dueAt: Float64Array;
  /** The number of slots in all lists. */
  size = 0;

  /**
   * @param isDue is called with a slot when its duration has passed. True: it has removed the slot. False: the task still waits, and is
   * looked at again when the duration has passed once more
   */
  constructor(slots: number, platform: Pick<Platform, 'timer' | 'now'>, isDue: (slot: number) => boolean) {
    this.#platform = platform;
    this.#isDue = isDue;
    this.#next = new Int32Array(slots);
    this.#previous = new Int32Array(slots);
    this.#dueAt = new Float64Array(slots);
  }

  /** @param ms the duration of the call in a slot */
  add(slot: number, ms: number, now: number): void {
    let list = this.#lists.get(ms);
    if (list === undefined) {
      list = { ms, first: NONE, last: NONE, timer: undefined };
      this.#lists.set(ms, list);
    }
    this.#append(list, slot, now);
    list.timer ??= this.#timer(list, ms);
  }

  /** Inverse of `add`, also of a slot that was not added. Returns the duration; undefined where there was none. */
  remove(slot: number): number | undefined {
    const list = this.size === 0 ? undefined : this.#listOf[slot];
    if (list === undefined) return undefined;
    const [previous, next] = [this.#previous[slot]!, this.#next[slot]!];
    if (previous === NONE) list.first = next;
    else this.#next[previous] = next;
    if (next === NONE) list.last = previous;
    else this.#previous[next] = previous;
    this.#listOf[slot] = undefined;
    this.size--;
    return list.ms;
  }

  close(): void {
    for (const { timer } of this.#lists.values()) timer?.cancel();
    this.#lists.clear();
  }

  #append(list: List, slot: number, now: number): void {
    this.#listOf[slot] = list;
    this.#dueAt[slot] = now + list.ms;
    this.#previous[slot] = list.last;
    this.#next[slot] = NONE;
    if (list.last === NONE) list.first = slot;
    else this.#next[list.last] = slot;
    list.last = slot;
    this.size++;
  }

  #timer(list: List, ms: number): TimerHandle {
    return this.#platform.timer(ms, () => {
      list.timer = undefined;
      this.#look(list);
      if (list.first !== NONE) list.timer ??= this.#timer(list, this.#msLeft(list));
      else if (list.timer === undefined) this.#lists.delete(list.ms); // a program may make durations up
    });
  }

  #msLeft(list: List): number {
    return Math.max(1, this.#dueAt[list.first]! - this.#platform.now());
  }

  /** Those that are looked at once more go to the end, so nothing is met twice. */
  #look(list: List): void {
    const now = this.#platform.now();
    for (let slot = list.first; slot !== NONE && this.#dueAt[slot]! <= now; slot = list.first) {
      if (this.#isDue(slot)) continue;
      this.remove(slot);
      this.#append(list, slot, now);
    }
  }
}
