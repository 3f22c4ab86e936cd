/** A gate that opens when something has happened a given number of times. README.md has the protocol. */
import { integer } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { OWN_NUMBER } from '../platform/node/ended-threads.js';
import {
  awaiting,
  blocking,
  broken,
  enter,
  hasMemberEnded,
  isShared,
  MOST_MEMBERS,
  Structure,
} from './waiting.js';
import type { Steps, WaitOptions } from './waiting.js';

export const COUNT = 1;
/** The first of the words for the threads that have joined, one for each. */
const MEMBERS = 2;

const ABORTED = -1;
const ENDED = -2;

/** Takes `by` off the count; a `by` below 0 (ABORTED or ENDED) breaks the latch and says why. An open latch stays open, and a broken one broken. */
export function lower(words: Int32Array, by: number): void {
  for (;;) {
    const count = Atomics.load(words, COUNT);
    if (count <= 0) return;
    const next = by < 0 ? by : Math.max(0, count - by);
    if (Atomics.compareExchange(words, COUNT, count, next) !== count) continue;
    if (next <= 0) Atomics.notify(words, COUNT);
    return;
  }
}

export function* untilOpen(words: Int32Array): Steps<void> {
  for (;;) {
    const value = Atomics.load(words, COUNT);
    if (value === 0) return;
    if (value < 0) throw broken('Latch', value === ENDED ? 'ended' : 'aborted');
    if (hasMemberEnded(words, MEMBERS)) lower(words, ENDED);
    else yield { at: COUNT, value };
  }
}

/** Opens when it was counted down to 0, once and for all who wait. */
export class Latch extends Structure {
  /** @param count - how often it has to be counted down: 0 to 2^31 - 1 */
  constructor(count: number | SharedArrayBuffer) {
    const isOpened = isShared(count);
    const missing = isOpened ? 0 : integer('count', count, 0, 2 ** 31 - 1);
    super('Latch', count, () => MEMBERS + Math.min(missing, MOST_MEMBERS));
    if (!isOpened) Atomics.store(this.words, COUNT, missing);
  }

  /** How often the latch has yet to be counted down. */
  get count(): number {
    return Math.max(0, Atomics.load(this.words, COUNT));
  }

  /** Counts down by 1, or by `by`, which is 1 to 2^31 - 1; never below 0. */
  countDown(by = 1): void {
    lower(this.words, integer('by', by, 1, 2 ** 31 - 1));
  }

  /**
   * Promises that this thread will count down once. Returns the function that does. If the thread ends before that, the latch is broken.
   * Throws ERR_OPTION if as many threads have joined as can count it down, or 1,023.
   */
  join(): () => void {
    const at = enter(this.words, MEMBERS, OWN_NUMBER);
    if (at < 0) {
      const most = this.words.length - MEMBERS;
      throw new ThreadwiseError('ERR_OPTION', `At most ${most} threads can join this latch at a time`);
    }
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      lower(this.words, 1);
      Atomics.store(this.words, at, 0);
    };
  }

  /** Waits until it is open. Rejects with ERR_TASK_TIMEOUT; if broken, ERR_WORKER_CRASHED (a joined thread ended) or ERR_TASK_ABORTED. */
  wait(options?: WaitOptions): Promise<void> {
    return awaiting(this.words, 'Latch.wait()', untilOpen(this.words), options);
  }

  /** Does what `wait` does, but blocks the thread. Throws ERR_OPTION on the main thread. */
  waitSync(options?: WaitOptions): void {
    blocking(this.words, 'Latch.waitSync()', untilOpen(this.words), options);
  }

  /** Breaks the latch if it is not open: every wait, now or later, rejects with ERR_TASK_ABORTED. */
  abort(): void {
    lower(this.words, ABORTED);
  }
}
