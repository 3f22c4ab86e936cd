/** Which pools there are, and under which name each is served: names may be any text, and need not be unique. */
import type { ControllablePool, PoolStats } from './controllable-pool.js';
import { RequestError, show } from './errors.js';

export interface ServedPool {
  /** Unique; the pool's own name where that can be had. */
  readonly name: string;
  readonly pool: ControllablePool;
}

/** As the path of a URL these mean something else, however they are encoded. */
const UNUSABLE = ['', '.', '..'];

export class PoolDirectory {
  readonly #pools: Iterable<ControllablePool>;
  /** A pool keeps its name, or the counters of one would go on as those of another. */
  readonly #names = new WeakMap<ControllablePool, string>();

  /** @param pools read anew each time, so it may change */
  constructor(pools: Iterable<ControllablePool>) {
    this.#pools = pools;
  }

  list(): readonly ServedPool[] {
    const byName = new Map<string, ControllablePool>();
    const pools = new Set(this.#pools);
    for (const pool of pools) {
      const name = this.#names.get(pool);
      if (name !== undefined && !byName.has(name)) byName.set(name, pool);
    }
    return Array.from(pools, (pool) => ({ name: this.#nameOf(pool, byName), pool }));
  }

  /** Throws ERR_CONTROL_NOT_FOUND. */
  find(name: string): ServedPool {
    const served = this.list();
    const found = served.find((each) => each.name === name);
    if (found !== undefined) return found;
    const names = served.map((each) => show(each.name)).join(', ') || 'none';
    throw new RequestError('ERR_CONTROL_NOT_FOUND', `No pool ${show(name)}. There are: ${names}`);
  }

  #nameOf(pool: ControllablePool, byName: Map<string, ControllablePool>): string {
    const known = this.#names.get(pool);
    if (known !== undefined && byName.get(known) === pool) return known;
    const name = freeName(wellFormed(pool.name), byName);
    this.#names.set(pool, name);
    byName.set(name, pool);
    return name;
  }
}

/** What a pool is like now, under the name under which it is served. */
export function statsOf({ name, pool }: ServedPool): PoolStats {
  return { ...pool.stats(), name };
}

function freeName(wanted: string, byName: ReadonlyMap<string, unknown>): string {
  if (!UNUSABLE.includes(wanted) && !byName.has(wanted)) return wanted;
  for (let i = 2; ; i++) if (!byName.has(`${wanted}~${i}`)) return `${wanted}~${i}`;
}

/** Half a surrogate pair has no UTF-8, so neither a URL nor a label can carry it. */
function wellFormed(name: string): string {
  return Buffer.from(String(name), 'utf8').toString('utf8');
}
