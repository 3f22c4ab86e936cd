/** The task module that the pool loads in every worker: it runs batches of inputs through the user's function. */

import type { BatchSetup } from './batch.js';
import { batchRun } from './batch-runner.js';
import { takingInput } from './passing.js';
import {
  exportsOf,
  importModule,
  type ModuleNamespace,
  selectFunction,
  type TaskFunction,
} from './task-module.js';

let module: ModuleNamespace | undefined;
let run: ReturnType<typeof batchRun>;

/** The worker awaits this before its first task, so the setup of the user's module is called here as well. */
export async function setup(context: { readonly data: BatchSetup }): Promise<void> {
  const { moduleUrl, exportName, passing } = context.data;
  const loaded = await importModule(moduleUrl);
  run = batchRun(takingInput(selectFunction(loaded, exportName, moduleUrl), passing), context.data);
  module = exportsOf(loaded);
  // `data` is internal: the user's setup gets the rest of the context.
  await call(module.setup, { ...context, data: undefined });
}

export const runBatch: typeof run = (inputs, attempts) => run(inputs, attempts);

export async function teardown(): Promise<void> {
  await call(module?.teardown);
}

async function call(hook: unknown, ...args: unknown[]): Promise<void> {
  if (typeof hook === 'function') await (hook as TaskFunction)(...args);
}
