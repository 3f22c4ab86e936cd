/** Whether the function lives in a worker at all: one thread, one call after the other. */
import { createPool } from 'threadwise';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { argumentsOf } from '../../../run/work/passing.js';
import type { Open } from './protocol.js';
import { standalone } from './values.js';

export const open: Open<'survival'> = async ({ module, task, passing, inputs, shareMs }, note) => {
  const pool = createPool(module, { threads: 1, name: 'survival' });
  let workerExit: number | undefined;
  pool.on('worker:exit', ({ reason, exitCode }) => {
    if (reason === 'crashed') workerExit ??= exitCode;
  });
  await pool.ready;
  const end = performance.now() + shareMs;
  let calls = 0;
  let failed = 0;
  let firstFailure: string | undefined;
  for (const input of inputs.map(standalone)) {
    if (workerExit !== undefined || (calls > 0 && performance.now() > end)) break;
    await note({});
    calls += 1;
    try {
      await pool.run(task, [...argumentsOf(input, passing)]);
    } catch (error) {
      failed += 1;
      firstFailure ??= errorLine(describeError(error));
    }
  }
  await pool.destroy();
  return { opened: { calls, failed, firstFailure, workerExit } };
};
