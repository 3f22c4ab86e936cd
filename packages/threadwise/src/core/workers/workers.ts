/** The workers of a pool: listens to them, ends them, and settles what a dead one held. */
import type {
  Dispatch,
  Exchange,
  LinkEvents,
  Measured,
  ModuleTraits,
  Platform,
  Recorder,
  TaskQueue,
  ThreadExit,
} from '../contracts.js';
import type { ThreadwiseError } from '../options/errors.js';
import { crashError, movedError, sayLost } from './failures.js';
import { Spawner } from './spawner.js';
import type { ExitReason, Hooks } from '../events/hooks.js';
import type { Canceller } from '../calls/canceller.js';
import { MemoryRelief } from './memory-relief.js';
import type { ResolvedOptions } from '../options/options.js';
import { unreadable } from '../calls/payload.js';
import { endAtLast, type Task } from '../calls/task.js';
import { UserCode } from '../events/user-code.js';
import type { WorkerSlot } from './worker-slot.js';

/** What the workers of a pool are bound to. */
export interface WorkersContext {
  readonly poolName: string;
  readonly moduleUrl: string;
  readonly options: ResolvedOptions;
  readonly platform: Platform;
  readonly exchange: Exchange;
  readonly hooks: Hooks;
  readonly recorder: Recorder;
  readonly newQueue: () => TaskQueue<Task>;
  readonly dispatch: () => Dispatch;
  readonly canceller: () => Canceller;
  /** How many workers there are to be at least: fewer are no way out when memory runs short. */
  readonly least: () => number;
  readonly callHost: (name: string, args: readonly unknown[]) => Promise<unknown>;
  onReady(taskNames: readonly string[], traits: ModuleTraits): void;
  /** A function has returned a promise. */
  onAwaits(taskName: string): void;
  /** A worker failed before it did anything: while it loaded the module, or soon after. */
  onFailed(slot: WorkerSlot, error: unknown, phase: 'loading' | 'idle'): void;
  /** A worker ended that nobody asked to, or that was asked to. */
  onGone(slot: WorkerSlot): void;
  /** A worker is being replaced. */
  onRecycled(): void;
  /** A worker ended tasks. */
  onCompleted(count: number): void;
  /** A batch of results was handled: a good moment to size the workers. */
  onBatch(): void;
}

/** `teardown` may take that long before its thread is ended anyway. Milliseconds; chosen by hand. */
const TEARDOWN_MS = 5000;
/** A worker that dies idle within that time is reckoned to do so again. Milliseconds; chosen by hand. */
const EARLY_MS = 10_000;
/** A worker whose heap is fuller than that after a task is replaced: what happens at the limit is not promised. */
const MAX_HEAP_SHARE = 0.85;

export class Workers {
  readonly slots: WorkerSlot[] = [];
  readonly spawner: Spawner;
  readonly #context: WorkersContext;
  /** What ended a worker on our own account, for the errors of the tasks that it takes along. */
  readonly #causes = new WeakMap<WorkerSlot, unknown>();
  readonly #userCode = new UserCode();
  readonly #relief = new MemoryRelief();
  #completed = 0;

  constructor(context: WorkersContext) {
    this.#context = context;
    this.spawner = new Spawner(context, {
      slots: this.slots,
      eventsOf: (slot) => this.#eventsOf(slot),
      loadFailed: (slot, error) => this.#loadFailed(slot, error),
      exited: (slot, exit) => this.#exited(slot, exit),
    });
  }

  /** What the workers came to, for whoever decides how many there should be. Asks the system about each thread. */
  measure(): Measured {
    const ready = this.serving.filter((slot) => slot.state === 'ready');
    const workers = ready.map((slot) => slot.sample());
    return { completed: this.#completed, workers, memory: this.#context.platform.memory() };
  }

  /** Workers that are, or will be, there for tasks. */
  get serving(): WorkerSlot[] {
    return this.slots.filter((slot) => slot.serves);
  }

  get servingCount(): number {
    let count = 0;
    for (const slot of this.slots) if (slot.serves) count++;
    return count;
  }

  /** Lets a worker end what it has begun, then ends it. */
  retire(slot: WorkerSlot, reason: ExitReason): void {
    if (slot.state === 'starting' && slot.link.forestall()) return this.kill(slot, reason);
    if (slot.state === 'starting') slot.link.drain(); // it is ready, and may have taken a task
    if (slot.state !== 'ready') return;
    slot.exitReason = reason;
    this.#takeBack(slot);
    // A broadcast is for this worker alone: it still gets it.
    for (const task of slot.lane.clear()) {
      if (task.pinned && slot.link.hasRoomFor(task)) this.#handLast(slot, task);
      else this.#context.dispatch().putBack([task]);
    }
    slot.transition('retiring');
    slot.pulls = !slot.link.retire();
    this.#stopIfDone(slot);
  }

  /** Ends a worker now. What it runs is rejected with `cause`; what it has not begun runs elsewhere. */
  kill(slot: WorkerSlot, reason: ExitReason, cause?: unknown): void {
    if (slot.state === 'dead') return;
    if (slot.state === 'ready') slot.transition('retiring');
    if (slot.state !== 'stopping') slot.transition('stopping');
    slot.exitReason = reason;
    this.#causes.set(slot, cause);
    this.#takeBack(slot);
    void slot.thread?.terminate();
    this.#context.onGone(slot);
  }

  // --- what a worker says ---

  #eventsOf(slot: WorkerSlot): LinkEvents {
    const { hooks, poolName, platform } = this.#context;
    return {
      ready: (names, traits) => this.#ready(slot, names, traits),
      awaits: (name) => this.#context.onAwaits(name),
      loadFailed: (error) => this.#loadFailed(slot, error),
      done: (task, value, runMs) => {
        this.#released(slot, task, runMs);
        task.settle({ outcome: 'completed', value, runMs, by: slot.record });
      },
      failed: (task, error, runMs) => {
        this.#released(slot, task, runMs);
        sayLost(task, error);
        task.settle({ outcome: 'failed', error, runMs, by: slot.record });
      },
      record: slot.record,
      ranPlain: (count, runMs) => this.#ranPlain(slot, count, runMs),
      progress: (task, value) => {
        if (task.settled) return;
        hooks.emit('task:progress', { pool: poolName, taskId: task.id, name: task.name, value });
        this.#tellProgress(task, value);
      },
      hostCall: (name, args) => this.#context.callHost(name, args),
      abortSeen: (task) => this.#context.canceller().noticed(task),
      memory: (used, limit) => this.#heapMeasured(slot, used, limit),
      retired: () => this.#retired(slot),
      stopped: () => void slot.thread?.terminate(),
      error: (error) => hooks.emit('error', { pool: poolName, error }),
      broken: (error) => this.kill(slot, 'crashed', error),
      settledBatch: () => {
        slot.idleSince = platform.now();
        this.#context.onBatch();
      },
    };
  }

  #ready(slot: WorkerSlot, names: readonly string[], traits: ModuleTraits): void {
    this.spawner.heard(slot);
    if (slot.state !== 'starting') return;
    slot.transition('ready');
    slot.idleSince = this.#context.platform.now();
    const startMs = slot.idleSince - slot.startedAt;
    this.#context.hooks.emit('worker:ready', { pool: this.#context.poolName, workerId: slot.id, startMs });
    this.#context.onReady(names, traits);
  }

  #loadFailed(slot: WorkerSlot, error: unknown): void {
    if (slot.state !== 'starting') return;
    slot.transition('stopping'); // it does not count any more when it is asked who is left
    this.#context.onFailed(slot, error, 'loading'); // before `kill`, so that its replacement is not started at once
    this.kill(slot, 'load-failed', error);
  }

  #counted(slot: WorkerSlot, count: number, runMs: number): void {
    slot.completed += count;
    slot.runMs += runMs;
    this.#completed += count;
    this.#context.onCompleted(count);
  }

  #ranPlain(slot: WorkerSlot, count: number, runMs: number): void {
    this.#counted(slot, count, runMs);
    if (slot.completed >= this.#context.options.recycleAfterTasks) this.recycle(slot);
    this.#stopIfDone(slot);
  }

  #released(slot: WorkerSlot, task: Task, runMs: number): void {
    this.#counted(slot, 1, runMs);
    if (slot.handed.size > 0) {
      slot.release(task, this.#context.platform.burstNow());
      this.#context.canceller().ended(task);
      this.#context.dispatch().observe(task, runMs);
    }
    if (task.stillRuns) endAtLast(task);
    if (slot.completed >= this.#context.options.recycleAfterTasks) this.recycle(slot);
    this.#stopIfDone(slot);
  }

  #heapMeasured(slot: WorkerSlot, usedBytes: number, limitBytes: number): void {
    slot.heapUsedBytes = usedBytes;
    const isAbove = usedBytes > this.#context.options.recycleAboveBytes;
    const isTooLarge = isAbove || usedBytes > limitBytes * MAX_HEAP_SHARE;
    if (isTooLarge || this.#relieves(slot)) this.recycle(slot);
  }

  /** The process is near its limit of memory, and this worker may give some of it back. */
  #relieves(slot: WorkerSlot): boolean {
    const { platform, least } = this.#context;
    return this.#relief.wants(slot, this.serving, least(), platform.memory, platform.now());
  }

  /** Replaces a worker when it has ended what it runs. */
  recycle(slot: WorkerSlot): void {
    if (slot.state !== 'ready') return;
    this.#context.recorder.recycled();
    this.retire(slot, 'recycled');
    this.#context.onRecycled();
    this.#context.onGone(slot);
  }

  #tellProgress(task: Task, value: unknown): void {
    const { onProgress } = task.run;
    if (onProgress === undefined) return;
    const { hooks, poolName: pool } = this.#context;
    this.#userCode.call(onProgress, [value], (error) => hooks.emit('error', { pool, error }));
  }

  // --- how a worker ends ---

  #retired(slot: WorkerSlot): void {
    slot.link.drain(); // what it ended before it said so
    slot.pulls = false;
    this.#stopIfDone(slot);
  }

  #stopIfDone(slot: WorkerSlot): void {
    if (slot.state !== 'retiring' || slot.pulls || slot.handed.size > 0) return;
    slot.transition('stopping');
    slot.link.stop();
    slot.deadline = this.#context.platform.timer(TEARDOWN_MS, () => void slot.thread?.terminate());
  }

  #exited(slot: WorkerSlot, exit: ThreadExit): void {
    slot.link.drain(); // its last words come before its death
    slot.adopt(slot.link.adopt());
    slot.link.bury();
    const phase = this.#failurePhase(slot);
    slot.transition('dead');
    this.slots.splice(this.slots.indexOf(slot), 1);
    this.#settleHeld(slot, exit);
    this.#context.recorder.forget(slot.record);
    slot.link.close();
    this.#emitExit(slot, exit);
    if (slot.exitReason === 'crashed') this.#context.recorder.crashed();
    if (phase !== undefined) {
      const error = exit.error ?? new Error(`The worker ended with exit code ${exit.exitCode}`);
      this.#context.onFailed(slot, error, phase);
    }
    const homeless = slot.lane.clear();
    this.#context.onGone(slot);
    for (const task of homeless) this.#inherit(task, slot, exit);
  }

  /** A broadcast that the dead worker had not begun goes to the worker that replaces it, if one does. */
  #inherit(task: Task, dead: WorkerSlot, exit: ThreadExit): void {
    const heir = this.slots.findLast((slot) => slot.serves && slot.id > dead.id);
    if (heir !== undefined) return this.#context.dispatch().submitTo(heir, task);
    task.settle({ outcome: 'crashed', error: crashError(task, dead.id, exit, this.#causes.get(dead)) });
  }

  /** Whether this is a death that a restart would only repeat: unasked for, early, and no task to blame. */
  #failurePhase(slot: WorkerSlot): 'loading' | 'idle' | undefined {
    if (slot.exitReason !== 'crashed') return undefined;
    if (slot.state === 'starting') return 'loading';
    const isEarly = this.#context.platform.now() - slot.startedAt < EARLY_MS;
    const hasWorked =
      slot.completed > 0 || [...slot.handed].some((task) => slot.link.startedAt(task) !== undefined);
    return isEarly && !hasWorked ? 'idle' : undefined;
  }

  #settleHeld(slot: WorkerSlot, exit: ThreadExit): void {
    const again: Task[] = [];
    for (const task of slot.handed) {
      this.#context.canceller().ended(task);
      if (task.stillRuns) endAtLast(task);
      if (!task.settled && this.#survives(slot, task, exit)) again.push(task);
    }
    for (const task of [...slot.lane]) if (!task.pinned && slot.lane.remove(task)) again.push(task);
    slot.handed.clear();
    for (const task of again) this.#context.canceller().unhanded(task);
    this.#context.dispatch().putBack(again);
  }

  /** Whether a task that the dead worker held is to run elsewhere. If not, it has been settled. */
  #survives(slot: WorkerSlot, task: Task, exit: ThreadExit): boolean {
    const hasBegun = slot.link.startedAt(task) !== undefined;
    if (!hasBegun && !task.moves) {
      if (task.pinned) slot.lane.push(task, task.priority);
      return !task.pinned;
    }
    if (slot.link.hasEndedUnread?.(task)) {
      task.settle({ outcome: 'failed', error: unreadable('result') });
      return false;
    }
    const error =
      task.moves && !hasBegun
        ? movedError(task, slot.id, exit)
        : crashError(task, slot.id, exit, this.#causes.get(slot));
    if (hasBegun && !task.moves && !task.pinned && task.retriesLeft > 0) return this.#retries(task, error);
    task.settle({ outcome: 'crashed', error });
    return false;
  }

  #retries(task: Task, cause: ThreadwiseError): true {
    task.retriesLeft--;
    this.#context.recorder.retried();
    const { hooks, poolName } = this.#context;
    hooks.emit('task:retry', { pool: poolName, taskId: task.id, name: task.name, cause });
    return true;
  }

  #emitExit(slot: WorkerSlot, exit: ThreadExit): void {
    this.#context.hooks.emit('worker:exit', {
      pool: this.#context.poolName,
      workerId: slot.id,
      reason: slot.exitReason,
      exitCode: exit.exitCode,
      error: exit.error,
    });
  }

  /** Takes back what the worker has not begun; it is on its way out. */
  #takeBack(slot: WorkerSlot): void {
    const now = this.#context.platform.now();
    const withdrawn = [...slot.handed].filter((task) => {
      return !task.settled && !task.pinned && !task.moves && slot.withdraw(task, now);
    });
    for (const task of withdrawn) this.#context.canceller().unhanded(task);
    this.#context.dispatch().putBack(withdrawn);
  }

  #handLast(slot: WorkerSlot, task: Task): void {
    slot.hand(task, this.#context.platform.now());
    this.#context.canceller().handed(task, slot);
  }
}
