/** Time on Node, for all threads: a clock that they share, and timers. */
import type { TimerHandle } from '../../core/contracts.js';

// Not `performance`: Node.js loads it when it is first used, which costs each thread time at its start, and memory.
const { hrtime } = process;

function uptime(): number {
  const time = hrtime(); // seconds, nanoseconds
  return time[0] * 1e3 + time[1] / 1e6;
}

/** When the clock that all threads share was at 0. Milliseconds since the epoch. */
let zero = Date.now() - uptime();

/** Milliseconds since the epoch. Never goes back; whoever sets the system's clock does not set this one. */
export const now = (): number => zero + uptime();

/** To be passed to the threads that are started, for `followClock`. */
export const clockZero = (): number => zero;

/** Has this thread tell the time as the thread does that started it. */
export function followClock(clockZero: number): void {
  zero = clockZero;
}

/** A timer that does not keep its thread alive. */
export function timer(ms: number, callback: () => void): TimerHandle {
  const handle = setTimeout(callback, ms).unref();
  return { cancel: () => clearTimeout(handle) };
}

/** Reads that share one look at the clock at most: what they do in between is not to count for nothing. */
const MAX_READS = 16;

/** The clock, read once for a burst of calls: reading Node's costs 45 ns, a third of a whole call. */
export function burstClock(): () => number {
  let time = 0;
  let readsLeft = 0;
  let isForgetSet = false;
  const forget = () => {
    readsLeft = 0;
    isForgetSet = false;
  };
  const settled = Promise.resolve();
  return () => {
    if (readsLeft-- > 0) return time;
    readsLeft = MAX_READS - 1;
    if (!isForgetSet) {
      isForgetSet = true;
      void settled.then(forget); // when the promises that are due now have had their turn
    }
    time = now();
    return time;
  };
}
