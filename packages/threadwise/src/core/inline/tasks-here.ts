/**
 * Tasks on the calling thread: calls that wait, or go on after the turn in which they began. Begins them in the order
 * of the queue while there is room. Their timeouts and aborts are the canceller's, as far as one thread can keep them.
 */
import { oldestSubmittedAt, type Settlement, type Task } from '../calls/task.js';
import type { Link, RunningCall, TaskQueue } from '../contracts.js';
import type { Engine } from '../engine.js';
import { streamedName } from '../calls/stream.js';
import { unpack } from '../events/carrier.js';
import { sayLost } from '../workers/failures.js';
import type { CallingThread } from './calling-thread.js';
import { NO_WORKER } from './module-calls.js';

interface Begun {
  readonly task: Task;
  /** Undefined if its function has returned its result itself. */
  readonly call: RunningCall | undefined;
  readonly isPure: boolean;
  readonly began: number;
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
      call?.abort(module.copyError(reason));
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
    return this.#begun.size < this.#engine.parts.options.tasksPerWorker;
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
    if (this.#state === 'pumping' || this.waiting === 0) return;
    if (this.#here.calls.isAnyRunning) {
      // Tries again when the function that runs now has returned.
      if (this.#state === 'idle') this.#engine.parts.platform.defer(this.#pumpAgain);
      this.#state = 'due';
      return;
    }
    this.#state = 'pumping';
    let hasBegun = false;
    for (;;) {
      const task = this.#next();
      const began = task && this.#here.calls.beginInTurn();
      if (task === undefined || began === undefined) break;
      if (this.#queue.peek() === task) this.#queue.shift();
      else this.#queue.remove(task);
      this.#start(task, began);
      hasBegun = true;
    }
    this.#state = 'idle';
    if (hasBegun) this.#engine.room.update();
  }

  readonly #pumpAgain = (): void => {
    this.#state = 'idle';
    this.pump();
  };

  /** The task to begin, if there is room for one. While the pool is paused only broadcasts begin. */
  #next(): Task | undefined {
    if (!this.#here.isReady || !this.hasRoom) return undefined;
    return this.#engine.dispatch.isPaused
      ? [...this.#queue].find(({ pinned }) => pinned)
      : this.#queue.peek();
  }

  #start(task: Task, began: number): void {
    const { calls } = this.#here;
    const { name, args, context } = unpack(task.wireName, task.payload.args);
    task.state = 'handed';
    this.#engine.canceller.handed(task, this);
    calls.id = task.id;
    calls.run = task.run;
    calls.context = context;
    let isPure = false;
    let result: unknown;
    let end: 'done' | 'awaited' | 'failed' = 'failed';
    try {
      const entry = this.#here.entry(name);
      isPure = entry.isPure;
      result = calls.invoke(entry, args);
      end = calls.isAwaited ? 'awaited' : 'done';
      if (end === 'done') entry.returned();
    } catch (error) {
      result = error;
    }
    const begun: Begun = { task, call: end === 'awaited' ? calls.take() : undefined, isPure, began };
    calls.forget();
    // A streamed call always returns a promise, which says nothing of other calls of its function.
    if (end === 'awaited' && streamedName(name) === undefined) this.#here.awaits(task.name);
    if (end === 'done') this.#done(begun, result);
    else if (end === 'failed') this.#failed(begun, result);
    else void this.#goOn(begun, result as PromiseLike<unknown>);
  }

  /** Waits by `await`: a promise may have a `then` of its own, which throws, or calls back twice. */
  async #goOn(begun: Begun, result: PromiseLike<unknown>): Promise<void> {
    this.#begun.set(begun.task, begun);
    let value: unknown;
    try {
      value = await result;
    } catch (error) {
      return this.#failed(begun, error);
    }
    this.#done(begun, value);
  }

  #done(begun: Begun, result: unknown): void {
    const runMs = this.#engine.parts.platform.now() - begun.began;
    try {
      const value = this.#here.calls.copyResult(result, begun.isPure);
      this.#ended(begun, { outcome: 'completed', value, runMs, by: this.#here.record });
    } catch (error) {
      this.#failed(begun, error);
    }
  }

  #failed(begun: Begun, thrown: unknown): void {
    const error = this.#here.module.copyError(thrown, true);
    sayLost(begun.task, error);
    const runMs = this.#engine.parts.platform.now() - begun.began;
    this.#ended(begun, { outcome: 'failed', error, runMs, by: this.#here.record });
  }

  #ended({ task, call }: Begun, settlement: Settlement): void {
    call?.end();
    this.#here.within.find(task.name)?.learnt?.ranInline(undefined, this.#engine.parts.platform.now());
    if (!task.settle(settlement)) this.#engine.canceller.ended(task);
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

  /** Nothing that has begun here can be taken back. */
  withdraw(_task: Task, _now: number): boolean {
    return false;
  }

  /** Always true: the rest of the program runs on this thread, too. */
  servesOthers(): boolean {
    return true;
  }
}
