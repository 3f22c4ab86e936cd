/**
 * A stateless model checker for what threads do to shared words: runs something again and again in one thread, each
 * time with other decisions about who goes next. While one side is in the middle of a step, the others may take whole
 * steps: so steps nest, and two of them do not take turns within each other.
 */

/** Picks one of `count` ways to go on; 0 is the usual one. */
export type Choose = (count: number) => number;

export interface Explored {
  readonly runs: number;
  /** The different things that the runs came to. */
  readonly endings: Set<string>;
}

const ACCESSES = ['load', 'store', 'add', 'sub', 'or', 'and', 'exchange', 'compareExchange'] as const;
export type Access = (typeof ACCESSES)[number];

export interface Watch {
  /** Ahead of every access to a shared word: `args` are the array, the place in it, and what else it takes. */
  before(access: Access, args: readonly unknown[]): void;
  after?(access: Access, args: readonly unknown[], result: unknown): void;
}

/** Calls back around every access to a shared word. Returns what undoes that. */
export function watchAtomics({ before, after }: Watch): () => void {
  const original = Object.fromEntries(ACCESSES.map((access) => [access, Atomics[access]]));
  for (const access of ACCESSES) {
    const unwatched = Atomics[access] as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      before(access, args);
      const result = unwatched(...args);
      after?.(access, args, result);
      return result;
    };
    Object.defineProperty(Atomics, access, { value: watched, configurable: true, writable: true });
  }
  return () => void Object.assign(Atomics, original);
}

/** Runs once for every sequence of decisions. */
export function everyWay(run: (choose: Choose) => string): Explored {
  const endings = new Set<string>();
  let runs = 0;
  for (let path: Decision[] | undefined = []; path !== undefined; path = nextPath(path)) {
    let depth = 0;
    const taken: Decision[] = path;
    const choose = (count: number): number => {
      if (count === 1) return 0;
      taken[depth] ??= { chosen: 0, count };
      if (taken[depth]!.count !== count) throw new Error('The run depends on more than on its decisions');
      return taken[depth++]!.chosen;
    };
    endings.add(
      attempt(
        () => run(choose),
        () => `decisions ${taken.map(({ chosen }) => chosen).join(' ')}`,
      ),
    );
    runs++;
  }
  return { runs, endings };
}

interface Decision {
  readonly chosen: number;
  readonly count: number;
}

/** The next sequence in lexical order: the last decision that can still be another one is. */
function nextPath(path: Decision[]): Decision[] | undefined {
  for (let i = path.length - 1; i >= 0; i--) {
    const { chosen, count } = path[i]!;
    if (chosen + 1 < count) return [...path.slice(0, i), { chosen: chosen + 1, count }];
  }
  return undefined;
}

/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** At least 0, less than 1 (the generator is known as mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let x = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }

  /** At least 0, less than `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** Runs with the seeds `first`, `first + 1` and so on. */
export function manyWays(runs: number, first: number, run: (random: Random) => string): Explored {
  const endings = new Set<string>();
  for (let seed = first; seed < first + runs; seed++) {
    endings.add(
      attempt(
        () => run(new Random(seed)),
        () => `seed ${seed}`,
      ),
    );
  }
  return { runs, endings };
}

/** What fails says how it came about. */
function attempt(run: () => string, how: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error) error.message = `${error.message}\n(${how()})`;
    throw error;
  }
}
