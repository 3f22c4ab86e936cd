// Measures for how long an event loop makes others wait.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How many milliseconds the timer has that measures the delay. */
const TIMER_MS = 1;
const IMMEDIATE_MS = 10;

/** @returns `stop()`, which returns how long a setImmediate took since now, the mean and each time, and how late a timer was */
export function watchEventLoop() {
  const delays = monitorEventLoopDelay({ resolution: TIMER_MS });
  delays.enable();
  const eachUs = [];
  const look = () => {
    const start = performance.now();
    setImmediate(() => {
      eachUs.push(1000 * (performance.now() - start));
    });
  };
  look();
  const timer = setInterval(look, IMMEDIATE_MS);
  return {
    stop() {
      clearInterval(timer);
      delays.disable();
      return {
        immediateUs: eachUs.reduce((sum, us) => sum + us, 0) / Math.max(1, eachUs.length),
        eachUs,
        // How late the timer was, without its own time.
        loopDelayP99Ms: Math.max(0, delays.percentile(99) / 1e6 - TIMER_MS),
      };
    },
  };
}
