/** Runs the user's function over a batch; the same code in a worker and, for --compare-inline, in the main thread. */

import { createRender, joinTexts, type Render } from '../output/format.js';
import type { BatchFailure, BatchOutcome, BatchSetup } from './batch.js';
import { describeError } from './described-error.js';
import { takingInput } from './passing.js';
import { importModule, type ModuleNamespace, selectFunction, type TaskFunction } from './task-module.js';

export interface BatchRunner {
  /** The user's module, for its own setup and teardown. */
  readonly module: ModuleNamespace;
  run(values: readonly unknown[], attempts: number): Promise<BatchOutcome>;
}

export async function createBatchRunner(setup: BatchSetup): Promise<BatchRunner> {
  const module = await importModule(setup.moduleUrl);
  const task = takingInput(selectFunction(module, setup.exportName, setup.moduleUrl), setup.passing);
  const render = setup.keepsValues ? renderNothing : createRender(setup.format, setup.withInput);
  return { module, run: (values, attempts) => runBatch({ setup, task, render }, values, attempts) };
}

const renderNothing: Render = () => '';

interface Job {
  readonly setup: BatchSetup;
  readonly task: TaskFunction;
  readonly render: Render;
}

async function runBatch(job: Job, inputs: readonly unknown[], attempts: number): Promise<BatchOutcome> {
  const { stopsAtFailure, keepsValues, format } = job.setup;
  const texts: string[] = [];
  const values: unknown[] = [];
  const failures: BatchFailure[] = [];
  const begin = performance.now();
  let ran = 0;
  for (const input of inputs) {
    try {
      const pending = callWithRetries(job.task, input, attempts);
      // Awaiting only what is a promise saves most of the time of a small synchronous function.
      const result = isThenable(pending) ? await pending : pending;
      texts.push(job.render(input, result));
      if (keepsValues) values.push(result);
    } catch (error) {
      failures.push({ at: ran, error: describeError(error) });
    }
    ran += 1;
    if (stopsAtFailure && failures.length > 0) break;
  }
  return { text: joinTexts(format, texts), values, failures, ran, runMs: performance.now() - begin };
}

/** Synchronous as long as the function is and its first attempt succeeds. */
function callWithRetries(task: TaskFunction, input: unknown, attempts: number): unknown {
  try {
    const result = task(input);
    if (attempts <= 1 || !isThenable(result)) return result;
    return result.then(undefined, () => retry(task, input, attempts - 1, undefined));
  } catch (error) {
    if (attempts <= 1) throw error;
    return retry(task, input, attempts - 1, error);
  }
}

async function retry(task: TaskFunction, input: unknown, attempts: number, first: unknown): Promise<unknown> {
  let last = first;
  for (let left = attempts; left > 0; left -= 1) {
    try {
      return await task(input);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
