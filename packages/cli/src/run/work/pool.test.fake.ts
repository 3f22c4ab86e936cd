/** A fake pool for tests: it runs batches in this thread, by a function that decides what happens to them. */

import type { RunInWorker } from './attempts.js';
import type { BatchOutcome } from './batch.js';

export type Behaviour = (
  values: readonly unknown[],
  attempts: number,
) => Promise<BatchOutcome> | BatchOutcome;

export function fakePool(behaviour: Behaviour): { readonly calls: unknown[][]; readonly run: RunInWorker } {
  const calls: unknown[][] = [];
  return {
    calls,
    async run(values, attempts) {
      calls.push([...values]);
      return behaviour(values, attempts);
    },
  };
}

/** An outcome in which every value succeeded. */
export function success(values: readonly unknown[]): BatchOutcome {
  const text = values.map((value) => `${value}\n`).join('');
  return { text, values, failures: [], ran: values.length, runMs: 0.001 };
}

export function failure(message: string): BatchOutcome {
  const failures = [{ at: 0, error: { name: 'Error', message, code: undefined } }];
  return { text: '', values: [], failures, ran: 1, runMs: 0.001 };
}

export function poolError(code: string): Error {
  return Object.assign(new Error(`Task 'runBatch': ${code}`), { code });
}
