/** Whether the function lives in a worker at all: one thread, one call after the other. */
import { createPool } from 'threadwise';
import { type Note, serveSteps } from '../../../experiment/serve.js';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { standalone } from './values.js';

/** One call after the other in a worker, to see whether the function lives there at all. */
interface SurvivalSetup {
  readonly module: string;
  readonly task: string;
  readonly passing: Passing;
  readonly inputs: readonly unknown[];
  readonly shareMs: number;
}

export const open = async ({ module, task, passing, inputs, shareMs }: SurvivalSetup, note: Note) => {
  const pool = createPool(module, { threads: 1, name: 'survival', classes: 'plain' });
  let workerExit: number | undefined;
  pool.on('worker:exit', ({ reason, exitCode }) => {
    if (reason === 'crashed') workerExit ??= exitCode;
  });
  await pool.ready;
  const end = performance.now() + shareMs;
  const failures = { calls: 0, failed: 0, first: undefined as string | undefined };
  for (const input of inputs.map(standalone)) {
    if (workerExit !== undefined || (failures.calls > 0 && performance.now() > end)) break;
    await note({});
    failures.calls += 1;
    try {
      await pool.run(task, [...argumentsOf(input, passing)]);
    } catch (error) {
      failures.failed += 1;
      failures.first ??= errorLine(describeError(error));
    }
  }
  await pool.destroy();
  return { opened: { failures, workerExit } };
};

serveSteps(open);
