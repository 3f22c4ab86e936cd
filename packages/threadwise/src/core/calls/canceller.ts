/** Timeouts and aborts: ends a task in whatever state it is, and touches nobody else's. */
import type { Link, TimerHandle } from '../contracts.js';
import type { Engine } from '../engine.js';
import { ThreadwiseError } from '../options/errors.js';
import { SharedSignals } from './shared-signals.js';
import type { Task } from './task.js';
import { WorkerSlot } from '../workers/worker-slot.js';

/**
 * How long an interrupted task may go on before its thread is replaced, in milliseconds. A thread that has not even
 * noticed is blocked: nothing in it can clean up, so it gets less, unless others would go down with it. Chosen by
 * hand: longer than a machine under load keeps a thread waiting, shorter than anybody waits for a pool.
 */
const BLOCKED_GRACE_MS = 200;
const NOTICED_GRACE_MS = 1000;

/** Who has tasks, as far as it is asked to end one: a worker, or the calling thread. */
export interface Holder {
  readonly id: number;
  readonly link: Pick<Link, 'drain' | 'startedAt' | 'abort'>;
  /** Takes a task back that was handed over and has not begun. False: it has begun. */
  withdraw(task: Task, now: number): boolean;
  /** Whether anything runs there that nobody wants to end. */
  servesOthers(): boolean;
}

export class Canceller {
  readonly #engine: Engine;
  readonly #signals = new SharedSignals<Task>((task) => this.#aborted(task));
  /** Who has a task that can be interrupted. */
  readonly #holders = new Map<Task, Holder>();
  readonly #timers = new Map<Task, TimerHandle>();
  /** Interrupted tasks whose worker has seen the signal. */
  readonly #noticed = new Set<Task>();
  /** Timers of tasks that were interrupted and have not ended. */
  readonly #graces = new Map<Task, TimerHandle>();

  constructor(engine: Engine) {
    this.#engine = engine;
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
  handed(task: Task, holder: Holder): void {
    if (task.unwatch === undefined) return;
    this.#holders.set(task, holder);
    if (task.run.timeoutMs !== undefined) this.#setTimer(task, task.run.timeoutMs);
  }

  /** Some worker will take the task by itself; nobody says when. */
  offered(task: Task): void {
    if (task.unwatch === undefined || task.run.timeoutMs === undefined || this.#timers.has(task)) return;
    this.#setTimer(task, task.run.timeoutMs);
  }

  /** A call that has been open for a while, without being watched: how long it has run is asked as soon as may be. */
  takeOver(task: Task, holder?: Holder): void {
    this.watchSignal(task);
    if (holder !== undefined && task.unwatch !== undefined) this.#holders.set(task, holder);
    if (task.run.timeoutMs !== undefined) this.#setTimer(task, 1);
    if (task.run.signal?.aborted) this.#aborted(task); // by its own code
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
      this.#engine.parts.platform.timer(ms, () => this.#timedOut(task)),
    );
  }

  /** Only running time counts: the timer goes off at the earliest possible moment, and is set again if the task began later. */
  #timedOut(task: Task): void {
    const timeoutMs = task.run.timeoutMs!;
    const holder = this.#holderOf(task);
    if (holder === undefined) return this.#setTimer(task, timeoutMs); // it still waits
    holder.link.drain(); // the result may have come while the main thread was busy
    if (task.settled || this.#holders.get(task) !== holder) return;
    const startedAt = holder.link.startedAt(task);
    const { platform } = this.#engine.parts;
    const leftMs = startedAt === undefined ? timeoutMs : startedAt + timeoutMs - platform.now();
    if (leftMs > 0) return this.#setTimer(task, Math.max(1, leftMs));
    this.#interrupt(task, holder, 'timedOut', timeoutError(task, timeoutMs, holder.id));
  }

  #aborted(task: Task): void {
    const error = abortError(task);
    const { here, dispatch } = this.#engine;
    const hasLeft = !this.#holders.has(task) && (here?.tasks.remove(task) === true || dispatch.remove(task));
    const holder = hasLeft ? undefined : this.#holderOf(task);
    if (holder !== undefined) return this.#interrupt(task, holder, 'aborted', error);
    task.settle({ outcome: 'aborted', error });
  }

  /** Who has the task now; a worker that has taken it by itself is remembered from here on. */
  #holderOf(task: Task): Holder | undefined {
    const holder = this.#holders.get(task) ?? this.#engine.dispatch.holder(task);
    if (holder !== undefined) this.#holders.set(task, holder);
    return holder;
  }

  #interrupt(task: Task, holder: Holder, outcome: 'aborted' | 'timedOut', error: ThreadwiseError): void {
    if (holder.withdraw(task, this.#engine.parts.platform.now())) {
      task.settle({ outcome, error });
      return this.#engine.dispatch.pump();
    }
    holder.link.abort(task, outcome === 'aborted' ? error.cause : error);
    task.stillRuns = true;
    task.settle({ outcome, error });
    const ms = holder.servesOthers() ? NOTICED_GRACE_MS : BLOCKED_GRACE_MS;
    this.#grace(task, holder, error, ms, 'unnoticed');
  }

  #grace(task: Task, holder: Holder, error: unknown, ms: number, phase: GracePhase): void {
    this.#graces.set(
      task,
      this.#engine.parts.platform.timer(ms, () => this.#graceIsOver(task, holder, error, phase)),
    );
  }

  #graceIsOver(task: Task, holder: Holder, error: unknown, phase: GracePhase): void {
    const { workers, here } = this.#engine;
    holder.link.drain();
    if (!this.#graces.has(task)) return;
    const wait = (next: GracePhase) => this.#grace(task, holder, error, NOTICED_GRACE_MS, next);
    if (phase === 'unnoticed' && this.#noticed.has(task)) return wait('noticed');
    if (!(holder instanceof WorkerSlot)) {
      this.ended(task);
      return here?.tasks.giveUp(task);
    }
    if (phase !== 'unnoticed' && holder.servesOthers()) {
      workers.retire(holder, 'interrupted');
      this.#engine.pump();
      return wait('outlasting');
    }
    this.ended(task);
    workers.kill(holder, 'interrupted', error);
  }
}

/** unnoticed: the signal is not known to have arrived. outlasting: others still run on the thread; they may end. */
type GracePhase = 'unnoticed' | 'noticed' | 'outlasting';

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
