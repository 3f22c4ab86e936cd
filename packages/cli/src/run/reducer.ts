/** --reduce: folds the results in the main thread, by the rule of Array.prototype.reduce. */

import { ExpectedError, UsageError } from '../usage-error.js';
import { describeError, errorLine } from './work/described-error.js';
import { importModule, namedFunction, type TaskFunction } from './work/task-module.js';

export interface Reducer {
  add(value: unknown): Promise<void>;
  /** The fold's result. Throws if there is none. */
  value(): unknown;
}

export class ReducerError extends ExpectedError {
  override readonly name = 'ReducerError';
}

/** Undefined without a name: nothing is folded. */
export async function loadReducer(url: string, name: string | undefined): Promise<Reducer | undefined> {
  return name === undefined
    ? undefined
    : createReducer(namedFunction(await importModule(url), name, url), name);
}

/**
 * `(sum = 0, value) => …` has no required parameter: it brings its initial value, and is called with undefined first.
 * `(a, b) => …` has not: the first result is the initial value, as in `reduce` with one argument.
 */
export function createReducer(fold: TaskFunction, name: string): Reducer {
  const bringsInitial = fold.length === 0;
  let isEmpty = true;
  let sum: unknown;
  return {
    async add(value) {
      if (isEmpty && !bringsInitial) sum = value;
      else sum = await called(fold, name, sum, value);
      isEmpty = false;
    },
    value() {
      if (!isEmpty || bringsInitial) return sum;
      throw new UsageError(
        `nothing to reduce: '${name}' has no initial value (a default for its first parameter) and there was no result`,
      );
    },
  };
}

async function called(fold: TaskFunction, name: string, sum: unknown, value: unknown): Promise<unknown> {
  try {
    return await fold(sum, value);
  } catch (error) {
    throw new ReducerError(`the reducer '${name}' failed: ${errorLine(describeError(error))}`);
  }
}
