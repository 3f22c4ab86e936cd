/** Time on Node, for all threads: a clock that they share, and timers. */
import timers from 'node:timers';
import type { TimerHandle } from '../../core/contracts.js';

// Taken when the library is imported, since a test may replace these globals by timers that it sets off itself. Workers run in real time.
export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = timers;
export const defer = queueMicrotask;

// Not `performance.now()`: Node.js loads `performance` at its first use, which costs each thread memory, and time at its start.
const { hrtime } = process;

function uptime(): number {
  const time = hrtime(); // seconds, nanoseconds
  return time[0] * 1e3 + time[1] / 1e6;
}

/** The time at which the clock that all threads share was at 0. Milliseconds since the epoch. */
let zero = Date.now() - uptime();

/** The time on that clock, which never goes back, even if the system's clock is set. Milliseconds since the epoch. */
export const now = (): number => zero + uptime();

/** What a thread that this one starts passes to `followClock`. */
export const clockZero = (): number => zero;

/** Makes this thread's clock show the same time as that of the thread that started it. */
export function followClock(clockZero: number): void {
  zero = clockZero;
}

/** A timer that does not keep its thread alive. */
export function timer(ms: number, callback: () => void): TimerHandle {
  const handle = setTimeout(callback, ms).unref();
  return { cancel: () => clearTimeout(handle) };
}

/** How many calls share one reading of the clock at most: the time that passes between them has to count. */
const MAX_READS = 16;

/** The clock, read once for a burst of calls: reading Node's costs 45 ns, a third of a whole call. */
export function burstClock(): (anew?: boolean) => number {
  let time = 0;
  let readsLeft = 0;
  let isForgetSet = false;
  const forget = () => {
    readsLeft = 0;
    isForgetSet = false;
  };
  const settled = Promise.resolve();
  return (anew = false) => {
    if (!anew && readsLeft-- > 0) return time;
    readsLeft = MAX_READS - 1;
    if (!isForgetSet) {
      isForgetSet = true;
      void settled.then(forget); // after the promise callbacks that are due now
    }
    time = now();
    return time;
  };
}
