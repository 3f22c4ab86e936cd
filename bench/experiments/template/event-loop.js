// Measures for how long an event loop makes others wait.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** How many milliseconds the timer has that measures the delay. */
const TIMER_MS = 1;
const IMMEDIATE_MS = 10;
/** How many milliseconds to wait for the first tick of that timer, from which the others are measured. */
const UNTIL_FIRST_TICK_MS = 3;

/** @returns a promise of `stop()`, which resolves to how long a setImmediate took since now, the mean and each time, and how late a timer was */
export async function watchEventLoop() {
  const delays = monitorEventLoopDelay({ resolution: TIMER_MS });
  delays.enable();
  await pause(UNTIL_FIRST_TICK_MS);
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
    async stop() {
      clearInterval(timer);
      // What has blocked the loop until now is recorded in a later turn.
      await turn();
      await pause(TIMER_MS);
      delays.disable();
      return {
        immediateUs: eachUs.reduce((sum, us) => sum + us, 0) / Math.max(1, eachUs.length),
        eachUs,
        // How late the timer was, without its own time; no number if the timer never came.
        loopDelayP99Ms: delays.count === 0 ? NaN : delays.percentile(99) / 1e6 - TIMER_MS,
      };
    },
  };
}
