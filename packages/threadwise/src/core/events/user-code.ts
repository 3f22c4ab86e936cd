/** Calls what the user has given: listeners, callbacks, and the functions of a pool's owner that tasks may call. */
import { show, ThreadwiseError } from '../options/errors.js';
import { isThenable } from '../promised.js';

type Report = (error: unknown) => void;

/** Whatever the user's function does, the pool goes on. What it throws or rejects with is reported once for each function. */
export class UserCode {
  readonly #failed = new WeakSet<object>();

  /** Returns what `fn` returns; undefined if it throws. */
  call<A extends unknown[], R>(fn: (...args: A) => R, args: A, report: Report): R | undefined {
    try {
      const result = fn(...args);
      if (isThenable(result)) result.then(undefined, (error) => this.failed(fn, error, report));
      return result;
    } catch (error) {
      this.failed(fn, error, report);
      return undefined;
    }
  }

  failed(fn: object, error: unknown, report: Report): void {
    if (this.#failed.has(fn)) return;
    this.#failed.add(fn);
    report(error);
  }
}

type Host = ReadonlyMap<string, (...args: unknown[]) => unknown>;

/** Rejects with what the host function throws, or with ERR_TASK_NOT_FOUND. */
export async function callHost(host: Host, name: string, args: readonly unknown[]): Promise<unknown> {
  const fn = host.get(name);
  if (fn !== undefined) return fn(...args);
  const offered = [...host.keys()].join(', ') || 'none';
  const message = `The pool's owner offers no host function ${show(name)}. Offered: ${offered}`;
  throw new ThreadwiseError('ERR_TASK_NOT_FOUND', message);
}
