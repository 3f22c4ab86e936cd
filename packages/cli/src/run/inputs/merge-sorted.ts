/** Several sorted listings as one, without duplicates: patterns may overlap, and a file is still one input. */

export function* mergeSorted<T>(
  listings: readonly Iterable<T>[],
  compare: (a: T, b: T) => number,
): Generator<T> {
  const heads = listings.map((listing) => new Head(listing));
  for (;;) {
    const least = leastOf(heads, compare);
    if (least === undefined) return;
    yield least;
    // Equal heads are the same item found by another pattern.
    for (const head of heads) {
      if (head.current !== undefined && compare(head.current, least) === 0) head.advance();
    }
  }
}

class Head<T> {
  current: T | undefined;
  readonly #items: Iterator<T>;

  constructor(listing: Iterable<T>) {
    this.#items = listing[Symbol.iterator]();
    this.advance();
  }

  advance(): void {
    const next = this.#items.next();
    this.current = next.done === true ? undefined : next.value;
  }
}

function leastOf<T>(heads: readonly Head<T>[], compare: (a: T, b: T) => number): T | undefined {
  let least: T | undefined;
  for (const { current } of heads) {
    if (current !== undefined && (least === undefined || compare(current, least) < 0)) least = current;
  }
  return least;
}
