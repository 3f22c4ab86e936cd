/** Gets one batch through the pool, also where workers die: splits it, retries its inputs, tells which of them failed. */

import type { Input } from '../inputs/input-source.js';
import type { RunOptions } from '../options.js';
import { ExpectedError } from '../../exit-code.js';
import type { Batch, BatchOutcome, BatchResult, DescribedError } from './batch.js';
import { describeError, stackOf } from './described-error.js';

/** A call of the pool. Each input is tried up to `attempts` times inside the worker. */
export type RunInWorker = (values: readonly unknown[], attempts: number) => Promise<BatchOutcome>;

/** Rejects only if the pool itself is at its end; a failing input is part of the result. */
export type RunBatch = (batch: Batch) => Promise<BatchResult>;

export function createAttempts(
  run: RunInWorker,
  { retries, stopsAtFailure }: Pick<RunOptions, 'retries' | 'stopsAtFailure'>,
): RunBatch {
  return async (batch) => {
    const { inputs } = batch;
    if (inputs.length > 1) {
      // No array of the values is kept while the batch runs: with many batches, the garbage collector would copy all of them.
      const whole = await outcomeOf(run(inputs.map(valueOf), retries + 1));
      if (whole.isLost !== true) return { batch, ...whole };
    }
    // A crash, or a value that cannot be cloned, fails the whole batch: run one by one, only the culprit fails.
    const outcomes: BatchOutcome[] = [];
    for (const { value } of inputs) {
      outcomes.push(await runAlone(value));
      if (stopsAtFailure && outcomes.at(-1)!.failures.length > 0) break;
    }
    return {
      batch,
      text: joined(outcomes),
      values: outcomes.flatMap(({ values }) => values),
      failures: outcomes.flatMap(({ failures }, at) => failures.map(({ error }) => ({ at, error }))),
      ran: outcomes.length,
      runMs: outcomes.reduce((sum, { runMs }) => sum + runMs, 0),
    };
  };

  /** One input in calls of its own: here a failed attempt may also be a crash or a timeout. */
  async function runAlone(value: unknown): Promise<BatchOutcome> {
    for (let left = retries; ; left -= 1) {
      const outcome = await outcomeOf(run([value], 1));
      if (left === 0 || outcome.failures.length === 0) return outcome;
    }
  }
}

const valueOf = ({ value }: Input): unknown => value;

function joined(outcomes: readonly BatchOutcome[]): string {
  try {
    return outcomes.map(({ text }) => text).join('');
  } catch {
    throw new ExpectedError(
      `the results of ${outcomes.length} inputs are too long for one string: expected fewer inputs, with a smaller --batch`,
    );
  }
}

/** The outcome of a call. A call that is lost counts as one input that failed. Rejects if the pool itself is at its end. */
async function outcomeOf(call: Promise<BatchOutcome>): Promise<BatchOutcome & { readonly isLost?: true }> {
  const begin = performance.now();
  try {
    return await call;
  } catch (error) {
    const described = describeError(error);
    if (error instanceof ExpectedError || endCodes.includes(described.code)) throw error;
    // The stacks of these errors are the pool's own, except that of what the user's code threw without anybody awaiting it.
    const stack = described.code === 'ERR_WORKER_CRASHED' ? stackOf(Object(error).cause) : undefined;
    const failure = { at: 0, error: forUsers(stack === undefined ? described : { ...described, stack }) };
    const runMs = performance.now() - begin;
    return { text: '', values: [], failures: [failure], ran: 1, runMs, isLost: true };
  }
}

const endCodes: readonly unknown[] = ['ERR_POOL_CLOSED', 'ERR_TASK_ABORTED'];

/** The pool speaks of the task it ran and of its result; the user knows neither `runBatch` nor a batch's values. */
function forUsers(error: DescribedError): DescribedError {
  const message = error.message
    .replace(/\b([Tt])ask 'runBatch'/, (_match, t) => (t === 'T' ? 'The task' : 'the task'))
    .replace('result.values[0]', 'result');
  return { ...error, message };
}
