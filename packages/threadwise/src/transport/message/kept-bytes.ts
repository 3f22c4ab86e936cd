/** Captures large bytes in memory that is used again. */
import { isImmutable, type Payload } from '../../core/calls/payload.js';
import { KeptMemory } from '../../core/lease.js';
import { fixedByteLengthOf, sightOf } from '../codec/builtins.js';

/** Arrays of at least this many bytes are kept: for shorter ones the system is not asked for memory each time. Chosen by hand. */
const FROM_BYTES = 2 ** 16;
/** The kind of a Uint8Array. */
const UINT8 = 0;
/** The most that is kept while no call uses it. Bytes; chosen by hand. */
const MOST_KEPT = 2 ** 24;

export class KeptBytes {
  readonly #kept = new KeptMemory<Uint8Array>(MOST_KEPT);

  /** Captures arguments. Undefined unless they are one large Uint8Array, which sees all of its buffer, and values that cannot change. */
  capture(given: readonly unknown[]): Payload | undefined {
    const at = given.findIndex((value) => !isImmutable(value));
    const source = given[at];
    if (!isWhole(source) || given.some((value, i) => i !== at && !isImmutable(value))) return undefined;
    const { byteLength } = source;
    const copy = this.#kept.take(byteLength) ?? new Uint8Array(byteLength);
    copy.set(source);
    return {
      args: given.with(at, copy),
      transfer: [],
      // What was posted is a copy of its own: a task that still runs does not touch this one.
      onSettled: (stillRuns) => {
        if (!stillRuns) this.#kept.keep(copy);
      },
    };
  }
}

/** Whether the value is a large Uint8Array that sees all of its buffer, so that nothing but its bytes would have to be copied. */
function isWhole(value: unknown): value is Uint8Array<ArrayBuffer> {
  const sight = ArrayBuffer.isView(value) ? sightOf(value) : undefined;
  if (sight?.kind !== UINT8 || sight.length < FROM_BYTES) return false;
  return fixedByteLengthOf(sight.buffer) === sight.length;
}
