/** How a thread waits for a word of shared memory to change, without holding up its event loop. */
/// <reference lib="es2024.sharedmemory" />
import type { SpinLimits } from '../spin-budget.js';

/** How long main and workers look for something in shared memory before they sleep: about what being woken costs. Chosen by hand. */
export const SPIN: SpinLimits = { mostMs: 0.05, wakeUpMs: 0.015, looks: 16 };

/**
 * How long a worker that does not spin blocks, with its event loop, while that takes less than 0.05 ms on average: on a core that it shares with
 * main, a blocked thread is woken in less time than an event loop. A shorter timeout would be slower: for each one that is due before the
 * system's next tick (4 ms on Linux), a virtual machine sets its timer anew, which takes longer than the wake-up. Chosen by hand.
 */
export const BLOCK: SpinLimits = { mostMs: 5, wakeUpMs: 0.05 };
/**
 * How many milliseconds a worker with nothing to do blocks after it has woken main. Where the other cores are halted, as on an idle virtual
 * machine, Linux puts main on the worker's core, where main waits until the worker's thread sleeps: an event loop takes longer to fall asleep.
 * Chosen by measurement of 0.2, 1, 2, 4 and 5 on two cores.
 */
export const GIVE_WAY_MS = 2;

/** Sleeps until a word is notified. Returns false, and does not sleep, when the word is not `value` any more. */
export type Sleep = (value: number) => boolean;

/** How a thread sleeps on a word: it has at most one wait at a time. @param woken called when the word was notified */
export function sleepOn(words: Int32Array, at: number, woken: () => void): Sleep {
  let isWaiting = false;
  return (value) => {
    // An earlier wait that was not needed is still there: a notification ends it, and it calls back as a new one would.
    if (isWaiting) return Atomics.load(words, at) === value;
    const result = Atomics.waitAsync(words, at, value);
    if (!result.async) return false;
    isWaiting = true;
    void result.value.then(() => {
      isWaiting = false;
      woken();
    });
    return true;
  };
}
