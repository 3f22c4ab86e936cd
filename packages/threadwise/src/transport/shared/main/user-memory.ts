/** Shared memory that users pass again and again: workers are told of it once, and each call has only its number. */
import type { Clone } from '../../../core/calls/payload.js';
import type { NumberOf } from '../../codec/value-writer.js';
import type { Arena } from './arena.js';

/**
 * Workers are told of a buffer when its number is asked for the third time. A plain call whose arguments go by port asks twice, and any other
 * call asks once, so the second or third call with the buffer has them told. Where each call has a buffer of its own, to tell all workers of it
 * would cost more than to send it to one.
 */
const TIMES_ASKED = 3;

/**
 * The arena has an object of its own for the same memory, so that the engine can collect the user's object. When that was collected, no open
 * call names the memory any more, as cells hold the objects that their arguments name; and no later call can name it.
 */
export function numbersOfUserMemory(arena: Arena, clone: Clone): NumberOf {
  /** The number of a buffer's segment; below 0: how many times more it is asked for until it has one. */
  const numbers = new WeakMap<object, number>();
  const collected = new FinalizationRegistry<number>((index) => arena.drop(index));
  return (buffer) => {
    const known = numbers.get(buffer) ?? -TIMES_ASKED;
    if (known >= 0) return known;
    if (known < -1) {
      numbers.set(buffer, known + 1);
      return -1;
    }
    if (!arena.canAdopt) return -1;
    const index = arena.adopt(clone(buffer) as ArrayBufferLike);
    numbers.set(buffer, index);
    collected.register(buffer, index);
    return index;
  };
}
