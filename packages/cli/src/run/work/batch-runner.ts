/** Runs the user's function over a batch; the same code in a worker and, for --compare-inline, in the main thread. */

import { createRender, type Render } from '../output/format.js';
import { type BatchFailure, type BatchOutcome, type BatchSetup, MAX_LISTED } from './batch.js';
import { describeError, stackOf } from './described-error.js';
import type { TaskFunction } from './task-module.js';

/** Returns a function that calls `task` with one input after the other. @param task may run the input elsewhere, as on a fleet */
export function batchRun(
  task: TaskFunction,
  { keepsValues, stopsAtFailure, format, withInput }: BatchSetup,
): (inputs: readonly unknown[], attempts: number) => Promise<BatchOutcome> {
  const render: Render = keepsValues ? () => '' : createRender(format, withInput);
  let withStack = MAX_LISTED;
  return run;

  async function run(inputs: readonly unknown[], attempts: number): Promise<BatchOutcome> {
    const texts: string[] = [];
    const values: unknown[] = [];
    const failures: BatchFailure[] = [];
    const begin = performance.now();
    let ran = 0;
    for (const input of inputs) {
      try {
        const pending = attempts > 1 ? retried(task, input, attempts) : task(input);
        // Awaiting only what is a promise saves most of the time of a small synchronous function.
        const result = isThenable(pending) ? await pending : pending;
        texts.push(render(input, result));
        if (keepsValues) values.push(result);
      } catch (error) {
        const stack = withStack > 0 ? stackOf(error) : undefined;
        withStack -= 1;
        failures.push({ at: ran, error: { ...describeError(error), ...(stack !== undefined && { stack }) } });
      }
      ran += 1;
      if (stopsAtFailure && failures.length > 0) break;
    }
    return { text: texts.join(''), values, failures, ran, runMs: performance.now() - begin };
  }
}

async function retried(task: TaskFunction, input: unknown, attempts: number): Promise<unknown> {
  for (let left = attempts; ; left -= 1) {
    try {
      return await task(input);
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
