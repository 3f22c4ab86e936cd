/** One measurement under way: its time, its processes, and what was left out. */
import type { Machine } from './machine.js';
import { Child, type ChildOptions, type Talk } from './child.js';

export interface Progress {
  /** `done`: the share of the budget that has passed, 0 to 1. */
  progress(step: { readonly what: string; readonly done: number }): void;
}

export interface Plan {
  readonly budgetMs: number;
  /** When aborted, the measurement ends and returns what is known so far. */
  readonly signal: AbortSignal;
}

/** What the samples of every subject have. */
export interface Measured {
  readonly machine: Machine;
  /** What was left out. */
  readonly skipped: readonly { readonly what: string; readonly why: string }[];
  /** Whether the time was over, or the user ended it, before everything was measured. */
  readonly isCutShort: boolean;
}

/** How many milliseconds an answer that should come at once may take. */
const LEAST_PATIENCE_MS = 10_000;

export class Session<P extends Plan = Plan> {
  readonly plan: P;
  readonly skipped: { readonly what: string; readonly why: string }[] = [];
  /** What was seen that the user should know of. */
  readonly notes: string[] = [];
  readonly #events: Progress;
  readonly #clock: () => number;
  readonly #begin: number;
  readonly #children: { kill(): Promise<void> }[] = [];
  isShort = false;

  /** @param clock milliseconds since the start of the command */
  constructor(plan: P, events: Progress, clock = () => performance.now()) {
    this.plan = plan;
    this.#events = events;
    this.#clock = clock;
    this.#begin = clock();
  }

  now(): number {
    return this.#clock() - this.#begin;
  }

  /** How many milliseconds ago the command was started, whose own start may take a second on a busy machine. */
  get sinceStartMs(): number {
    return this.#clock();
  }

  get remainingMs(): number {
    return Math.max(0, this.plan.budgetMs - this.now());
  }

  get isAborted(): boolean {
    return this.plan.signal.aborted;
  }

  get isOver(): boolean {
    return this.isAborted || this.remainingMs === 0;
  }

  get isCutShort(): boolean {
    return this.isShort || this.isAborted;
  }

  /** How many milliseconds an answer may take that should take `expectedMs`. */
  patience(expectedMs = 0): number {
    return LEAST_PATIENCE_MS + 5 * expectedMs;
  }

  say(what: string): void {
    this.#events.progress({ what, done: clamp(1 - this.remainingMs / this.plan.budgetMs, 0, 1) });
  }

  skip(what: string, why: string): void {
    this.skipped.push({ what, why });
  }

  skipForTime(what: string): void {
    this.isShort = true;
    this.skip(what, 'there was no time; a larger --budget gives more');
  }

  start<T extends Talk<T>>(file: URL, options: Omit<ChildOptions, 'signal'> = {}): Child<T> {
    const child = new Child<T>(file, { signal: this.plan.signal, ...options });
    this.#children.push(child);
    return child;
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()));
  }
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
