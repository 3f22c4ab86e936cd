/** One call: what was asked, where it stands, and the one place where it settles. */
import type { Outcome, TaskView, WorkerRecord } from '../contracts.js';
import type { Payload } from './payload.js';
import type { ResolvedRun } from './run-options.js';

export type Settlement = (
  | { readonly outcome: 'completed'; readonly value: unknown; readonly error?: undefined }
  | { readonly outcome: Exclude<Outcome, 'completed'>; readonly error: unknown; readonly value?: undefined }
) & {
  readonly runMs?: number;
  /** What is measured of the worker that ran it. */
  readonly by?: WorkerRecord | undefined;
};

export type OnSettled = (task: Task, settlement: Settlement) => void;

export class Task implements TaskView {
  readonly id: number;
  readonly name: string;
  readonly payload: Payload;
  readonly run: ResolvedRun;
  readonly priority: number;
  readonly key: unknown;
  readonly submittedAt: number;
  /** queued: in a queue of the main side. handed: a worker has it, begun or not. settled: the caller knows. */
  state: 'queued' | 'handed' | 'settled' = 'queued';
  retriesLeft: number;
  /** Whether it timed out or was aborted while it ran, and its worker has not said yet that it has ended. */
  stillRuns = false;
  /** Meant for one worker and no other (a broadcast): it is never moved. */
  pinned = false;
  /** The workers that get a call of the same broadcast: when one dies, the worker that gets its call is added. */
  receivers: Set<unknown> | undefined = undefined;
  /** The name that crosses with it: see `carrier.ts`. */
  readonly wireName: string;
  context: unknown;
  /** The claim-board cell of the link that carries it; the link's own. */
  cell = -1;
  resolve!: (value: unknown) => void;
  /** Undoes what watches the task: its timer, its abort listener. */
  unwatch: (() => void) | undefined = undefined;
  readonly #onSettled: OnSettled;

  constructor(
    id: number,
    name: string,
    payload: Payload,
    run: ResolvedRun,
    submittedAt: number,
    onSettled: OnSettled,
    wireName = name,
  ) {
    this.wireName = wireName;
    this.id = id;
    this.name = name;
    this.payload = payload;
    this.run = run;
    this.priority = run.priority;
    this.key = run.key;
    this.submittedAt = submittedAt;
    this.retriesLeft = run.retries;
    this.#onSettled = onSettled;
  }

  /** Whether its arguments move when it is handed over. Then that happens once: its worker runs it, or it is lost with that worker. */
  get moves(): boolean {
    return this.payload.transfer.length > 0;
  }

  /** Whether another worker may get the task, if the one that has it has not begun it. */
  get isMovable(): boolean {
    return !this.settled && !this.pinned && !this.moves;
  }

  get settled(): boolean {
    return this.state === 'settled';
  }

  /** Tells the caller, exactly once: a second outcome is dropped. Returns whether this was the first. */
  settle(settlement: Settlement): boolean {
    if (this.settled) return false;
    this.state = 'settled';
    this.unwatch?.();
    this.unwatch = undefined;
    this.#onSettled(this, settlement);
    return true;
  }
}

export function oldestSubmittedAt(tasks: Iterable<Task>): number | undefined {
  let oldest: number | undefined;
  for (const { submittedAt } of tasks) oldest = Math.min(oldest ?? submittedAt, submittedAt);
  return oldest;
}
