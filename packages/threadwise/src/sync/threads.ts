/** Which thread this is, and which threads have ended: so that what a dead thread held is not held for ever. README.md says how. */
import process from 'node:process';
import { getEnvironmentData, setEnvironmentData, threadId, type Worker } from 'node:worker_threads';

/** The key by which all copies of the package in a process find the same table; another layout takes another number. */
const KEY = 'threadwise/sync: ended threads, 1';
/** How many other threads have to end before a dead one may be forgotten. Chosen by hand: 64 KiB. */
const PLACES = 2 ** 14;

/** The number by which structures know this thread. Never 0, which stands for nobody. */
export const OWN_NUMBER = threadId + 1;

const ended = new Int32Array(endedThreads(), 0, PLACES);

function endedThreads(): SharedArrayBuffer {
  const given = getEnvironmentData(KEY) as unknown;
  if (given instanceof SharedArrayBuffer) return given;
  const made = new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT);
  // The types of Node.js allow as a value only what can be a key.
  setEnvironmentData(KEY, made as unknown as string);
  return made;
}

process.on('worker', (worker: Worker) => {
  const number = worker.threadId + 1;
  worker.once('exit', () => Atomics.store(ended, number % PLACES, number));
});

/** Whether the thread with this number has ended, so that it never does anything again. */
export function hasEnded(number: number): boolean {
  return Atomics.load(ended, number % PLACES) === number;
}

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
