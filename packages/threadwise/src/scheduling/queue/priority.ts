/** The queue of a pool: in the order of the calls within a priority, higher priorities first, and nothing starves. */
import type { TaskQueue } from '../../core/contracts.js';

/**
 * Ageing: one take in this many takes the item that has waited longest, whatever its priority. So an item with
 * k older ones before it waits for at most (k + 1) * AGEING_INTERVAL takes. Chosen by hand: lower priorities get
 * about 6 % of the takes under a flood of higher ones.
 */
export const AGEING_INTERVAL = 16;

/** An item in its level: a list that is linked both ways, so that an item can leave it from anywhere. */
interface Entry<T> {
  readonly item: T;
  readonly level: Level<T>;
  before: Entry<T> | undefined;
  after: Entry<T> | undefined;
}

/** The items of one priority. */
interface Level<T> {
  readonly priority: number;
  first: Entry<T> | undefined;
  last: Entry<T> | undefined;
}

interface Numbered {
  readonly id: number;
}

/** Whether the first of two calls is the older one, by their numbers, which may wrap around. */
const isOlder = (id: number, other: number) => ((id - other) | 0) < 0;

export class PriorityQueue<T extends Numbered> implements TaskQueue<T> {
  /** Highest priority first; a level is removed when it is empty, so there are only as many as are in use. */
  readonly #levels: Level<T>[] = [];
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
    const before = placeFor(item, level);
    const after = before === undefined ? level.first : before.after;
    const entry: Entry<T> = { item, level, before, after };
    if (before === undefined) level.first = entry;
    else before.after = entry;
    if (after === undefined) level.last = entry;
    else after.before = entry;
    this.#entries.set(item, entry);
  }

  peek(): T | undefined {
    return this.#next()?.item;
  }

  shift(): T | undefined {
    const entry = this.#next();
    if (entry === undefined) return undefined;
    this.#takes++;
    this.#remove(entry);
    return entry.item;
  }

  remove(item: T): boolean {
    const entry = this.#entries.get(item);
    if (entry !== undefined) this.#remove(entry);
    return entry !== undefined;
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

  #remove(entry: Entry<T>): void {
    const { item, level, before, after } = entry;
    this.#entries.delete(item);
    if (before === undefined) level.first = after;
    else before.after = after;
    if (after === undefined) level.last = before;
    else after.before = before;
    // An entry in the old generation of the garbage collector would keep alive the entries that it points to.
    entry.before = undefined;
    entry.after = undefined;
    // The last level stays, so that a queue that empties and fills does not make a new one each time.
    if (level.first === undefined && this.#levels.length > 1) {
      this.#levels.splice(this.#levels.indexOf(level), 1);
    }
  }

  /** The first item of the highest priority; on an ageing turn, the one that has waited longest. */
  #next(): Entry<T> | undefined {
    const isAgeingTurn = this.#levels.length > 1 && this.#takes % AGEING_INTERVAL === AGEING_INTERVAL - 1;
    if (!isAgeingTurn) return this.#levels[0]?.first;
    return this.#levels
      .map((level) => level.first!)
      .reduce((oldest, entry) => (isOlder(entry.item.id, oldest.item.id) ? entry : oldest));
  }

  #level(priority: number): Level<T> {
    const at = this.#levels.findIndex((level) => level.priority <= priority);
    const found = this.#levels[at];
    if (found?.priority === priority) return found;
    const level: Level<T> = { priority, first: undefined, last: undefined };
    // An empty queue has one level at most, of a priority that no item has any more.
    if (this.size === 0) this.#levels.length = 0;
    this.#levels.splice(at === -1 ? this.#levels.length : at, 0, level);
    return level;
  }
}

/** The entry behind which an item belongs; undefined: it comes first. Found at once if the item is younger, or older, than all others. */
function placeFor<T extends Numbered>(item: T, { first, last }: Level<T>): Entry<T> | undefined {
  if (first === undefined || isOlder(item.id, first.item.id)) return undefined;
  let place = last;
  while (place !== undefined && isOlder(item.id, place.item.id)) place = place.before;
  return place;
}
