// Takes results as they come: checks each of them, and knows how long they took, and how long more of them would have.
import assert from 'node:assert/strict';

export class Results {
  #expected;
  #isRight;
  #now;
  #right = 0;
  #start = 0;
  #halfMs = 0;
  #lastMs = 0;

  /** @param expected how many there will be @param now milliseconds, from whenever */
  constructor(expected, isRight, now = () => performance.now()) {
    this.#expected = expected;
    this.#isRight = isRight;
    this.#now = now;
  }

  get #half() {
    return Math.ceil(this.#expected / 2);
  }

  start() {
    this.#start = this.#now();
  }

  take = (result) => {
    if (!this.#isRight(result)) return;
    this.#right++;
    if (this.#right === this.#half) this.#halfMs = this.#now() - this.#start;
    if (this.#right === this.#expected) this.#lastMs = this.#now() - this.#start;
  };

  /**
   * Milliseconds from the start to the last of `count` results. If there were fewer, all others are taken to have come as
   * the second half of these did, when threads were there and code was compiled. Throws unless all came, and rightly.
   */
  timeOf(count) {
    assert.equal(this.#right, this.#expected, 'results that came, and are right');
    const further = count - this.#expected;
    if (further === 0) return this.#lastMs;
    return this.#lastMs + (further * (this.#lastMs - this.#halfMs)) / (this.#expected - this.#half);
  }
}
