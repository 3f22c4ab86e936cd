/** Which pools and fleets there are, and under which name each is served: their own names may be any text, and need not be unique. */
import type { ControllablePool, PoolStats } from './controllable-pool.js';
import { RequestError, show } from './errors.js';

export interface Served<T> {
  /** Unique; the item's own name where that can be had. */
  readonly name: string;
  readonly item: T;
}
export type ServedPool = Served<ControllablePool>;

/** As the path of a URL these mean something else, however they are encoded. */
const UNUSABLE = ['', '.', '..'];

/** All pools, or all fleets: each with a name of its own. */
export class Directory<T extends object> {
  readonly #kind: string;
  readonly #items: Iterable<T>;
  readonly #wanted: (item: T) => string;
  /** An item keeps its name, or the counters of one would go on as those of another. */
  readonly #known = new WeakMap<T, string>();

  /** @param items read anew each time, so it may change */
  constructor(kind: string, items: Iterable<T>, wanted: (item: T) => string) {
    this.#kind = kind;
    this.#items = items;
    this.#wanted = wanted;
  }

  /** In the order of the items. */
  list(): readonly Served<T>[] {
    const items = new Set(this.#items);
    const byName = new Map<string, T>();
    for (const item of items) {
      const name = this.#known.get(item);
      if (name !== undefined && !byName.has(name)) byName.set(name, item);
    }
    return Array.from(items, (item) => ({ name: this.#nameOf(item, byName), item }));
  }

  /** Throws ERR_CONTROL_NOT_FOUND. */
  find(name: string): Served<T> {
    const all = this.list();
    const found = all.find((each) => each.name === name);
    if (found !== undefined) return found;
    const names = all.map((each) => show(each.name)).join(', ') || 'none';
    const message = `No ${this.#kind} ${show(name)}. There are: ${names}`;
    throw new RequestError('ERR_CONTROL_NOT_FOUND', message);
  }

  #nameOf(item: T, byName: Map<string, T>): string {
    const known = this.#known.get(item);
    if (known !== undefined && byName.get(known) === item) return known;
    const name = freeName(wellFormed(this.#wanted(item)), byName);
    this.#known.set(item, name);
    byName.set(name, item);
    return name;
  }
}

/** What a pool is like now, under the name under which it is served. */
export function statsOf({ name, item }: ServedPool): PoolStats {
  return { ...item.stats(), name };
}

function freeName(wanted: string, byName: ReadonlyMap<string, unknown>): string {
  if (!UNUSABLE.includes(wanted) && !byName.has(wanted)) return wanted;
  for (let i = 2; ; i++) if (!byName.has(`${wanted}~${i}`)) return `${wanted}~${i}`;
}

/** Half a surrogate pair has no UTF-8, so neither a URL nor a label can carry it. */
function wellFormed(name: string): string {
  return Buffer.from(String(name), 'utf8').toString('utf8');
}
