/** The open calls of a pool: each is entered once and leaves once, when it settles. */
import { rejectWithCaller } from './caller-stack.js';
import type { Outcome, Platform, Recorder } from './contracts.js';
import type { Hooks } from './hooks.js';
import type { ResolvedRun } from './options.js';
import type { Payload } from './payload.js';
import { type Settlement, Task } from './task.js';
import type { Tracing } from './tracing.js';

export interface LedgerContext {
  readonly poolName: string;
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly hooks: Hooks;
  readonly tracing: Tracing;
  /** A call settled; `open` are left. */
  onSettled(open: number): void;
}

export class Ledger {
  readonly #context: LedgerContext;
  /** The open calls, as a list that runs through the tasks themselves: entering and leaving allocate nothing. */
  #first: Task | undefined;
  #size = 0;
  readonly #onSettled = (task: Task, settlement: Settlement) => this.#settled(task, settlement);
  #lastId = 0;

  constructor(context: LedgerContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#size;
  }

  /** The number that the next task will have. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  /** @param resolve of the promise that the caller has */
  enter(
    name: string,
    payload: Payload,
    run: ResolvedRun,
    resolve: (value: unknown) => void,
    wireName?: string,
  ): Task {
    const { platform, recorder, hooks, poolName } = this.#context;
    const task = new Task(++this.#lastId, name, payload, run, platform.burstNow(), this.#onSettled, wireName);
    task.resolve = resolve;
    this.#link(task);
    recorder.submitted();
    if (hooks.wants('task:submit')) hooks.emit('task:submit', { pool: poolName, taskId: task.id, name });
    return task;
  }

  /** Settles every open call. */
  rejectAll(outcome: Exclude<Outcome, 'completed'>, makeError: (task: Task) => unknown): void {
    const open: Task[] = [];
    for (let task = this.#first; task !== undefined; task = task.next) open.push(task);
    for (const task of open.reverse()) task.settle({ outcome, error: makeError(task) });
  }

  #link(task: Task): void {
    task.next = this.#first;
    if (this.#first !== undefined) this.#first.previous = task;
    this.#first = task;
    this.#size++;
  }

  #unlink(task: Task): void {
    if (task.previous === undefined) this.#first = task.next;
    else task.previous.next = task.next;
    if (task.next !== undefined) task.next.previous = task.previous;
    task.next = undefined;
    task.previous = undefined;
    this.#size--;
  }

  #settled(task: Task, settlement: Settlement): void {
    this.#unlink(task);
    task.payload.onSettled?.(task.stillRuns);
    this.#record(task, settlement);
    if (settlement.outcome === 'completed') task.resolve(settlement.value);
    else rejectWithCaller(task.resolve, settlement.error);
    this.#context.onSettled(this.#size);
  }

  #record(task: Task, settlement: Settlement): void {
    const { platform, recorder, hooks, poolName } = this.#context;
    const { outcome, runMs } = settlement;
    const now = platform.burstNow();
    // All the time from the call to its end in which the task did not run: queues and crossings.
    const waitMs = runMs === undefined ? undefined : Math.max(0, now - task.submittedAt - runMs);
    recorder.settled(outcome, waitMs, runMs, now, settlement.by);
    const isTraced = this.#context.tracing.isOn;
    if (!isTraced && !hooks.wants('task:settle')) return;
    const error = settlement.outcome === 'completed' ? undefined : settlement.error;
    const { id: taskId, name, context } = task;
    if (isTraced) {
      this.#context.tracing.end({ pool: poolName, taskId, name, context, outcome, waitMs, runMs, error });
    }
    hooks.emit('task:settle', {
      pool: poolName,
      taskId,
      name,
      outcome,
      waitMs,
      runMs,
      error,
    });
  }
}
