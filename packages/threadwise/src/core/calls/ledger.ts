/** The open calls of a pool: each is entered once and leaves once, when it settles. */
import { rejectWithCaller } from './caller-stack.js';
import type { Outcome } from '../contracts.js';
import type { Engine } from '../engine.js';
import { UserCode } from '../events/user-code.js';
import type { Payload } from './payload.js';
import { PlainCalls } from './plain-calls.js';
import type { ResolvedRun } from './run-options.js';
import { type OnSettled, Task } from './task.js';

export class Ledger {
  /** The calls without options; undefined where each of those needs a record, too. */
  readonly plain: PlainCalls | undefined;
  readonly #engine: Engine;
  /** The open calls that have a record, in the order in which they got it. */
  readonly #tasks = new Set<Task>();
  readonly #userCode = new UserCode();
  #lastId = 0;

  constructor(engine: Engine) {
    const { parts, defaults, hooks } = engine;
    const way = parts.exchange.plain;
    this.#engine = engine;
    if (way !== undefined && defaults.retries === 0 && !hooks.isTracing)
      this.plain = new PlainCalls(engine, way, this);
  }

  get size(): number {
    return this.#tasks.size + (this.plain?.size ?? 0);
  }

  /** Whether any open call has a record: only those can wait on the main side. */
  get hasRecords(): boolean {
    return this.#tasks.size > 0;
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Enters a call that has a record. @param resolve of the promise that the caller has */
  open(
    id: number,
    name: string,
    payload: Payload,
    run: ResolvedRun,
    resolve: Task['resolve'],
    wireName = name,
    submittedAt = this.#engine.parts.platform.burstNow(),
  ): Task {
    const task = new Task(id, name, payload, run, submittedAt, this.#onSettled, wireName);
    task.resolve = resolve;
    this.#tasks.add(task);
    return task;
  }

  rejectAll(outcome: Exclude<Outcome, 'completed'>, makeError: (task: Task) => unknown): void {
    this.plain?.inflateAll();
    for (const task of [...this.#tasks].sort((a, b) => a.id - b.id))
      task.settle({ outcome, error: makeError(task) });
  }

  settled(): void {
    const { lifecycle, room, scaler } = this.#engine;
    lifecycle.settled();
    room.update();
    if (scaler.keepsOne) scaler.adjust();
  }

  readonly #onSettled: OnSettled = (task, { outcome, value, runMs, by, error }) => {
    const { parts, here, hooks } = this.#engine;
    const { id: taskId, name, context } = task;
    const hasRun = runMs !== undefined;
    this.#tasks.delete(task);
    task.payload.onSettled?.(task.stillRuns);
    const now = parts.platform.burstNow();
    // All the time from the call to its end in which the task did not run: queues and crossings.
    const waitMs = hasRun ? Math.max(0, now - task.submittedAt - runMs) : undefined;
    // A call that ran on this thread has its record, undefined where the thread is no worker. An interrupted call still runs.
    const isInline = hasRun ? by === here?.record : here?.tasks.link.startedAt(task) !== undefined;
    parts.recorder.settled(outcome, waitMs, runMs, now, by);
    parts.recorder.functions.ended(name, outcome, runMs, now, error, isInline);
    if (hasRun && !isInline) this.ranAcross(name, runMs, now);
    hooks.taskEnded({ taskId, name, context, outcome, waitMs, runMs, error });
    if (outcome === 'completed') task.resolve(value);
    else rejectWithCaller(task.resolve, error);
    this.settled();
  };

  ranAcross(name: string, runMs: number, now: number): void {
    this.#engine.placement.learner?.find(name)?.ranAcross(runMs, now);
  }

  tellProgress(taskId: number, name: string, said: unknown, { onProgress }: ResolvedRun): void {
    const { hooks, parts } = this.#engine;
    let value = said;
    try {
      if (parts.instances !== undefined) value = parts.instances.unpack(said);
    } catch (error) {
      return hooks.report(error); // a `decode` of the user's has thrown
    }
    hooks.emit('task:progress', { taskId, name, value });
    if (onProgress !== undefined) this.#userCode.call(onProgress, [value], hooks.report);
  }
}
