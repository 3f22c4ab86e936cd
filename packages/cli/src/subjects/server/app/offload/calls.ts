/** Sends the calls of offloaded functions to a pool. The pool's own threads have no pool, and call the functions directly. */
import type { Pool } from 'threadwise';
import { describeError, errorLine } from '../../../../run/work/described-error.js';
import type { TaskFunction } from '../../../../run/work/task-module.js';

const pools = new Map<string, Pool>();
let calls = 0;
let firstFailure: string | undefined;

/** @param url the URL of the module, as the app imports it */
export function addPool(url: string, pool: Pool): void {
  pools.set(url, pool);
}

/** The function that the app gets in place of its own. */
export function offloaded(url: string, name: string, original: TaskFunction): TaskFunction {
  const pool = pools.get(url);
  return pool === undefined ? original : (...args) => call(pool, name, args);
}

async function call(pool: Pool, name: string, args: unknown[]): Promise<unknown> {
  calls += 1;
  try {
    return await pool.run(name, args);
  } catch (error) {
    firstFailure ??= errorLine(describeError(error));
    throw error;
  }
}

/** Returns the number of calls since it was last called, and the first failure among them. */
export function takeCalls() {
  const taken = { calls, firstFailure };
  [calls, firstFailure] = [0, undefined];
  return taken;
}
