/** How many things happen in a second: counted by the second, over the last few. */

/** How many whole seconds are kept. */
const SECONDS = 10;

export class Throughput {
  /** The count of each second, where it belongs by its number. */
  readonly #counts = new Float64Array(SECONDS + 1);
  #second = 0;
  /** Of the current one: when it ends, and where it is counted. Milliseconds. */
  #end = 0;
  #at = 0;
  #firstSecond = 0;

  /** @param now milliseconds */
  count(now: number, calls = 1): void {
    // For every call: so most of them only compare and count.
    if (now >= this.#end) this.#advance(Math.floor(now / 1000));
    this.#counts[this.#at]! += calls;
  }

  /** Per second, over the last ten whole seconds; while there are not so many, over those that there are. */
  rate(now: number): number {
    const second = Math.floor(now / 1000);
    if (this.#firstSecond === 0) return 0;
    this.#advance(second);
    const current = second % this.#counts.length;
    const sum = this.#counts.reduce((total, count, i) => (i === current ? total : total + count), 0);
    const seconds = Math.min(SECONDS, second - this.#firstSecond);
    // In the first second there is no whole one yet.
    return seconds === 0 ? this.#counts[current]! : sum / seconds;
  }

  /** A clock that goes back changes nothing. */
  #advance(second: number): void {
    if (second <= this.#second) return;
    if (this.#firstSecond === 0) this.#firstSecond = second;
    const passed = Math.min(this.#counts.length, second - this.#second);
    for (let i = 0; i < passed; i++) this.#counts[(second - i) % this.#counts.length] = 0;
    this.#second = second;
    this.#end = (second + 1) * 1000;
    this.#at = second % this.#counts.length;
  }
}
