/** Tells the pool's owner of each task, and asks what the task takes along: enough for the spans of a tracer. */
import type { Outcome } from '../contracts.js';
import { type ErrorDetails, ThreadwiseError } from '../options/errors.js';
import type { ResolvedOptions } from '../options/options.js';
import { isThenable } from '../promised.js';
import { UserCode } from './user-code.js';

/** Told in the caller's own turn and async context. */
export interface TaskStart {
  readonly pool: string;
  readonly taskId: number;
  readonly name: string;
}

export interface TaskEnd extends TaskStart {
  /** What `onTaskStart` returned. */
  readonly context: unknown;
  readonly outcome: Outcome;
  /** All the time of the call in which the task did not run. Milliseconds; undefined where it never ran to an end. */
  readonly waitMs: number | undefined;
  readonly runMs: number | undefined;
  /** Undefined for a task that completed. */
  readonly error: unknown;
}

type TracingHooks = Pick<ResolvedOptions, 'onTaskStart' | 'onTaskEnd'>;

export class Tracing {
  readonly isOn: boolean;
  readonly #hooks: TracingHooks;
  readonly #pool: string;
  readonly #report: (error: unknown) => void;
  readonly #userCode = new UserCode();

  /** @param report what is wrong with a hook, once: it must not harm the call */
  constructor(hooks: TracingHooks, pool: string, report: (error: unknown) => void) {
    this.#hooks = hooks;
    this.#pool = pool;
    this.#report = report;
    this.isOn = hooks.onTaskStart !== undefined || hooks.onTaskEnd !== undefined;
  }

  /** Asks what the task takes along. */
  start(taskId: number, name: string): unknown {
    const { onTaskStart } = this.#hooks;
    if (onTaskStart === undefined) return undefined;
    const context = this.#userCode.call(onTaskStart, [{ pool: this.#pool, taskId, name }], this.#report);
    if (!isThenable(context)) return context;
    this.#tellWrong('a promise: the call does not wait for it');
    return undefined;
  }

  /** What the hook returned cannot cross: the call goes without it. */
  refused(cause: unknown): void {
    this.#tellWrong('what cannot be cloned', { cause });
  }

  #tellWrong(got: string, details?: ErrorDetails): void {
    const message = `Option 'onTaskStart': expected a function that returns a value to take along, got ${got}`;
    const error = new ThreadwiseError('ERR_OPTION', message, details);
    this.#userCode.failed(this.#hooks.onTaskStart!, error, this.#report);
  }

  end(task: Omit<TaskEnd, 'pool'>): void {
    const { onTaskEnd } = this.#hooks;
    if (onTaskEnd !== undefined)
      this.#userCode.call(onTaskEnd, [{ pool: this.#pool, ...task }], this.#report);
  }
}
