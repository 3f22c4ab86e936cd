/** Timeouts and aborts: ends a task in whatever state it is, and touches nobody else's. */
import type { Dispatch, Platform, TimerHandle } from '../contracts.js';
import { ThreadwiseError } from '../options/errors.js';
import { SharedSignals } from './shared-signals.js';
import type { Task } from './task.js';
import type { WorkerSlot } from '../workers/worker-slot.js';

/**
 * How long an interrupted task may go on before its thread is replaced, in milliseconds. A thread that has not even
 * noticed is blocked: nothing in it can clean up, so it gets less, unless others would go down with it. Chosen by
 * hand: longer than a machine under load keeps a thread waiting, shorter than anybody waits for a pool.
 */
const BLOCKED_GRACE_MS = 200;
const NOTICED_GRACE_MS = 1000;

export interface CancellerContext {
  readonly platform: Platform;
  readonly dispatch: () => Pick<Dispatch, 'remove' | 'holder' | 'pump'>;
  /** Ends a worker's thread; what it runs is taken down with it, `cause` says why. */
  kill(slot: WorkerSlot, cause: unknown): void;
  /** Gives a worker nothing more. */
  retire(slot: WorkerSlot): void;
}

export class Canceller {
  readonly #context: CancellerContext;
  readonly #signals = new SharedSignals<Task>((task) => this.#aborted(task));
  /** Which worker has a task that can be interrupted. */
  readonly #holders = new Map<Task, WorkerSlot>();
  readonly #timers = new Map<Task, TimerHandle>();
  /** Interrupted tasks whose worker has seen the signal. */
  readonly #noticed = new Set<Task>();
  /** Timers of tasks that were interrupted and have not ended. */
  readonly #graces = new Map<Task, TimerHandle>();

  constructor(context: CancellerContext) {
    this.#context = context;
  }

  /** Follows the caller's signal until the task settles. */
  watchSignal(task: Task): void {
    const { signal } = task.run;
    if (signal === undefined && task.run.timeoutMs === undefined) return;
    this.#signals.follow(signal, task);
    task.unwatch = () => {
      this.#signals.unfollow(signal, task);
      this.unhanded(task);
    };
  }

  /** A worker has the task now. The clock of its timeout is set; whether it runs is asked when it goes off. */
  handed(task: Task, slot: WorkerSlot): void {
    if (task.unwatch === undefined) return;
    this.#holders.set(task, slot);
    if (task.run.timeoutMs !== undefined) this.#setTimer(task, task.run.timeoutMs);
  }

  /** Some worker will take the task by itself; nobody says when. */
  offered(task: Task): void {
    if (task.unwatch === undefined || task.run.timeoutMs === undefined || this.#timers.has(task)) return;
    this.#setTimer(task, task.run.timeoutMs);
  }

  /** A call that has been open for a while, without being watched: how long it has run is asked as soon as may be. */
  takeOver(task: Task): void {
    this.watchSignal(task);
    if (task.run.timeoutMs !== undefined) this.#setTimer(task, 1);
  }

  /** Inverse of `handed`: it was taken back, or has settled. */
  unhanded(task: Task): void {
    this.#holders.delete(task);
    this.#timers.get(task)?.cancel();
    this.#timers.delete(task);
  }

  /** The worker has said its last word on the task, or is gone. */
  ended(task: Task): void {
    if (this.#graces.size === 0) return;
    this.#graces.get(task)?.cancel();
    this.#graces.delete(task);
    this.#noticed.delete(task);
  }

  noticed(task: Task): void {
    if (this.#graces.has(task)) this.#noticed.add(task);
  }

  clear(): void {
    for (const timer of [...this.#timers.values(), ...this.#graces.values()]) timer.cancel();
    this.#timers.clear();
    this.#graces.clear();
    this.#holders.clear();
    this.#noticed.clear();
  }

  #setTimer(task: Task, ms: number): void {
    this.#timers.set(
      task,
      this.#context.platform.timer(ms, () => this.#timedOut(task)),
    );
  }

  /** Only running time counts: the timer goes off at the earliest possible moment, and is set again if the task began later. */
  #timedOut(task: Task): void {
    const timeoutMs = task.run.timeoutMs!;
    const slot = this.#holderOf(task);
    if (slot === undefined) return this.#setTimer(task, timeoutMs); // it still waits
    slot.link.drain(); // the result may have come while the main thread was busy
    if (task.settled || this.#holders.get(task) !== slot) return;
    const startedAt = slot.link.startedAt(task);
    const leftMs = startedAt === undefined ? timeoutMs : startedAt + timeoutMs - this.#context.platform.now();
    if (leftMs > 0) return this.#setTimer(task, Math.max(1, leftMs));
    this.#interrupt(task, slot, 'timedOut', timeoutError(task, timeoutMs, slot.id));
  }

  #aborted(task: Task): void {
    const error = abortError(task);
    const hasLeft = !this.#holders.has(task) && this.#context.dispatch().remove(task);
    const slot = hasLeft ? undefined : this.#holderOf(task);
    if (slot !== undefined) return this.#interrupt(task, slot, 'aborted', error);
    task.settle({ outcome: 'aborted', error });
  }

  /** The worker that has the task now; one that has taken it by itself is remembered from here on. */
  #holderOf(task: Task): WorkerSlot | undefined {
    const slot = this.#holders.get(task) ?? this.#context.dispatch().holder(task);
    if (slot !== undefined) this.#holders.set(task, slot);
    return slot;
  }

  #interrupt(task: Task, slot: WorkerSlot, outcome: 'aborted' | 'timedOut', error: ThreadwiseError): void {
    if (slot.withdraw(task, this.#context.platform.now())) {
      task.settle({ outcome, error });
      return this.#context.dispatch().pump();
    }
    slot.link.abort(task, outcome === 'aborted' ? error.cause : error);
    task.stillRuns = true;
    task.settle({ outcome, error });
    this.#grace(task, slot, error, servesOthers(slot) ? NOTICED_GRACE_MS : BLOCKED_GRACE_MS, 'unnoticed');
  }

  #grace(task: Task, slot: WorkerSlot, error: unknown, ms: number, phase: GracePhase): void {
    this.#graces.set(
      task,
      this.#context.platform.timer(ms, () => this.#graceIsOver(task, slot, error, phase)),
    );
  }

  #graceIsOver(task: Task, slot: WorkerSlot, error: unknown, phase: GracePhase): void {
    slot.link.drain();
    if (!this.#graces.has(task)) return;
    const wait = (next: GracePhase) => this.#grace(task, slot, error, NOTICED_GRACE_MS, next);
    if (phase === 'unnoticed' && this.#noticed.has(task)) return wait('noticed');
    if (phase !== 'unnoticed' && servesOthers(slot)) {
      this.#context.retire(slot);
      return wait('outlasting');
    }
    this.ended(task);
    this.#context.kill(slot, error);
  }
}

/** unnoticed: the signal is not known to have arrived. outlasting: others still run on the thread; they may end. */
type GracePhase = 'unnoticed' | 'noticed' | 'outlasting';

function servesOthers(slot: WorkerSlot): boolean {
  slot.adopt(slot.link.adopt()); // those that it took by itself are others, too
  return [...slot.handed].some((task) => !task.settled && slot.link.startedAt(task) !== undefined);
}

export function timeoutError(
  task: Pick<Task, 'name' | 'id'>,
  timeoutMs: number,
  workerId: number,
): ThreadwiseError {
  const message = `Task '${task.name}' ran longer than its timeout of ${timeoutMs} ms`;
  const details = { taskName: task.name, taskId: task.id, workerId };
  return new ThreadwiseError('ERR_TASK_TIMEOUT', message, details);
}

/** ERR_TASK_ABORTED, named AbortError, with the signal's reason as its cause. */
export function abortError(task: Pick<Task, 'name' | 'id' | 'run'>): ThreadwiseError {
  const details = { cause: task.run.signal?.reason, taskName: task.name, taskId: task.id };
  return new ThreadwiseError('ERR_TASK_ABORTED', `Task '${task.name}' was aborted`, details);
}
