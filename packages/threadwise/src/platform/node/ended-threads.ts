/** Which threads have ended, so that none holds a lock for ever; sync/README.md says how. A coordinator's thread, and the first one of a process with several workers, note ends, too. */
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';

/** The key by which all copies of the package in a process find the same table; another layout takes another number. */
const KEY = 'threadwise/sync: threads, 2';
/** How many other threads have to start before a dead one may be forgotten. Chosen by hand: 128 KiB. */
const PLACES = 2 ** 14;

/** The number by which structures know this thread. Never 0, which stands for no thread. */
export const OWN_NUMBER = threadId + 1;

/** The memory of the table, and the number of the nearest thread that has loaded this module, of those that have started this one in turn. */
const given = getEnvironmentData(KEY) as unknown as readonly [SharedArrayBuffer, number] | undefined;
const [memory, starter] = given ?? [new SharedArrayBuffer(PLACES * BigInt64Array.BYTES_PER_ELEMENT), 0];
const threads = new BigInt64Array(memory, 0, PLACES);
// If the starter is this thread, another copy of the package is loaded here and does all this.
if (starter !== OWN_NUMBER) {
  note(OWN_NUMBER, starter);
  // The types of Node.js allow as a value only what can be a key.
  setEnvironmentData(KEY, [memory, OWN_NUMBER] as unknown as string);
}

/** Notes with which thread a thread ends. For a thread that has ended, its own number is noted. */
function note(number: number, endsWith: number): void {
  Atomics.store(threads, number % PLACES, BigInt(number) | (BigInt(endsWith) << 32n));
}

/** Notes the end of each thread that this one starts from now on. */
export function noteEnds(): void {
  if (starter === OWN_NUMBER) return;
  // In Jest `process` is a copy, which hears of no worker.
  const real = process.getBuiltinModule('node:vm').runInThisContext('process') as typeof process;
  real.on('worker', (worker) => {
    const number = worker.threadId + 1;
    worker.once('exit', () => note(number, number));
  });
}

/** Whether the thread with this number has ended, by itself or with a thread that started it. 0 never has. */
export function hasEnded(number: number): boolean {
  if (number === 0) return false;
  const word = Atomics.load(threads, number % PLACES);
  const endsWith = Number(word >> 32n);
  return Number(BigInt.asIntN(32, word)) === number && (endsWith === number || hasEnded(endsWith));
}
