// How long an event loop makes others wait.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How often it is looked at: by a timer of that time. Milliseconds. */
const TIMER_MS = 1;
const IMMEDIATE_MS = 10;

/** @returns `stop()`, which gives the time of a setImmediate, in the mean and of each look, and how late a timer was, since now */
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
        // How late the timer was: its own time is no delay.
        loopDelayP99Ms: Math.max(0, delays.percentile(99) / 1e6 - TIMER_MS),
      };
    },
  };
}
