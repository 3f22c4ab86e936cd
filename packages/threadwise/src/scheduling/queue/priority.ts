/** The queue of a pool: in the order of the calls within a priority, higher priorities first, and nothing starves. */
import type { TaskQueue } from '../../core/contracts.js';

/**
 * Ageing: one take in this many takes the item that has waited longest, whatever its priority. So an item with k older ones before it waits for
 * at most (k + 1) * AGEING_INTERVAL takes. Chosen by hand: lower priorities get about 6 % of the takes under a flood of higher ones.
 */
export const AGEING_INTERVAL = 16;

/** An item in its level, or the level itself, which has no item: the items of one priority are a ring that begins and ends at their level. */
interface Entry<T> {
  readonly item: T | undefined;
  readonly priority: number;
  readonly level: Entry<T> | undefined;
  before: Entry<T>;
  after: Entry<T>;
}

/** Whether the first of two calls is the older one, by their numbers, which may wrap around. */
const isOlder = (id: number, other = id) => ((id - other) | 0) < 0;

export class PriorityQueue<T extends { readonly id: number }> implements TaskQueue<T> {
  /** Highest priority first; a level is removed when it is empty, so there are only as many as are in use. */
  readonly #levels: Entry<T>[] = [];
  readonly #entries = new Map<T, Entry<T>>();
  /** The id of the youngest item that was ever here: an item that is not younger has been put back. */
  #youngest: number | undefined;
  #takes = 0;

  get size(): number {
    return this.#entries.size;
  }

  push(item: T, priority: number): void {
    if (this.#youngest === undefined || isOlder(this.#youngest, item.id)) this.#youngest = item.id;
    else if (this.#takes > 0) this.#takes--; // it is put back: its take does not count
    const level = this.#level(priority);
    // Its place is found at once if the item is younger, or older, than all others.
    let before = isOlder(item.id, level.after.item?.id) ? level : level.before;
    while (isOlder(item.id, before.item?.id)) before = before.before;
    const entry: Entry<T> = { item, priority, level, before, after: before.after };
    before.after.before = entry;
    before.after = entry;
    this.#entries.set(item, entry);
  }

  peek(): T | undefined {
    return this.#next()?.item;
  }

  shift(): T | undefined {
    const item = this.peek();
    if (item !== undefined) this.take(item);
    return item;
  }

  take(item: T): boolean {
    if (this.peek() === item) this.#takes++;
    return this.remove(item);
  }

  remove(item: T): boolean {
    const entry = this.#entries.get(item);
    if (entry === undefined) return false;
    this.#entries.delete(item);
    entry.before.after = entry.after;
    entry.after.before = entry.before;
    // An entry in the old generation of the garbage collector would keep alive the entries that it points to.
    entry.before = entry;
    entry.after = entry;
    // The last level stays, so that a queue that empties and fills does not make a new one each time.
    const level = entry.level!;
    if (level.after === level && this.#levels.length > 1) this.#levels.splice(this.#levels.indexOf(level), 1);
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

  /** The first item of the highest priority; on an ageing turn, the one that has waited longest. */
  #next(): Entry<T> | undefined {
    const isAgeingTurn = this.#levels.length > 1 && this.#takes % AGEING_INTERVAL === AGEING_INTERVAL - 1;
    if (!isAgeingTurn) return this.#levels[0]?.after;
    return this.#levels
      .map(({ after }) => after)
      .reduce((oldest, entry) => (isOlder(entry.item!.id, oldest.item!.id) ? entry : oldest));
  }

  #level(priority: number): Entry<T> {
    const at = this.#levels.findIndex((level) => level.priority <= priority);
    const found = this.#levels[at];
    if (found?.priority === priority) return found;
    const level = { item: undefined, priority, level: undefined } as Entry<T>;
    level.before = level;
    level.after = level;
    // An empty queue has one level at most, of a priority that no item has any more.
    if (this.size === 0) this.#levels.length = 0;
    this.#levels.splice(at === -1 ? this.#levels.length : at, 0, level);
    return level;
  }
}
