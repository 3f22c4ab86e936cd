/** Runs of free pages: finds the shortest that will do, and joins what comes back to its free neighbours. */

const NONE = -1;

/** Doubly linked lists of pages by their numbers, in arrays: a page is in one list at most. */
export class PageLists {
  readonly #heads: Int32Array;
  #next = new Int32Array(0);
  #previous = new Int32Array(0);

  constructor(lists: number) {
    this.#heads = new Int32Array(lists).fill(NONE);
  }

  /** Makes room for pages with numbers below `pages`. */
  grow(pages: number): void {
    this.#next = grown(this.#next, pages);
    this.#previous = grown(this.#previous, pages);
  }

  /** The page that was put into a list last, or -1. */
  head(list: number): number {
    return this.#heads[list]!;
  }

  isAlone(list: number, page: number): boolean {
    return this.#heads[list] === page && this.#next[page] === NONE;
  }

  put(list: number, page: number): void {
    const head = this.#heads[list]!;
    this.#previous[page] = NONE;
    this.#next[page] = head;
    if (head !== NONE) this.#previous[head] = page;
    this.#heads[list] = page;
  }

  remove(list: number, page: number): void {
    const previous = this.#previous[page]!;
    const next = this.#next[page]!;
    if (previous === NONE) this.#heads[list] = next;
    else this.#next[previous] = next;
    if (next !== NONE) this.#previous[next] = previous;
  }
}

export class PageRuns {
  /** A list for each length, and one for all that are longer than anybody asks for. */
  readonly #byLength: PageLists;
  readonly #longest: number;
  readonly #stride: number;
  /** A bit for each list: whether it has any run. Saves looking at hundreds of them. */
  readonly #hasAny: Int32Array;
  /** Of the first and of the last page of a free run: its length; of all other pages 0. */
  #lengths = new Int32Array(0);

  /** `most`: the longest run that is ever taken, in pages. No run goes on across a multiple of `stride`. */
  constructor(most: number, stride: number) {
    this.#stride = stride;
    this.#longest = most + 1;
    this.#byLength = new PageLists(this.#longest + 1);
    this.#hasAny = new Int32Array((this.#longest >> 5) + 1);
  }

  /** Makes room for pages with numbers below `pages`; none of them is free yet. */
  grow(pages: number): void {
    this.#lengths = grown(this.#lengths, pages);
    this.#byLength.grow(pages);
  }

  /** The first of so many pages, or -1. */
  take(pages: number): number {
    const run = this.#find(pages);
    if (run === NONE) return NONE;
    const length = this.#lengths[run]!;
    this.#remove(run, length);
    if (length > pages) this.#add(run + pages, length - pages);
    return run;
  }

  /** Inverse of `take`. */
  free(run: number, pages: number): void {
    const end = run + pages;
    const before = run % this.#stride === 0 ? 0 : this.#lengths[run - 1]!;
    const after = end % this.#stride === 0 ? 0 : this.#lengths[end]!;
    if (before > 0) this.#remove(run - before, before);
    if (after > 0) this.#remove(end, after);
    this.#add(run - before, before + pages + after);
  }

  #find(pages: number): number {
    let word = pages >> 5;
    let lists = this.#hasAny[word]! & (-1 << (pages & 31));
    while (lists === 0) {
      if (++word === this.#hasAny.length) return NONE;
      lists = this.#hasAny[word]!;
    }
    const lowest = 31 - Math.clz32(lists & -lists);
    return this.#byLength.head((word << 5) + lowest);
  }

  #add(run: number, pages: number): void {
    const list = Math.min(pages, this.#longest);
    this.#lengths[run] = pages;
    this.#lengths[run + pages - 1] = pages;
    this.#byLength.put(list, run);
    this.#hasAny[list >> 5]! |= 1 << (list & 31);
  }

  #remove(run: number, pages: number): void {
    const list = Math.min(pages, this.#longest);
    this.#lengths[run] = 0;
    this.#lengths[run + pages - 1] = 0;
    this.#byLength.remove(list, run);
    if (this.#byLength.head(list) === NONE) this.#hasAny[list >> 5]! &= ~(1 << (list & 31));
  }
}

/** The same numbers and zeros behind them. */
export function grown(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(length);
  longer.set(array);
  return longer;
}
