/** Timeouts and aborts: ends a task in any of its states, and harms no other task. */
import type { TimerHandle } from '../contracts.js';
import type { Engine } from '../engine.js';
import type { TasksHere } from '../inline/tasks-here.js';
import { ThreadwiseError } from '../options/errors.js';
import { onAbort, reasonOf } from './signals.js';
import type { Task } from './task.js';
import { WorkerSlot } from '../workers/worker-slot.js';

/** How many milliseconds an interrupted task may go on before its thread is replaced, beside those in which the thread has no core. Chosen by hand. */
const NOTICED_GRACE_MS = 1000;
/** A thread that has not even noticed is blocked: nothing in it can clean up. */
const BLOCKED_GRACE_MS = 200;

type Holder = WorkerSlot | TasksHere;

/** A task that can be interrupted, or was. */
class Watched {
  holder: Holder | undefined;
  /** Goes off when the timeout of the task may have passed; after its interruption, when its grace is over. */
  timer: TimerHandle | undefined;
  /** unnoticed: it was interrupted, and is not known to have seen its signal. noticed: it has. last: its time after that is over. */
  phase: 'runs' | 'unnoticed' | 'noticed' | 'last' = 'runs';
  cause: unknown;
  /** When its grace is over, on the platform's clock, less the time in which its thread had no core: it could not notice its signal then, or end. */
  graceEndsAt = 0;
}

export class Canceller {
  readonly #engine: Engine;
  readonly #watched = new Map<Task, Watched>();
  readonly #now = () => this.#engine.parts.platform.now();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Follows the signal of a task, if `task.unwatch` is undefined; otherwise somebody does, and calls `aborted`. */
  watchSignal(task: Task): void {
    const { signal, timeoutMs } = task.run;
    if (signal === undefined && timeoutMs === undefined) return;
    const unfollow = task.unwatch ?? (signal && onAbort(signal, () => this.aborted(task)));
    task.unwatch = () => {
      unfollow?.();
      if (!task.stillRuns) this.release(task);
    };
  }

  /** The task has a holder now. Whether it has begun is asked when the timer of its timeout goes off. */
  handed(task: Task, holder: Holder | undefined, firstLookMs = task.run.timeoutMs): void {
    if (task.unwatch === undefined) return;
    this.#watch(task).holder = holder;
    this.#lookIn(task, firstLookMs);
  }

  /** Some worker will take the task by itself, and main is not told when. */
  offered(task: Task): void {
    if (task.unwatch !== undefined && !this.#watched.has(task)) this.#lookIn(task, task.run.timeoutMs);
  }

  /**
   * Watches a call that has been open for a while: how long it has run is asked as soon as possible.
   * @param isAborted whether its signal aborts it. Default: what that says
   */
  takeOver(task: Task, holder?: Holder, isAborted?: boolean): void {
    try {
      this.watchSignal(task);
      this.handed(task, holder, task.run.timeoutMs && 1);
      if (isAborted ?? task.run.signal?.aborted) this.aborted(task);
    } catch (error) {
      task.stillRuns = true;
      task.settle({ outcome: 'rejected', error }); // the signal is of the user's own kind, and throws
    }
  }

  /** Inverse of `handed` and `offered`: it was taken back, or has settled. */
  release(task: Task): void {
    this.#watched.get(task)?.timer?.cancel();
    this.#watched.delete(task);
  }

  /** The holder of the task has said that it ended, or is gone. The caller may have been told long before. */
  ended(task: Task): void {
    if (!task.stillRuns) return;
    this.release(task);
    task.stillRuns = false;
    task.payload.onSettled?.(false);
  }

  noticed(task: Task): void {
    const watched = this.#watched.get(task);
    if (watched?.phase === 'unnoticed') watched.phase = 'noticed';
  }

  clear(): void {
    for (const task of this.#watched.keys()) this.release(task);
  }

  #watch(task: Task): Watched {
    const watched = this.#watched.get(task) ?? new Watched();
    this.#watched.set(task, watched);
    return watched;
  }

  /** @param ms how long the task may run, undefined: no limit; or, if its holder is given, how long it may go on after its interruption */
  #lookIn(task: Task, ms: number | undefined, holder?: Holder): void {
    if (ms === undefined) return;
    const watched = this.#watch(task);
    if (holder) watched.graceEndsAt = this.#now() + ms - holder.waitedMs;
    watched.timer?.cancel();
    watched.timer = this.#engine.parts.platform.timer(ms, () => {
      if (watched.phase === 'runs') this.#timedOut(task, watched);
      else this.#graceIsOver(task, watched);
      this.#engine.batchEnded(); // the drained messages may have made room; over a port, nothing else tells of that
    });
  }

  /** Only running time counts: the timer goes off at the earliest possible moment, and is set again if the task began later. */
  #timedOut(task: Task, watched: Watched): void {
    const timeoutMs = task.run.timeoutMs!;
    const holder = this.#holderOf(task);
    if (!holder) return this.#lookIn(task, timeoutMs); // it still waits
    holder.link.drain(); // the result may have come while the main thread was busy
    if (task.settled || this.#watched.get(task) !== watched) return;
    const now = this.#now();
    const leftMs = (holder.link.startedAt(task) ?? now) + timeoutMs - now;
    if (leftMs > 0) return this.#lookIn(task, Math.max(1, leftMs));
    const message = `Task '${task.name}' ran longer than its timeout of ${timeoutMs} ms`;
    const details = { taskName: task.name, taskId: task.id, workerId: holder.id };
    this.#interrupt(task, holder, 'timedOut', new ThreadwiseError('ERR_TASK_TIMEOUT', message, details));
  }

  aborted(task: Task): void {
    const error = abortError(task);
    const { here, dispatch } = this.#engine;
    const hasLeft = !this.#watched.get(task)?.holder && (here?.tasks.remove(task) || dispatch.remove(task));
    const holder = hasLeft ? undefined : this.#holderOf(task);
    if (holder) return this.#interrupt(task, holder, 'aborted', error);
    task.settle({ outcome: 'aborted', error });
  }

  /** The holder of the task now, remembered from here on. */
  #holderOf(task: Task): Holder | undefined {
    const holder = this.#watched.get(task)?.holder ?? this.#engine.dispatch.holder?.(task);
    if (holder) this.#watch(task).holder = holder;
    return holder;
  }

  #interrupt(task: Task, holder: Holder, outcome: 'aborted' | 'timedOut', error: ThreadwiseError): void {
    if (holder.withdraw(task, this.#now())) {
      task.settle({ outcome, error });
      return this.#engine.batchEnded();
    }
    holder.link.abort(task, outcome === 'aborted' ? error.cause : error);
    task.stillRuns = true;
    Object.assign(this.#watch(task), { phase: 'unnoticed', cause: error });
    task.settle({ outcome, error });
    this.#lookIn(task, holder.servesOthers() ? NOTICED_GRACE_MS : BLOCKED_GRACE_MS, holder);
  }

  #graceIsOver(task: Task, watched: Watched): void {
    const { workers } = this.#engine;
    const holder = watched.holder!;
    holder.link.drain();
    if (this.#watched.get(task) !== watched) return;
    const leftMs = watched.graceEndsAt + holder.waitedMs - this.#now(); // main may look late, too
    if (leftMs >= 1) return this.#lookIn(task, leftMs);
    if (watched.phase === 'noticed') {
      watched.phase = 'last';
      return this.#lookIn(task, NOTICED_GRACE_MS, holder);
    }
    if (watched.phase === 'last' && holder instanceof WorkerSlot && holder.servesOthers()) {
      this.#lookIn(task, NOTICED_GRACE_MS, holder);
      workers.retire(holder, 'interrupted'); // the others may end
      return this.#engine.pump();
    }
    this.release(task);
    if (holder instanceof WorkerSlot) workers.kill(holder, 'interrupted', watched.cause);
    else holder.giveUp(task);
  }
}

/** ERR_TASK_ABORTED, named AbortError, with the signal's reason as its cause. */
export function abortError(task: Pick<Task, 'name' | 'id' | 'run'>): ThreadwiseError {
  const details = { cause: reasonOf(task.run.signal), taskName: task.name, taskId: task.id };
  return new ThreadwiseError('ERR_TASK_ABORTED', `Task '${task.name}' was aborted`, details);
}
