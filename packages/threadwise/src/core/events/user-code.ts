/** Calls what the user has given: whatever it does, the pool goes on. What it throws or rejects with is reported once. */
import { isThenable } from '../promised.js';

export class UserCode {
  readonly #failed = new WeakSet<object>();

  /** What `fn` returns; undefined where it throws. */
  call<A extends unknown[], R>(
    fn: (...args: A) => R,
    args: A,
    report: (error: unknown) => void,
  ): R | undefined {
    try {
      const result = fn(...args);
      if (isThenable(result)) result.then(undefined, (error) => this.failed(fn, error, report));
      return result;
    } catch (error) {
      this.failed(fn, error, report);
      return undefined;
    }
  }

  failed(fn: object, error: unknown, report: (error: unknown) => void): void {
    if (this.#failed.has(fn)) return;
    this.#failed.add(fn);
    report(error);
  }
}
