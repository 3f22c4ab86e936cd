/** Finds out whether the function works in a worker at all: one thread, one call after the other. */
import { createPool } from 'threadwise';
import { type Note, serveSteps } from '../../../experiment/serve.js';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { argumentsOf } from '../../../run/work/passing.js';
import { newBehaviour } from '../rules/samples.js';
import type { WatchSetup } from './behaviour.js';
import { standalone } from './values.js';

export const open = async ({ subject, inputs, shareMs }: WatchSetup, note: Note) => {
  const pool = createPool(subject.module, { threads: 1, name: 'survival', classes: 'plain' });
  let workerExit: number | undefined;
  pool.on('worker:exit', ({ reason, exitCode }) => {
    if (reason === 'crashed') workerExit ??= exitCode;
  });
  await pool.ready;
  const end = performance.now() + shareMs;
  const { failures } = newBehaviour();
  for (const input of inputs.map(standalone)) {
    if (workerExit !== undefined || (failures.calls > 0 && performance.now() > end)) break;
    await note({});
    failures.calls += 1;
    try {
      await pool.run(subject.export!, [...argumentsOf(input, subject.passing)]);
    } catch (error) {
      failures.failed += 1;
      failures.first ??= errorLine(describeError(error));
    }
  }
  await pool.destroy();
  return { opened: { failures, workerExit } };
};

serveSteps(open);
