/** The open calls of a pool: each is entered once and leaves once, when it settles. */
import { rejectWithCaller } from './caller-stack.js';
import type { Outcome } from '../contracts.js';
import type { Engine } from '../engine.js';
import { UserCode } from '../events/user-code.js';
import type { Payload } from './payload.js';
import { PlainCalls } from './plain-calls.js';
import type { ResolvedRun } from './run-options.js';
import { type Settlement, Task } from './task.js';

export class Ledger {
  /** The calls without options; undefined where each of those needs a record, too. */
  readonly plain: PlainCalls | undefined;
  readonly #engine: Engine;
  /** The open calls that have a record, in the order in which they got it. */
  readonly #tasks = new Set<Task>();
  readonly #userCode = new UserCode();
  #lastId = 0;

  constructor(engine: Engine) {
    const { parts, defaults, tracing } = engine;
    const way = parts.exchange.plain;
    this.#engine = engine;
    if (way !== undefined && defaults.retries === 0 && !tracing.isOn)
      this.plain = new PlainCalls(engine, way, this);
  }

  get size(): number {
    return this.#tasks.size + (this.plain?.size ?? 0);
  }

  /** Whether any open call has a record: only those can wait on the main side. */
  get hasRecords(): boolean {
    return this.#tasks.size > 0;
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
    const { platform, recorder } = this.#engine.parts;
    const task = new Task(id, name, payload, run, platform.burstNow(), this.#onSettled, wireName);
    recorder.counts.submitted++;
    this.#open(task, resolve);
    this.tellSubmit(id, name);
    return task;
  }

  /** The record of a plain call, which is more than plain from now on. */
  inflate(
    slot: number,
    id: number,
    name: string,
    submittedAt: number,
    timeoutMs: number | undefined,
    resolve: (value: unknown) => void,
  ): Task {
    const { parts, defaults, canceller } = this.#engine;
    const way = parts.exchange.plain!;
    const run = timeoutMs === defaults.timeoutMs ? defaults : { ...defaults, timeoutMs };
    const task = new Task(id, name, way.payloadOf(slot), run, submittedAt, this.#onSettled);
    this.#open(task, resolve);
    way.keep(slot, task);
    canceller.takeOver(task);
    return task;
  }

  /** A call that began at once, on the calling thread, and goes on after its turn. Nothing of it is to be handed over. */
  adopt(
    id: number,
    name: string,
    run: ResolvedRun,
    resolve: (value: unknown) => void,
    context: unknown,
  ): Task {
    const payload = { args: [], transfer: [], onSettled: undefined };
    const now = this.#engine.parts.platform.burstNow();
    const task = new Task(id, name, payload, run, now, this.#onSettled);
    this.#open(task, resolve);
    task.context = context;
    task.state = 'handed';
    return task;
  }

  #open(task: Task, resolve: (value: unknown) => void): void {
    task.resolve = resolve;
    this.#tasks.add(task);
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

  /** Calls have settled. */
  settled(): void {
    this.#engine.lifecycle.settled();
    this.#engine.room.update();
  }

  readonly #onSettled = (task: Task, settlement: Settlement): void => {
    const { parts, here } = this.#engine;
    const { outcome, runMs, by, error } = settlement;
    this.#tasks.delete(task);
    task.payload.onSettled?.(task.stillRuns);
    const now = parts.platform.burstNow();
    // All the time from the call to its end in which the task did not run: queues and crossings.
    const waitMs = runMs === undefined ? undefined : Math.max(0, now - task.submittedAt - runMs);
    // What runs on this thread has a record only where the thread serves as a worker.
    const isInline = runMs !== undefined && by === here?.record;
    parts.recorder.settled(outcome, waitMs, runMs, now, by);
    parts.recorder.functions.ended(task.name, outcome, runMs, now, error, isInline);
    if (runMs !== undefined && by !== undefined) this.ranAcross(task.name, runMs, now);
    this.tellSettle(task.id, task.name, task.context, outcome, runMs, waitMs, error);
    if (settlement.outcome === 'completed') task.resolve(settlement.value);
    else rejectWithCaller(task.resolve, error);
    this.settled();
  };

  /** Calls of a function have ended on a worker. @param runMs how many milliseconds each of them ran, about */
  ranAcross(name: string, runMs: number, now: number): void {
    this.#engine.placement.learner?.find(name)?.ranAcross(runMs, now);
  }

  // --- who hears of calls, beside their callers ---

  tellSubmit(taskId: number, name: string): void {
    const { hooks } = this.#engine;
    if (hooks.wants('task:submit')) hooks.emit('task:submit', { taskId, name });
  }

  tellProgress(taskId: number, name: string, said: unknown, { onProgress }: ResolvedRun): void {
    const { hooks, report, parts } = this.#engine;
    const value = parts.instances === undefined ? said : parts.instances.unpack(said);
    hooks.emit('task:progress', { taskId, name, value });
    if (onProgress !== undefined) this.#userCode.call(onProgress, [value], report);
  }

  tellSettle(
    taskId: number,
    name: string,
    context: unknown,
    outcome: Outcome,
    runMs: number | undefined,
    waitMs?: number,
    error?: unknown,
  ): void {
    const { hooks, tracing } = this.#engine;
    if (tracing.isOn) tracing.end({ taskId, name, context, outcome, waitMs, runMs, error });
    if (hooks.wants('task:settle'))
      hooks.emit('task:settle', { taskId, name, outcome, waitMs, runMs, error });
  }
}
