/** The open calls of a pool: each is entered once and leaves once, when it settles. */
import type { Outcome, Platform, Recorder } from './contracts.js';
import type { Hooks } from './hooks.js';
import type { ResolvedRun } from './options.js';
import type { Payload } from './payload.js';
import { type Settlement, Task } from './task.js';

export interface LedgerContext {
  readonly poolName: string;
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly hooks: Hooks;
  /** A call settled; `open` are left. */
  onSettled(open: number): void;
}

export interface Caller {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class Ledger {
  readonly #context: LedgerContext;
  readonly #open = new Map<Task, Caller>();
  readonly #onSettled = (task: Task, settlement: Settlement) => this.#settled(task, settlement);
  #lastId = 0;

  constructor(context: LedgerContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#open.size;
  }

  enter(name: string, payload: Payload, run: ResolvedRun, caller: Caller): Task {
    const { platform, recorder, hooks, poolName } = this.#context;
    const task = new Task(++this.#lastId, name, payload, run, platform.now(), this.#onSettled);
    this.#open.set(task, caller);
    recorder.submitted();
    if (hooks.wants('task:submit')) hooks.emit('task:submit', { pool: poolName, taskId: task.id, name });
    return task;
  }

  /** Settles every open call. */
  rejectAll(outcome: Exclude<Outcome, 'completed'>, makeError: (task: Task) => unknown): void {
    for (const task of [...this.#open.keys()]) task.settle({ outcome, error: makeError(task) });
  }

  #settled(task: Task, settlement: Settlement): void {
    const caller = this.#open.get(task)!;
    this.#open.delete(task);
    task.payload.onSettled?.(task.stillRuns);
    this.#record(task, settlement);
    if (settlement.outcome === 'completed') caller.resolve(settlement.value);
    else caller.reject(settlement.error);
    this.#context.onSettled(this.#open.size);
  }

  #record(task: Task, settlement: Settlement): void {
    const { platform, recorder, hooks, poolName } = this.#context;
    const { outcome, runMs } = settlement;
    // All the time from the call to its end in which the task did not run: queues and crossings.
    const waitMs = runMs === undefined ? undefined : Math.max(0, platform.now() - task.submittedAt - runMs);
    recorder.settled(outcome, waitMs, runMs);
    if (!hooks.wants('task:settle')) return;
    const error = settlement.outcome === 'completed' ? undefined : settlement.error;
    hooks.emit('task:settle', {
      pool: poolName,
      taskId: task.id,
      name: task.name,
      outcome,
      waitMs,
      runMs,
      error,
    });
  }
}
