/** Structures at which threads wait for each other, and which break when one of these threads dies. README.md has the protocols. */
import { integer } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { hasEnded, OWN_NUMBER } from '../platform/node/ended-threads.js';
import { awaiting, blocking, isShared, type Steps, Structure, type WaitOptions } from './waiting.js';

/** Why a gate can be broken, by the number that its word has: the code and the text of the error for all who wait. */
const BREAKS = [
  ['ERR_TASK_ABORTED', 'it was aborted'],
  ['ERR_WORKER_CRASHED', 'a thread that takes part has ended'],
  ['ERR_TASK_TIMEOUT', 'a wait for it has timed out'],
] as const;
export const ABORTED = 0;
const ENDED = 1;
const LATE = 2;

function broken(kind: string, why: number): ThreadwiseError {
  const [code, text] = BREAKS[why] ?? BREAKS[ABORTED];
  return new ThreadwiseError(code, `The ${kind} is broken: ${text}`);
}

// --- the threads that take part, each in a word of its own ---

/** How many threads a gate can know at the same time: 4 KiB. Chosen by hand. */
const MOST_MEMBERS = 1023;

/** Enters a thread in the words from `first` on; `isOnce`: unless it is there already. Returns the place of its word; -1: none is left. */
function enter(words: Int32Array, first: number, number: number, isOnce = false): number {
  for (let at = first; at < words.length; at++) {
    const seen = Atomics.compareExchange(words, at, 0, number);
    if (seen === 0 || (isOnce && seen === number)) return at;
  }
  return -1;
}

/** Whether one of the members in the words from `first` on has ended. `isOnce`: no member ever leaves, so that the first free word ends the list. */
function hasMemberEnded(words: Int32Array, first: number, isOnce = false): boolean {
  for (let at = first; at < words.length; at++) {
    const number = Atomics.load(words, at);
    if (hasEnded(number)) return true;
    if (isOnce && number === 0) break;
  }
  return false;
}

// --- the barrier ---

const STATE = 1;
const PARTIES = 2;
const PARTY_MEMBERS = 3;
const ARRIVED = 0x3ff;
const ROUND = 0x400;
const ROUNDS = 0x1fff_fc00;
const BROKEN = 1 << 31;
/** Bits 29 and 30 of a broken barrier's state say why it is broken. */
const WHY_SHIFT = 29;

const brokenBarrier = (state: number) => broken('Barrier', (state >>> WHY_SHIFT) & 3);

/** Breaks the barrier; if `state` is given, only while the round is still that of `state`. Returns whether the barrier is broken now. */
export function breakUp(words: Int32Array, why: number, state?: number): boolean {
  for (;;) {
    const now = Atomics.load(words, STATE);
    if (state !== undefined && ((now ^ state) & ROUNDS) !== 0) return false;
    if (now < 0) return true;
    const next = now | BROKEN | (why << WHY_SHIFT);
    if (Atomics.compareExchange(words, STATE, now, next) !== now) continue;
    Atomics.notify(words, STATE);
    return true;
  }
}

/** Arrives, and waits for the others. Returns whether this party was the last one. */
export function* arrive(words: Int32Array, number: number): Steps<boolean> {
  enter(words, PARTY_MEMBERS, number, true);
  let state: number;
  for (;;) {
    state = Atomics.load(words, STATE);
    if (state < 0) throw brokenBarrier(state);
    const isLast = (state & ARRIVED) + 1 === words[PARTIES];
    const next = isLast ? ((state & ROUNDS) + ROUND) & ROUNDS : state + 1;
    if (Atomics.compareExchange(words, STATE, state, next) !== state) continue;
    if (!isLast) break;
    Atomics.notify(words, STATE);
    return true;
  }
  for (;;) {
    const value = Atomics.load(words, STATE);
    if (((value ^ state) & ROUNDS) !== 0) return false;
    if (value < 0) throw brokenBarrier(value);
    if (hasMemberEnded(words, PARTY_MEMBERS, true)) {
      breakUp(words, ENDED, state);
      continue;
    }
    try {
      yield { at: STATE, value };
    } catch (error) {
      if (!breakUp(words, LATE, state)) return false;
      throw error;
    }
  }
}

/**
 * Has a number of parties wait for each other, as often as they like. A party is a caller of `wait`: a thread, or one of several tasks of
 * a thread. If a thread that has waited here before ends, or a wait times out, the barrier is broken, for all and for good.
 */
export class Barrier extends Structure {
  /** @param parties - how many parties wait for each other: 1 to 1,023 */
  constructor(parties: number | SharedArrayBuffer) {
    const made = isShared(parties) ? 0 : integer('parties', parties, 1, ARRIVED);
    super('Barrier', parties, 4 * (PARTY_MEMBERS + MOST_MEMBERS), [0, made]);
  }

  /** How many parties wait for each other. */
  get parties(): number {
    return this.words[PARTIES]!;
  }

  /**
   * Waits until all parties have come. Resolves to true for the party that came last, to false for the others. Rejects, for all parties
   * alike, if the barrier is broken: ERR_WORKER_CRASHED (a thread that takes part has ended), ERR_TASK_TIMEOUT, ERR_TASK_ABORTED.
   */
  wait(options?: WaitOptions): Promise<boolean> {
    return awaiting(this.words, 'Barrier.wait()', arrive(this.words, OWN_NUMBER), options);
  }

  /** Does what `wait` does, but blocks the thread. Throws ERR_OPTION on the main thread. */
  waitSync(options?: WaitOptions): boolean {
    return blocking(this.words, 'Barrier.waitSync()', arrive(this.words, OWN_NUMBER), options);
  }

  /** Breaks the barrier: every wait, now or later, rejects with ERR_TASK_ABORTED. For a party that fails, or for a thread that knows that one has failed. */
  abort(): void {
    breakUp(this.words, ABORTED);
  }
}

// --- the latch ---

export const COUNT = 1;
const LATCH_MEMBERS = 2;

/** Takes `by` off the count; `~ABORTED` or `~ENDED` instead breaks the latch. An open latch stays open, and a broken one broken. */
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
    if (value < 0) throw broken('Latch', ~value);
    if (hasMemberEnded(words, LATCH_MEMBERS)) lower(words, ~ENDED);
    else yield { at: COUNT, value };
  }
}

/** Opens when it was counted down to 0, once and for all who wait. */
export class Latch extends Structure {
  /** @param count - how often it has to be counted down: 0 to 2^31 - 1 */
  constructor(count: number | SharedArrayBuffer) {
    const missing = isShared(count) ? 0 : integer('count', count, 0, 2 ** 31 - 1);
    super('Latch', count, 4 * (LATCH_MEMBERS + Math.min(missing, MOST_MEMBERS)), [missing]);
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
    const at = enter(this.words, LATCH_MEMBERS, OWN_NUMBER);
    if (at < 0) {
      const most = this.words.length - LATCH_MEMBERS;
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
    lower(this.words, ~ABORTED);
  }
}
