/** A number of parties wait for each other, round after round; one that dies breaks the barrier for all. README.md has the protocol. */
import { integer } from '../core/options/checks.js';
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

const STATE = 1;
export const PARTIES = 2;
/** The first of the words for the threads that have come, one for each. */
const MEMBERS = 3;

const ARRIVED = 0x3ff;
const ROUND = 0x400;
const ROUNDS = 0x1fff_fc00;
const BROKEN = 1 << 31;
/** Why a barrier is broken: bits 29 and 30 of its state are an index in this list. */
const REASONS = ['aborted', 'ended', 'late'] as const;
type Reason = (typeof REASONS)[number];

function reasonOf(state: number): Reason {
  return REASONS[(state >>> 29) & 3] ?? 'aborted';
}

/** Breaks the barrier; if `state` is given, only while the round is still that of `state`. Returns whether the barrier is broken now. */
export function breakUp(words: Int32Array, reason: Reason, state?: number): boolean {
  const bits = BROKEN | (REASONS.indexOf(reason) << 29);
  for (;;) {
    const now = Atomics.load(words, STATE);
    if (state !== undefined && ((now ^ state) & ROUNDS) !== 0) return false;
    if (now < 0) return true;
    if (Atomics.compareExchange(words, STATE, now, now | bits) !== now) continue;
    Atomics.notify(words, STATE);
    return true;
  }
}

/** Arrives, and waits for the others. Returns whether this party was the last one. */
export function* arrive(words: Int32Array, number: number): Steps<boolean> {
  enter(words, MEMBERS, number, true);
  let state = Atomics.load(words, STATE);
  for (;;) {
    if (state < 0) throw broken('Barrier', reasonOf(state));
    const isLast = (state & ARRIVED) + 1 === words[PARTIES];
    const next = isLast ? ((state & ROUNDS) + ROUND) & ROUNDS : state + 1;
    const seen = Atomics.compareExchange(words, STATE, state, next);
    if (seen === state && isLast) {
      Atomics.notify(words, STATE);
      return true;
    }
    if (seen === state) break;
    state = seen;
  }
  for (;;) {
    const value = Atomics.load(words, STATE);
    if (((value ^ state) & ROUNDS) !== 0) return false;
    if (value < 0) throw broken('Barrier', reasonOf(value));
    if (hasMemberEnded(words, MEMBERS, true)) {
      breakUp(words, 'ended', state);
      continue;
    }
    try {
      yield { at: STATE, value };
    } catch (error) {
      if (!breakUp(words, 'late', state)) return false;
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
    const isOpened = isShared(parties);
    const made = isOpened ? 0 : integer('parties', parties, 1, ARRIVED);
    super('Barrier', parties, () => MEMBERS + MOST_MEMBERS);
    if (!isOpened) this.words[PARTIES] = made;
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
    breakUp(this.words, 'aborted');
  }
}
