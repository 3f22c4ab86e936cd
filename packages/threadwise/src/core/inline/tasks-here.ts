/**
 * Tasks on the calling thread: calls that wait, or go on after the turn in which they began. Begins them in the order
 * of the queue while there is room. Their timeouts and aborts are the canceller's, as far as one thread can keep them.
 */
import { streamedName } from '../calls/stream.js';
import { oldestSubmittedAt, type Settlement, type Task } from '../calls/task.js';
import type { Link, RunningCall, TaskQueue } from '../contracts.js';
import type { Engine } from '../engine.js';
import { unpack } from '../events/carrier.js';
import { sayLost } from '../workers/failures.js';
import { NO_WORKER, running } from './calls-here.js';
import type { CallingThread } from './calling-thread.js';

interface Begun {
  readonly task: Task;
  readonly began: number;
  isPure: boolean;
  /** Undefined unless its function has returned a promise. */
  call: RunningCall | undefined;
}

export class TasksHere {
  readonly id = NO_WORKER;
  readonly link: Pick<Link, 'drain' | 'startedAt' | 'abort'> = {
    drain: () => undefined,
    startedAt: (task) => this.#begun.get(task)?.began,
    abort: (task, reason) => {
      const { calls, module } = this.#here;
      // A task that has begun and is not in the map runs right now, or has returned and its result is being copied.
      const call = this.#begun.get(task)?.call ?? (calls.isRunning ? calls.asked() : undefined);
      if (call !== undefined) module.enter(call, () => call.abort(module.copyError(reason)), []); // its listeners are code of the task
    },
  };
  readonly #engine: Engine;
  readonly #here: CallingThread;
  readonly #queue: TaskQueue<Task>;
  /** Tasks that go on after the turn in which they began. */
  readonly #begun = new Map<Task, Begun>();
  #state: 'idle' | 'due' | 'pumping' = 'idle';

  constructor(engine: Engine, here: CallingThread) {
    this.#engine = engine;
    this.#here = here;
    this.#queue = engine.parts.newQueue();
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#begun.size;
  }

  get hasRoom(): boolean {
    return this.running < this.#engine.parts.options.tasksPerWorker;
  }

  get oldestSubmittedAt(): number | undefined {
    return oldestSubmittedAt(this.#queue);
  }

  /** Begins the task as soon as it can, right now if possible. */
  submit(task: Task): void {
    this.#queue.push(task, task.priority);
    this.pump();
  }

  /** Inverse of `submit`, as long as the task has not begun. */
  remove(task: Task): boolean {
    return this.#queue.remove(task);
  }

  /** Goes on with a task that has begun within `run`, and returned a promise. */
  adopt(begun: Begun, result: PromiseLike<unknown>): void {
    this.#here.awaits(begun.task.name);
    void this.#goOn(begun, result);
    this.#engine.canceller.takeOver(begun.task, this);
  }

  /** Forgets all tasks, whose callers have been told. */
  clear(): void {
    this.#queue.clear();
    this.#begun.clear();
  }

  /** Begins what can begin. */
  pump(): void {
    const { calls } = this.#here;
    if (this.#state === 'pumping' || this.waiting === 0) return;
    if (running !== undefined) {
      // Tries again when the function that runs now has returned.
      if (this.#state === 'idle') this.#engine.parts.platform.defer(this.#pumpAgain);
      this.#state = 'due';
      return;
    }
    this.#state = 'pumping';
    const before = this.waiting;
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      const began = calls.beginInTurn();
      if (began === undefined) break;
      this.#queue.take(task);
      this.#start(task, began);
    }
    this.#state = 'idle';
    if (this.waiting !== before) this.#engine.room.update();
  }

  readonly #pumpAgain = (): void => {
    this.#state = 'idle';
    this.pump();
  };

  /** The task to begin, if there is room for one. While the pool is paused only broadcasts begin. */
  #next(): Task | undefined {
    if (!this.#here.isReady || !this.hasRoom) return undefined;
    const { isPaused } = this.#engine.dispatch;
    return isPaused ? [...this.#queue].find(({ pinned }) => pinned) : this.#queue.peek();
  }

  #start(task: Task, began: number): void {
    const { calls } = this.#here;
    const { name, args, context } = unpack(task.wireName, task.payload.args);
    const begun: Begun = { task, began, isPure: false, call: undefined };
    task.state = 'handed';
    this.#engine.canceller.handed(task, this);
    try {
      const entry = this.#here.entry(name);
      begun.isPure = entry.isPure;
      const result = calls.invoke(entry, args, task.id, task.run, context);
      if (calls.isAwaited) begun.call = calls.take();
      else if (entry.unseen > 0) entry.unseen--;
      calls.forget();
      if (begun.call === undefined) return this.#done(begun, result);
      // A streamed call always returns a promise, which says nothing of other calls of its function.
      if (streamedName(name) === undefined) this.#here.awaits(task.name);
      void this.#goOn(begun, result as PromiseLike<unknown>);
    } catch (error) {
      calls.forget();
      this.#failed(begun, error);
    }
  }

  /** Waits by `await`: a promise may have a `then` of its own, which throws, or calls back twice. */
  async #goOn(begun: Begun, result: PromiseLike<unknown>): Promise<void> {
    this.#begun.set(begun.task, begun);
    try {
      this.#done(begun, await result);
    } catch (error) {
      this.#failed(begun, error);
    }
  }

  /** Throws ERR_NOT_CLONEABLE. */
  #done(begun: Begun, result: unknown): void {
    const value = this.#here.calls.copyResult(result, begun.isPure);
    this.#ended(begun, { outcome: 'completed', value });
  }

  #failed(begun: Begun, thrown: unknown): void {
    const error = this.#here.module.copyError(thrown, true);
    sayLost(begun.task, error);
    this.#ended(begun, { outcome: 'failed', error });
  }

  #ended({ task, call, began }: Begun, settlement: Settlement): void {
    const now = this.#engine.parts.platform.now();
    call?.end();
    const { calls, record: by } = this.#here;
    calls.entries.get(task.name)?.learnt?.ranInline(undefined, now);
    if (!task.settle({ ...settlement, runMs: now - began, by })) this.#engine.canceller.ended(task);
    this.giveUp(task);
  }

  /** Frees the place of a task that had begun, whether it has ended or not. */
  giveUp(task: Task): void {
    this.#begun.delete(task);
    this.pump();
    this.#engine.room.update();
    this.#here.stopIfDone();
  }

  // --- what the canceller asks ---

  /** Nothing that has begun here can be taken back. The rest of the program runs on this thread, too, which has a core when it asks. */
  readonly withdraw = () => false;
  readonly servesOthers = () => true;
  readonly waitedMs = 0;
}
