// Calls a pool for a given time, or a given number of times, and checks the results. Measures every contender.
import { performance } from 'node:perf_hooks';
import { median, quantile } from '../conclusions/statistics.js';

/**
 * A workload: `task` is called with `argument(i)`; `score(result)` is a number that depends on the whole result, so
 * that the sum of all scores shows whether every call returned its own result; `expected(argument)` is the right result.
 * `transfer(argument)` lists what of it moves. `fails`: every call rejects, and its error is the result.
 * @typedef {{ task: string, argument(i: number): unknown, score(result: unknown): number,
 *   expected(argument: unknown): unknown, transfer?(argument: unknown): unknown[], fails?: boolean }} Workload
 */

/**
 * Keeps `outstanding` calls open. Awaits `before` before each of them.
 * @returns calls per second, and CPU time per call over all threads of this process
 */
export async function callManyAtOnce(pool, workload, { outstanding, before, warmUpMs, measureMs }) {
  const once = (count) => timed(count, workload, () => makeCalls(pool, workload, count, outstanding, before));
  const count = await warmUp(once, outstanding, warmUpMs, measureMs);
  collectGarbage();
  const { milliseconds, cpuMicroseconds } = await once(count);
  return { callsPerSecond: (count * 1000) / milliseconds, cpuMicroseconds: cpuMicroseconds / count };
}

/** Makes each call when the one before has settled. Returns quantiles of the time that a call takes. */
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

/**
 * Makes exactly `count` calls per round, in as many rounds as the time of the measurement has room for, at least one.
 * Keeps `outstanding` calls open; with `isPlain`, for a contender that answers at once, a loop awaits nothing.
 * @returns calls per second and time of the median round; CPU time per call over all threads of this process
 */
export async function callCounted(pool, workload, options) {
  const { count, outstanding, isPlain = false, warmUpMs, measureMs } = options;
  const make = isPlain ? callInLoop : makeCalls;
  const once = (size) => timed(size, workload, () => make(pool, workload, size, outstanding));
  const fitting = await warmUp(once, Math.min(count, outstanding), warmUpMs, measureMs);
  collectGarbage();
  const rounds = [];
  do rounds.push(await once(count));
  while ((rounds.length + 1) * count <= fitting);
  const totalMs = median(rounds.map(({ milliseconds }) => milliseconds));
  const cpu = rounds.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0);
  return {
    callsPerSecond: (count * 1000) / totalMs,
    totalMs,
    cpuMicroseconds: cpu / (rounds.length * count),
  };
}

/** Runs ever more calls for `warmUpMs`. Returns about how many calls take `measureMs`. */
async function warmUp(once, firstCount, warmUpMs, measureMs) {
  const end = performance.now() + warmUpMs;
  for (let count = firstCount; ; count *= 2) {
    const { milliseconds } = await once(count);
    const left = end - performance.now();
    if (left <= 0) return Math.max(firstCount, Math.round((count * measureMs) / milliseconds));
    // The last round fills the time that is left: it is the longest and the warmest, so its rate is the most exact.
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

async function makeCalls(pool, workload, count, outstanding, before) {
  const { score } = workload;
  const call = callOf(pool, workload);
  let next = 0;
  let sum = 0;
  const lane = async () => {
    while (next < count) {
      const i = next++;
      if (before !== undefined) await before();
      const result = await call(i);
      sum += score(result);
    }
  };
  await Promise.all(Array.from({ length: outstanding }, lane));
  return sum;
}

/** Makes the i-th call of a workload. */
export function callOf(pool, { task, argument, transfer, fails = false }) {
  if (fails) return (i) => errorOf(pool, task, argument(i));
  if (transfer === undefined) return (i) => pool.call(task, argument(i));
  return (i) => {
    const value = argument(i);
    return pool.call(task, value, transfer(value));
  };
}

async function errorOf(pool, task, argument) {
  try {
    await pool.call(task, argument);
  } catch (error) {
    return error;
  }
  throw new Error(`a call of '${task}' was to fail, and did not`);
}

/** The loop of a program without a pool. */
function callInLoop(pool, { task, argument, score }, count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += score(pool.call(task, argument(i)));
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

/** Collects the garbage of the warm-up, so that it does not count for the measurement. Needs --expose-gc. */
function collectGarbage() {
  globalThis.gc?.();
}
