/**
 * Which thread this is, and which threads have ended: so that what a dead thread held is not held for ever. sync/README.md says how. It is
 * here because a coordinator's thread, too, starts threads.
 */
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

/** Notes the end of each thread that this one starts from now on. */
export function noteEnds(): void {
  process.on('worker', (worker: Worker) => {
    const number = worker.threadId + 1;
    worker.once('exit', () => Atomics.store(ended, number % PLACES, number));
  });
}

/** Whether the thread with this number has ended, so that it never does anything again. */
export function hasEnded(number: number): boolean {
  return Atomics.load(ended, number % PLACES) === number;
}
