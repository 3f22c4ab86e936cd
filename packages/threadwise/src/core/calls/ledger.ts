/** The open calls of a pool: each is entered once and leaves once, when it settles. */
import { rejectWithCaller } from './caller-stack.js';
import type { Outcome, PlainWay, Platform, Recorder } from '../contracts.js';
import type { Hooks } from '../events/hooks.js';
import type { Payload } from './payload.js';
import { PlainCalls } from './plain-calls.js';
import type { ResolvedRun } from './run-options.js';
import { type Settlement, Task } from './task.js';
import type { Tracing } from '../events/tracing.js';

export interface LedgerContext {
  readonly poolName: string;
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly hooks: Hooks;
  readonly tracing: Tracing;
  /** What a call without options gets. */
  readonly defaults: ResolvedRun;
  /** The way of plain calls, where there is one. */
  readonly plain: PlainWay | undefined;
  /** A worker has run a task that long. */
  onRan(name: string, runMs: number, now: number): void;
  /** A call that was plain has a record from now on. */
  onInflated(task: Task): void;
  /** Calls have settled. */
  onSettled(): void;
}

export class Ledger {
  readonly #context: LedgerContext;
  /** The open calls that have a record, in the order in which they got it. */
  readonly #tasks = new Set<Task>();
  readonly #onSettled = (task: Task, settlement: Settlement) => this.#settled(task, settlement);
  #lastId = 0;
  /** The calls without options; undefined where each of those needs a record, too. */
  readonly plain: PlainCalls | undefined;

  constructor(context: LedgerContext) {
    this.#context = context;
    const { plain, platform, recorder, defaults, tracing } = context;
    if (plain === undefined || defaults.retries > 0 || tracing.isOn) return;
    this.plain = new PlainCalls({
      platform,
      way: plain,
      submit: () => {
        recorder.submitted();
        return ++this.#lastId;
      },
      recordEnd: (outcome, count, now) => {
        recorder.ended(outcome, count, now);
        context.onSettled();
      },
      inflate: ({ slot, id, name, submittedAt, timeoutMs, resolve }) => {
        const run = timeoutMs === defaults.timeoutMs ? defaults : { ...defaults, timeoutMs };
        const task = new Task(id, name, plain.payloadOf(slot), run, submittedAt, this.#onSettled);
        task.resolve = resolve;
        this.#tasks.add(task);
        plain.keep(slot, task);
        context.onInflated(task);
        return task;
      },
    });
  }

  get size(): number {
    return this.#tasks.size + (this.plain?.size ?? 0);
  }

  /** A call that runs at once, on the calling thread: who counts it is `WithinRun`. */
  runsHere(id: number, name: string): void {
    const { hooks, poolName } = this.#context;
    if (hooks.wants('task:submit')) hooks.emit('task:submit', { pool: poolName, taskId: id, name });
  }

  /** Such a call goes on after its turn: from now on it is open like others. Nothing of it is to be handed over. */
  adopt(
    id: number,
    name: string,
    run: ResolvedRun,
    resolve: (value: unknown) => void,
    context: unknown,
  ): Task {
    const { platform } = this.#context;
    const payload = { args: [], transfer: [], onSettled: undefined };
    const task = new Task(id, name, payload, run, platform.burstNow(), this.#onSettled);
    task.resolve = resolve;
    task.context = context;
    task.state = 'handed';
    this.#tasks.add(task);
    return task;
  }

  /** The number of a task that is about to be entered. */
  newId(): number {
    return ++this.#lastId;
  }

  /** @param resolve of the promise that the caller has */
  enter(
    id: number,
    name: string,
    payload: Payload,
    run: ResolvedRun,
    resolve: (value: unknown) => void,
    wireName?: string,
  ): Task {
    const { platform, recorder, hooks, poolName } = this.#context;
    const task = new Task(id, name, payload, run, platform.burstNow(), this.#onSettled, wireName);
    task.resolve = resolve;
    this.#tasks.add(task);
    recorder.submitted();
    if (hooks.wants('task:submit')) hooks.emit('task:submit', { pool: poolName, taskId: task.id, name });
    return task;
  }

  close(): void {
    this.plain?.close();
  }

  /** Settles every open call. */
  rejectAll(outcome: Exclude<Outcome, 'completed'>, makeError: (task: Task) => unknown): void {
    this.plain?.inflateAll();
    for (const task of [...this.#tasks].sort((a, b) => a.id - b.id))
      task.settle({ outcome, error: makeError(task) });
  }

  #settled(task: Task, settlement: Settlement): void {
    this.#tasks.delete(task);
    task.payload.onSettled?.(task.stillRuns);
    this.#record(task, settlement);
    if (settlement.outcome === 'completed') task.resolve(settlement.value);
    else rejectWithCaller(task.resolve, settlement.error);
    this.#context.onSettled();
  }

  #record(task: Task, settlement: Settlement): void {
    const { platform, recorder } = this.#context;
    const { outcome, runMs } = settlement;
    const now = platform.burstNow();
    // All the time from the call to its end in which the task did not run: queues and crossings.
    const waitMs = runMs === undefined ? undefined : Math.max(0, now - task.submittedAt - runMs);
    recorder.settled(outcome, waitMs, runMs, now, settlement.by);
    if (runMs !== undefined && settlement.by !== undefined) this.#context.onRan(task.name, runMs, now);
    const error = settlement.outcome === 'completed' ? undefined : settlement.error;
    this.tell(task.id, task.name, task.context, outcome, waitMs, runMs, error);
  }

  /** Tells who listens, and the tracer, that a call has ended; its caller is told by others. */
  tell(
    taskId: number,
    name: string,
    context: unknown,
    outcome: Outcome,
    waitMs: number | undefined,
    runMs: number | undefined,
    error: unknown,
  ): void {
    const { hooks, tracing, poolName: pool } = this.#context;
    if (tracing.isOn) tracing.end({ pool, taskId, name, context, outcome, waitMs, runMs, error });
    if (hooks.wants('task:settle'))
      hooks.emit('task:settle', { pool, taskId, name, outcome, waitMs, runMs, error });
  }
}
