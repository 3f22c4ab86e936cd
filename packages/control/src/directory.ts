/** The pools or fleets that are served, and the name of each in URLs: their own names may be any text and need not be unique. */
import type { ControllablePool, PoolStats } from './controllable-pool.js';
import { RequestError, show } from './errors.js';

export interface Served<T> {
  /** Unique; the item's own name unless it is taken or unusable. */
  readonly name: string;
  readonly item: T;
}
export type ServedPool = Served<ControllablePool>;

interface Known {
  readonly name: string;
  /** The number of the last listing with this item. */
  listing: number;
}

/** Path segments that clients resolve or drop, even percent-encoded. */
const UNUSABLE = ['', '.', '..'];

export type Directory<T extends object> = ReturnType<typeof directoryOf<T>>;

/**
 * All pools, or all fleets, each with a unique name.
 * @param items read at each request, so it may change
 */
export function directoryOf<T extends object>(kind: string, items: Iterable<T>, wanted: (item: T) => string) {
  /** Names are kept for the life of an item: otherwise the counters of one pool would continue under another's name. */
  const knownItems = new WeakMap<T, Known>();
  let listings = 0;
  return { list, find };

  /** Returns the items in their order. */
  function list(): readonly Served<T>[] {
    const listed = new Set(items);
    const byName = new Map<string, Known>();
    for (const item of listed) {
      const known = knownItems.get(item);
      if (known === undefined) continue;
      const other = byName.get(known.name);
      // Two items have one name if one got it while the other was away. It stays with the one that was listed last.
      if (other === undefined || other.listing < known.listing) byName.set(known.name, known);
    }
    listings++;
    return Array.from(listed, (item) => ({ name: nameOf(item, byName), item }));
  }

  /** Throws a RequestError, ERR_CONTROL_NOT_FOUND, if there is no such name. */
  function find(name: string): Served<T> {
    const all = list();
    const found = all.find((each) => each.name === name);
    if (found !== undefined) return found;
    const names = all.map((each) => show(each.name)).join(', ') || 'none';
    throw new RequestError('ERR_CONTROL_NOT_FOUND', `No ${kind} ${show(name)}. There are: ${names}`);
  }

  function nameOf(item: T, byName: Map<string, Known>): string {
    let known = knownItems.get(item);
    if (known === undefined || byName.get(known.name) !== known) {
      known = { name: freeName(wellFormed(wanted(item)), byName), listing: 0 };
      knownItems.set(item, known);
      byName.set(known.name, known);
    }
    known.listing = listings;
    return known.name;
  }
}

/** The pool's statistics, with the name under which it is served. */
export function statsOf({ name, item }: ServedPool): PoolStats {
  return { ...item.stats(), name };
}

function freeName(wanted: string, byName: ReadonlyMap<string, unknown>): string {
  if (!UNUSABLE.includes(wanted) && !byName.has(wanted)) return wanted;
  for (let i = 2; ; i++) if (!byName.has(`${wanted}~${i}`)) return `${wanted}~${i}`;
}

/** Replaces lone surrogates: they have no UTF-8, so neither a URL nor a label can carry them. */
function wellFormed(name: string): string {
  return Buffer.from(String(name), 'utf8').toString('utf8');
}
