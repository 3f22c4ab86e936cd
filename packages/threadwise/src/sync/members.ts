/** The threads that take part in a structure, each in a word of its own. README.md says how. */
import { hasEnded } from '../platform/node/ended-threads.js';

/**
 * Enters a thread among the members of a structure, in the words from `first` on. Returns the place of its word; -1 if none is left.
 * `isOnce`: a thread that is there already is not entered again.
 */
export function enter(words: Int32Array, first: number, number: number, isOnce = false): number {
  for (let at = first; at < words.length; at++) {
    const seen = Atomics.compareExchange(words, at, 0, number);
    if (seen === 0 || (isOnce && seen === number)) return at;
  }
  return -1;
}

/** Whether one of the members in the words from `first` on has ended. */
export function hasMemberEnded(words: Int32Array, first: number): boolean {
  for (let at = first; at < words.length; at++) {
    const number = Atomics.load(words, at);
    if (number !== 0 && hasEnded(number)) return true;
  }
  return false;
}
