/** Calls what the user has given: listeners and callbacks. */
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
