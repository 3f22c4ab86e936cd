/** How a thread waits for a word of shared memory to change, without holding up its event loop. */
/// <reference lib="es2024.sharedmemory" />
import type { SpinLimits } from '../spin-budget.js';

/** How long main and workers look for something in shared memory before they sleep: about what being woken costs. Chosen by hand. */
export const SPIN: SpinLimits = { mostMs: 0.05, wakeUpMs: 0.015, looks: 16 };

/**
 * How long a worker blocks, event loop and all, where it does not spin, as long as it waits for less than 0.05 ms on the average. On a core that it
 * shares with main, a blocked thread is woken in less time than an event loop. Not for a shorter time: for each timeout that is due before
 * the system's next tick (4 ms on Linux), a virtual machine sets its timer anew, and that takes longer than the wake-up. Chosen by hand.
 */
export const BLOCK: SpinLimits = { mostMs: 5, wakeUpMs: 0.05 };

/**
 * How many milliseconds a worker blocks that has woken main and has nothing to do. Where the other cores are halted, as on an idle virtual machine,
 * Linux puts main on the core of its waker, where it waits until that thread sleeps: an event loop takes longer to get there. Chosen by measurement of 0.2, 1, 2, 4
 * and 5 on two cores.
 */
export const GIVE_WAY_MS = 2;

/** Calls back when a word is notified; asleep at most once. */
export class Sleeper {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #woken: () => void;
  #isWaiting = false;

  constructor(words: Int32Array, at: number, woken: () => void) {
    this.#words = words;
    this.#at = at;
    this.#woken = woken;
  }

  /** Returns false, and does not sleep, when the word is not `value` any more. */
  sleep(value: number): boolean {
    // An earlier wait that was not needed still stands: a notice finds it, and it calls back as a new one would.
    if (this.#isWaiting) return Atomics.load(this.#words, this.#at) === value;
    const result = Atomics.waitAsync(this.#words, this.#at, value);
    if (!result.async) return false;
    this.#isWaiting = true;
    void result.value.then(() => {
      this.#isWaiting = false;
      this.#woken();
    });
    return true;
  }
}
