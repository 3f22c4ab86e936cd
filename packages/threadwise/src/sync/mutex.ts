/** A lock with one holder at a time, among all threads; a holder that dies releases it. README.md has the protocol. */
import { types } from 'node:util';
import { callback, reject } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { hasEnded, OWN_NUMBER } from '../platform/node/ended-threads.js';
import { awaiting, blocking, isShared, type Steps, Structure, type WaitOptions } from './waiting.js';

const STATE = 1;
const WORDS = 2;
const FREE = 0;
/** The lowest bit of a held lock: a thread may sleep on the word. */
const WAITED = 1;

/** Takes the lock in word `at`. Returns whether the thread that held it has died. */
export function* acquire(words: Int32Array, at: number, number: number): Steps<boolean> {
  let own = number << 1;
  for (;;) {
    const seen = Atomics.compareExchange(words, at, FREE, own);
    if (seen === FREE) return false;
    if (hasEnded(seen >>> 1)) {
      if (Atomics.compareExchange(words, at, seen, own | WAITED) === seen) return true;
      continue;
    }
    const waited = seen | WAITED;
    if (seen === waited || Atomics.compareExchange(words, at, seen, waited) === seen) {
      yield { at, value: waited };
      own |= WAITED;
    }
  }
}

/** Inverse of `acquire`. */
export function release(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) & WAITED) Atomics.notify(words, at, 1);
}

/** A lock that is held until it is released. */
export class Hold {
  /** Whether the thread that held the lock before has died with it: what the lock guards may be half written. */
  readonly isAbandoned: boolean;
  #words: Int32Array | undefined;

  /** @internal */
  constructor(words: Int32Array, isAbandoned: boolean) {
    this.#words = words;
    this.isAbandoned = isAbandoned;
  }

  /** Releases the lock. A second call does nothing. */
  release(): void {
    if (this.#words !== undefined) release(this.#words, STATE);
    this.#words = undefined;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/**
 * A lock. Not reentrant: a thread that holds it and locks again waits for itself. Not fair: the first thread that tries gets it. If the thread
 * that holds it ends, another one that waits gets it within about 0.1 s, and `isAbandoned` says so.
 */
export class Mutex extends Structure {
  constructor(buffer?: SharedArrayBuffer) {
    // A caller that gives anything else means a lock that exists already: a new one would keep nobody out.
    if (buffer !== undefined && !isShared(buffer)) reject('buffer', 'a SharedArrayBuffer', buffer);
    super('Mutex', buffer, 4 * WORDS);
  }

  /** Waits until this caller has the lock. Rejects with ERR_TASK_TIMEOUT. */
  async lock(options?: WaitOptions): Promise<Hold> {
    return new Hold(this.words, await awaiting(this.words, 'lock()', this.#acquire(), options));
  }

  /** Does what `lock` does, but blocks the thread. Throws ERR_OPTION on the main thread, and if this thread holds the lock itself. */
  lockSync(options?: WaitOptions): Hold {
    if (Atomics.load(this.words, STATE) >>> 1 === OWN_NUMBER) {
      throw new ThreadwiseError('ERR_OPTION', 'lockSync() would wait for ever: this thread holds the lock');
    }
    return new Hold(this.words, blocking(this.words, 'lockSync()', this.#acquire(), options));
  }

  /** Takes the lock if that is possible at once; else returns undefined. */
  tryLock(): Hold | undefined {
    const state = Atomics.load(this.words, STATE);
    if (state !== FREE && !hasEnded(state >>> 1)) return undefined; // `acquire` would mark the lock as waited for
    const first = this.#acquire().next();
    return first.done ? new Hold(this.words, first.value) : undefined;
  }

  /** Runs a function while holding the lock. `isAbandoned`: as in `Hold`. */
  async withLock<T>(run: (isAbandoned: boolean) => T, options?: WaitOptions): Promise<Awaited<T>> {
    callback('run', run);
    const hold = await this.lock(options);
    try {
      return await run(hold.isAbandoned);
    } finally {
      hold.release();
    }
  }

  /**
   * Does what `withLock` does, but blocks the thread, as `lockSync` does. Throws ERR_OPTION if the function returns a promise: the lock is
   * released by then.
   */
  withLockSync<T>(run: (isAbandoned: boolean) => T, options?: WaitOptions): T {
    callback('run', run);
    const hold = this.lockSync(options);
    try {
      const result = run(hold.isAbandoned);
      if (types.isPromise(result))
        reject('run', "a function that returns no promise, as 'withLock' takes one", result);
      return result;
    } finally {
      hold.release();
    }
  }

  #acquire(): Steps<boolean> {
    return acquire(this.words, STATE, OWN_NUMBER);
  }
}
