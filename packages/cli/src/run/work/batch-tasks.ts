/** The task module that the pool loads in every worker: it runs batches of inputs through the user's function. */

import type { BatchOutcome, BatchSetup } from './batch.js';
import { type BatchRunner, createBatchRunner } from './batch-runner.js';
import type { TaskFunction } from './task-module.js';

interface SetupContext {
  readonly data: BatchSetup;
}

let runner: BatchRunner | undefined;

/** Awaited by the worker before its first task; what the user's module needs is done here as well. */
export async function setup(context: SetupContext): Promise<void> {
  runner = await createBatchRunner(context.data);
  // `data` is ours; the user's setup sees the rest.
  await call(runner.module.setup, { ...context, data: undefined });
}

export function runBatch(inputs: readonly unknown[], attempts: number): Promise<BatchOutcome> {
  return runner!.run(inputs, attempts);
}

export async function teardown(): Promise<void> {
  await call(runner?.module.teardown);
}

async function call(hook: unknown, ...args: unknown[]): Promise<void> {
  if (typeof hook === 'function') await (hook as TaskFunction)(...args);
}
