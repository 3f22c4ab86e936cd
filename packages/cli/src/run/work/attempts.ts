/** Gets one batch through the pool, whatever happens to it there: splits it, retries its inputs, tells who failed. */

import type { Input } from '../inputs/input-source.js';
import { type FormatName, joinTexts } from '../output/format.js';
import type { Batch, BatchFailure, BatchOutcome, BatchPool, BatchResult, DescribedError } from './batch.js';
import { describeError } from './described-error.js';

export interface AttemptsOptions {
  readonly retries: number;
  readonly stopsAtFailure: boolean;
  readonly format: FormatName;
}

/** Rejects only if the pool itself is at its end; a failing input is part of the result. */
export type RunBatch = (batch: Batch) => Promise<BatchResult>;

export function createAttempts(pool: BatchPool, options: AttemptsOptions): RunBatch {
  return async (batch) => ({ batch, ...(await runWhole(pool, options, batch.inputs)) });
}

async function runWhole(
  pool: BatchPool,
  options: AttemptsOptions,
  inputs: readonly Input[],
): Promise<BatchOutcome> {
  const [first] = inputs;
  if (inputs.length === 1) return runAlone(pool, first!, options.retries);
  try {
    return await pool.run(
      inputs.map(({ value }) => value),
      options.retries + 1,
    );
  } catch (error) {
    if (isEndOfPool(error)) throw error;
    // A crash or a value that cannot be cloned takes the whole batch along: one by one, only the culprit fails.
    return runOneByOne(pool, options, inputs);
  }
}

async function runOneByOne(
  pool: BatchPool,
  { retries, stopsAtFailure, format }: AttemptsOptions,
  inputs: readonly Input[],
): Promise<BatchOutcome> {
  const outcomes: BatchOutcome[] = [];
  for (const input of inputs) {
    const outcome = await runAlone(pool, input, retries);
    outcomes.push(outcome);
    if (stopsAtFailure && outcome.failures.length > 0) break;
  }
  return join(outcomes, format);
}

/** One input in a call of its own: here a failed attempt may also be a crash or a timeout. */
async function runAlone(pool: BatchPool, input: Input, retries: number): Promise<BatchOutcome> {
  let outcome = await attempt(pool, input);
  for (let left = retries; left > 0 && outcome.failures.length > 0; left -= 1) {
    outcome = await attempt(pool, input);
  }
  return outcome;
}

async function attempt(pool: BatchPool, input: Input): Promise<BatchOutcome> {
  const begin = performance.now();
  try {
    return await pool.run([input.value], 1);
  } catch (error) {
    if (isEndOfPool(error)) throw error;
    const failures = [{ at: 0, error: forUsers(describeError(error)) }];
    return { text: '', values: [], failures, ran: 1, runMs: performance.now() - begin };
  }
}

function join(outcomes: readonly BatchOutcome[], format: FormatName): BatchOutcome {
  return {
    text: joinTexts(
      format,
      outcomes.map(({ text }) => text),
    ),
    values: outcomes.flatMap(({ values }) => values),
    failures: outcomes.flatMap(({ failures }, at): BatchFailure[] =>
      failures.map(({ error }) => ({ at, error })),
    ),
    ran: outcomes.length,
    runMs: outcomes.reduce((sum, { runMs }) => sum + runMs, 0),
  };
}

/** The pool speaks of the task it ran and of its result; the user knows neither `runBatch` nor a batch's values. */
function forUsers(error: DescribedError): DescribedError {
  const message = error.message
    .replace(/\b([Tt])ask 'runBatch'/, (_match, t) => (t === 'T' ? 'The task' : 'the task'))
    .replace('result.values[0]', 'result');
  return { ...error, message };
}

const endCodes = new Set(['ERR_POOL_CLOSED', 'ERR_MODULE_LOAD', 'ERR_TASK_ABORTED']);

function isEndOfPool(error: unknown): boolean {
  return error instanceof Error && 'code' in error && endCodes.has(String(error.code));
}
