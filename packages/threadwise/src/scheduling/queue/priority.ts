/** The queue of a pool: first in first out within a priority, higher priorities first, and nothing starves. */
import type { TaskQueue } from '../../core/contracts.js';
import { Ring } from './ring.js';

/**
 * Ageing: every so many takes, the item that has waited longest is taken, whatever its priority. So an item with
 * k older ones before it waits for at most (k + 1) * AGEING_INTERVAL takes. Chosen by hand: lower priorities get
 * about 6 % of the takes under a flood of higher ones.
 */
export const AGEING_INTERVAL = 16;

/** Removed items leave a hole behind; the ring is compacted when more than half of it, and this many, are holes. */
const MIN_HOLES = 64;

interface Entry<T> {
  readonly item: T;
  readonly order: number;
  removed: boolean;
}

class Level<T> {
  priority: number;
  ring = new Ring<Entry<T>>();
  holes = 0;

  constructor(priority: number) {
    this.priority = priority;
  }

  /** The first entry that is not a hole. */
  head(): Entry<T> | undefined {
    for (let entry = this.ring.peek(); entry?.removed; entry = this.ring.peek()) {
      this.ring.shift();
      this.holes--;
    }
    return this.ring.peek();
  }

  compact(): void {
    if (this.holes < MIN_HOLES || this.holes * 2 < this.ring.size) return;
    const ring = new Ring<Entry<T>>();
    for (const entry of this.ring) if (!entry.removed) ring.push(entry);
    this.ring = ring;
    this.holes = 0;
  }
}

export class PriorityQueue<T extends object> implements TaskQueue<T> {
  /** Highest priority first; a level goes when it is empty, so there are only as many as are in use. */
  readonly #levels: Level<T>[] = [];
  readonly #entries = new Map<T, { entry: Entry<T>; level: Level<T> }>();
  #pushed = 0;
  #putBack = 0;
  #takes = 0;

  get size(): number {
    return this.#entries.size;
  }

  push(item: T, priority: number): void {
    const level = this.#level(priority);
    const entry = { item, order: ++this.#pushed, removed: false };
    level.ring.push(entry);
    this.#entries.set(item, { entry, level });
  }

  pushFront(item: T, priority: number): void {
    if (this.#takes > 0) this.#takes--; // it was not its turn after all
    const level = this.#level(priority);
    const entry = { item, order: --this.#putBack, removed: false };
    level.ring.pushFront(entry);
    this.#entries.set(item, { entry, level });
  }

  peek(): T | undefined {
    return this.#next()?.head()?.item;
  }

  shift(): T | undefined {
    const level = this.#next();
    const entry = level?.head();
    if (level === undefined || entry === undefined) return undefined;
    level.ring.shift();
    this.#takes++;
    this.#forget(entry.item, level);
    return entry.item;
  }

  remove(item: T): boolean {
    const found = this.#entries.get(item);
    if (found === undefined) return false;
    found.entry.removed = true;
    found.level.holes++;
    found.level.compact();
    this.#forget(item, found.level);
    return true;
  }

  clear(): T[] {
    const items = [...this];
    this.#entries.clear();
    this.#levels.length = 0;
    return items;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#entries.keys();
  }

  #forget(item: T, level: Level<T>): void {
    this.#entries.delete(item);
    if (level.head() === undefined && this.#levels.length > 1) {
      this.#levels.splice(this.#levels.indexOf(level), 1);
    }
  }

  /** The level whose turn it is: the highest, or on an ageing turn the one whose head has waited longest. */
  #next(): Level<T> | undefined {
    const isAgeingTurn = this.#levels.length > 1 && this.#takes % AGEING_INTERVAL === AGEING_INTERVAL - 1;
    if (!isAgeingTurn) return this.#levels[0];
    return this.#levels.reduce((oldest, level) => (orderOf(level) < orderOf(oldest) ? level : oldest));
  }

  #level(priority: number): Level<T> {
    const at = this.#levels.findIndex((level) => level.priority <= priority);
    const found = this.#levels[at];
    if (found?.priority === priority) return found;
    if (this.size === 0) return this.#reuse(priority);
    const level = new Level<T>(priority);
    this.#levels.splice(at === -1 ? this.#levels.length : at, 0, level);
    return level;
  }

  /** An empty queue keeps one level, so that a queue that empties and fills does not make a new ring each time. */
  #reuse(priority: number): Level<T> {
    const level = this.#levels[0] ?? new Level<T>(priority);
    level.priority = priority;
    this.#levels[0] = level;
    return level;
  }
}

function orderOf(level: Level<object>): number {
  return level.head()?.order ?? Number.POSITIVE_INFINITY;
}
