/** How many things happen in a second: counted by the second, over the last few. */

/** How many whole seconds are kept. */
const SECONDS = 10;

export class Throughput {
  /** The count of each second, at the second's number modulo the length. */
  readonly #counts = new Float64Array(SECONDS + 1);
  #firstSecond = 0;
  #second = 0;
  /** When the current second ends, in milliseconds, and at which index it is counted. */
  #end = 0;
  #at = 0;

  /** @param now milliseconds */
  count(now: number, count = 1): void {
    // This runs for every call: most calls only compare and count.
    if (now >= this.#end) this.#advance(now);
    this.#counts[this.#at]! += count;
  }

  /** The mean per second over the last ten whole seconds, or over as many as there have been; in the first second, its count so far. */
  rate(now: number): number {
    if (this.#firstSecond === 0) return 0;
    this.#advance(now);
    const seconds = Math.min(SECONDS, this.#second - this.#firstSecond);
    const current = this.#counts[this.#at]!;
    return seconds === 0 ? current : (this.#counts.reduce((sum, count) => sum + count) - current) / seconds;
  }

  /** Goes on to the second of `now`. A clock that goes back changes nothing. */
  #advance(now: number): void {
    const second = Math.floor(now / 1000);
    if (this.#firstSecond === 0) this.#firstSecond = second;
    while (this.#second < second) {
      this.#second = Math.max(this.#second + 1, second - SECONDS);
      this.#at = this.#second % this.#counts.length;
      this.#counts[this.#at] = 0;
    }
    this.#end = (this.#second + 1) * 1000;
  }
}
