// Calls a pool for a given time, in two ways, and checks what comes back. What every contender goes through.
import { performance } from 'node:perf_hooks';
import { quantile } from './statistics.js';

/**
 * A workload: `task` is called with `argument(i)`; `score(result)` is a number that depends on the whole result, so
 * that the sum of all of them tells whether every call came back with its own; `expected(argument)` is the result.
 * @typedef {{ task: string, argument(i: number): unknown, score(result: unknown): number,
 *   expected(argument: unknown): unknown }} Workload
 */

/**
 * Keeps `outstanding` calls open.
 * @returns calls per second, and CPU time per call over all threads of this process
 */
export async function callManyAtOnce(pool, workload, { outstanding, warmUpMs, measureMs }) {
  const once = (count) => timed(count, workload, () => makeCalls(pool, workload, count, outstanding));
  const count = await warmUp(once, outstanding, warmUpMs, measureMs);
  collectGarbage();
  const { milliseconds, cpuMicroseconds } = await once(count);
  return { callsPerSecond: (count * 1000) / milliseconds, cpuMicroseconds: cpuMicroseconds / count };
}

/** Makes a call when the one before has settled. Returns quantiles of the time that a call takes. */
export async function callOneByOne(pool, workload, { warmUpMs, measureMs }) {
  let durations;
  const once = (count) => {
    durations = new Float64Array(count);
    return timed(count, workload, () => makeTimedCalls(pool, workload, durations));
  };
  const count = await warmUp(once, 16, warmUpMs, measureMs);
  collectGarbage();
  const { cpuMicroseconds } = await once(count);
  durations.sort();
  return {
    p50Microseconds: quantile(durations, 0.5) * 1000,
    p99Microseconds: quantile(durations, 0.99) * 1000,
    cpuMicroseconds: cpuMicroseconds / count,
  };
}

/** Runs ever more calls until `warmUpMs` are over. Returns how many calls take `measureMs`, as far as that can be told. */
async function warmUp(once, firstCount, warmUpMs, measureMs) {
  const end = performance.now() + warmUpMs;
  for (let count = firstCount; ; count *= 2) {
    const { milliseconds } = await once(count);
    const left = end - performance.now();
    if (left <= 0) return Math.max(firstCount, Math.round((count * measureMs) / milliseconds));
    // The last round fills what is left: it is the longest and the warmest, and tells the rate best.
    if (milliseconds * 2 > left) count = Math.max(1, Math.ceil((count * left) / milliseconds / 2));
  }
}

async function timed(count, workload, run) {
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const sum = await run();
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  checkSum(sum, workload, count);
  return { milliseconds, cpuMicroseconds: user + system };
}

async function makeCalls(pool, { task, argument, score }, count, outstanding) {
  let next = 0;
  let sum = 0;
  const lane = async () => {
    while (next < count) {
      const result = await pool.call(task, argument(next++));
      sum += score(result);
    }
  };
  await Promise.all(Array.from({ length: outstanding }, lane));
  return sum;
}

async function makeTimedCalls(pool, { task, argument, score }, durations) {
  let sum = 0;
  for (let i = 0; i < durations.length; i++) {
    const start = performance.now();
    const result = await pool.call(task, argument(i));
    durations[i] = performance.now() - start;
    sum += score(result);
  }
  return sum;
}

function checkSum(sum, { task, argument, score, expected }, count) {
  let right = 0;
  for (let i = 0; i < count; i++) right += score(expected(argument(i)));
  if (sum !== right) throw new Error(`${count} calls of '${task}' should add up to ${right}, not to ${sum}`);
}

/** Garbage of the warm-up is not the measurement's; without --expose-gc it stays. */
function collectGarbage() {
  globalThis.gc?.();
}
