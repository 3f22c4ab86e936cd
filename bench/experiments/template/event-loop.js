// How long an event loop makes others wait.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How often it is looked at: by a timer of that time. Milliseconds. */
const TIMER_MS = 1;
const IMMEDIATE_MS = 10;

/** @returns `stop()`, which gives the mean time of a setImmediate, and how late a timer was, since now */
export function watchEventLoop() {
  const delays = monitorEventLoopDelay({ resolution: TIMER_MS });
  delays.enable();
  const immediates = { sum: 0, count: 0 };
  const look = () => {
    const start = performance.now();
    setImmediate(() => {
      immediates.sum += performance.now() - start;
      immediates.count++;
    });
  };
  look();
  const timer = setInterval(look, IMMEDIATE_MS);
  return {
    stop() {
      clearInterval(timer);
      delays.disable();
      return {
        immediateUs: (1000 * immediates.sum) / Math.max(1, immediates.count),
        // How late the timer was: its own time is no delay.
        loopDelayP99Ms: Math.max(0, delays.percentile(99) / 1e6 - TIMER_MS),
      };
    },
  };
}
