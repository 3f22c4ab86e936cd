/** A whole number that all threads add to. */
import { reject } from '../core/options/checks.js';
import { isShared, Structure } from './waiting.js';

/** The place of the number, in words of 64 bits; the first one says what the buffer is. */
const VALUE = 1;
const WORDS = 4;

/** A whole number that many threads add to: each addition is one step, and none is lost. */
export class Counter extends Structure {
  readonly #values: BigInt64Array;

  /** Begins with `value`, a whole number. Default 0. */
  constructor(value: number | SharedArrayBuffer = 0) {
    super('Counter', value, 4 * WORDS);
    this.#values = new BigInt64Array(this.buffer, 0, WORDS / 2);
    if (!isShared(value)) this.value = value;
  }

  /** The number now; exact from -(2^53 - 1) to 2^53 - 1. */
  get value(): number {
    return Number(Atomics.load(this.#values, VALUE));
  }

  set value(value: number) {
    Atomics.store(this.#values, VALUE, whole('value', value));
  }

  /**
   * Adds a whole number, default 1; a negative one takes away. Returns the number **before** that, as `Atomics.add` does: so
   * `const i = next.add()` gives each thread a number of its own.
   */
  add(by = 1): number {
    return Number(Atomics.add(this.#values, VALUE, whole('by', by)));
  }
}

function whole(option: string, value: unknown): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  return reject(option, 'a whole number from -(2^53 - 1) to 2^53 - 1', value);
}
