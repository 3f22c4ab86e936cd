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

/**
 * What the app gets in place of a value that has the functions as properties: what `require` gives, or a default export.
 * @param original the exports of the module: a property is offloaded only if it is the function of that name
 */
export function withOffloaded(
  url: string,
  names: readonly string[],
  exported: unknown,
  original: unknown = exported,
): unknown {
  const isFunction = typeof exported === 'function';
  if (!isFunction && (typeof exported !== 'object' || exported === null)) return exported;
  const [all, known] = [exported, original] as Readonly<Record<string, TaskFunction>>[];
  const ours = names.filter((name) => typeof all![name] === 'function' && all![name] === known![name]);
  const replaced = Object.fromEntries(ours.map((name) => [name, offloaded(url, name, all![name]!)]));
  const isOurs = isFunction && names.includes('default');
  if (ours.length === 0 && !isOurs) return exported;
  if (!isFunction) return { ...all, ...replaced };
  const main = exported as TaskFunction;
  const called = isOurs ? offloaded(url, 'default', main) : main;
  // A function may have others as its properties.
  return new Proxy(main, {
    apply: (_, self, args: unknown[]) => Reflect.apply(called, self, args),
    get: (_, name) => (Object.hasOwn(replaced, name) ? replaced[name as string] : Reflect.get(main, name)),
  });
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

export function callsSoFar() {
  return { calls, firstFailure };
}
