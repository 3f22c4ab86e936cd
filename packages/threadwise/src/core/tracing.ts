/** What the owner hears of each task, and gives it to take along: enough for the spans of a tracer. */
import { callback } from './checks.js';
import type { Outcome } from './contracts.js';

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

export interface TracingHooks {
  readonly onTaskStart: ((task: TaskStart) => unknown) | undefined;
  readonly onTaskEnd: ((task: TaskEnd) => void) | undefined;
}

type Given = { readonly [K in keyof TracingHooks]?: TracingHooks[K] };

/** Throws ERR_OPTION. */
export function resolveTracing({ onTaskStart, onTaskEnd }: Given): TracingHooks {
  if (onTaskStart !== undefined) callback('onTaskStart', onTaskStart);
  if (onTaskEnd !== undefined) callback('onTaskEnd', onTaskEnd);
  return { onTaskStart, onTaskEnd };
}

export class Tracing {
  readonly isOn: boolean;
  readonly #hooks: TracingHooks;
  readonly #report: (error: unknown) => void;

  /** @param report what a hook throws: it must not harm the call */
  constructor(hooks: TracingHooks, report: (error: unknown) => void) {
    this.#hooks = hooks;
    this.#report = report;
    this.isOn = hooks.onTaskStart !== undefined || hooks.onTaskEnd !== undefined;
  }

  /** What the task takes along. */
  start(task: TaskStart): unknown {
    return this.#guard(() => this.#hooks.onTaskStart?.(task));
  }

  end(task: TaskEnd): void {
    this.#guard(() => this.#hooks.onTaskEnd?.(task));
  }

  #guard<T>(hook: () => T): T | undefined {
    try {
      return hook();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }
}
