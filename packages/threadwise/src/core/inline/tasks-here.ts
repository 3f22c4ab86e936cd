/**
 * Tasks on the calling thread: calls that wait, or go on after the turn in which they began. Begins them in the order
 * of the queue while there is room, and keeps their timeouts and aborts as far as one thread can.
 */
import { abortError, timeoutError } from '../calls/canceller.js';
import { SharedSignals } from '../calls/shared-signals.js';
import { endAtLast, type Settlement, type Task } from '../calls/task.js';
import type { RunningCall, TaskQueue, TimerHandle } from '../contracts.js';
import { unpack } from '../events/carrier.js';
import { isThenable } from '../promised.js';
import { sayLost } from '../workers/failures.js';
import type { CallingThread, CallingThreadContext } from './calling-thread.js';
import { NO_WORKER } from './module-calls.js';

/** A task that has begun. */
interface Begun {
  readonly task: Task;
  /** Undefined where its code has not asked about its task. */
  readonly call: RunningCall | undefined;
  readonly isPure: boolean;
  readonly began: number;
  /** The timer of its timeout, and after that of its grace period. */
  timer?: TimerHandle;
}

/** How long a task that was interrupted keeps its place before it is given up. Milliseconds, as on a worker. */
const GRACE_MS = 1000;

export class TasksHere {
  readonly #context: CallingThreadContext;
  readonly #here: CallingThread;
  readonly #queue: TaskQueue<Task>;
  readonly #begun = new Map<Task, Begun>();
  readonly #signals = new SharedSignals<Task>((task) => this.#aborted(task));
  #state: 'idle' | 'due' | 'pumping' = 'idle';

  constructor(context: CallingThreadContext, here: CallingThread) {
    this.#context = context;
    this.#here = here;
    this.#queue = context.newQueue();
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#begun.size;
  }

  get hasRoom(): boolean {
    return this.#begun.size < this.#context.options.tasksPerWorker;
  }

  get oldestSubmittedAt(): number | undefined {
    let oldest: number | undefined;
    for (const { submittedAt } of this.#queue) oldest = Math.min(oldest ?? submittedAt, submittedAt);
    return oldest;
  }

  /** As soon as it can, right now if possible. */
  submit(task: Task): void {
    this.#watch(task);
    this.#queue.push(task, task.priority);
    this.pump();
  }

  /** Goes on with a task that has begun within `run`, and returned a promise. */
  adopt(task: Task, call: RunningCall, isPure: boolean, result: PromiseLike<unknown>, began: number): void {
    this.#watch(task);
    this.#goOn({ task, call, isPure, began }, result);
    if (task.run.signal?.aborted) this.#aborted(task); // by the call itself
  }

  /** All callers have been told. */
  clear(): void {
    this.#queue.clear();
    for (const { timer } of this.#begun.values()) timer?.cancel();
    this.#begun.clear();
  }

  /** Begins what can begin. */
  pump(): void {
    if (this.#state === 'pumping' || this.waiting === 0) return;
    if (this.#here.calls.isAnyRunning) return this.#pumpLater();
    this.#state = 'pumping';
    let hasBegun = false;
    for (;;) {
      const task = this.#next();
      const began = task && this.#here.budget.begin();
      if (task === undefined || began === undefined) break;
      if (this.#queue.peek() === task) this.#queue.shift();
      else this.#queue.remove(task);
      this.#start(task, began);
      hasBegun = true;
    }
    this.#state = 'idle';
    if (hasBegun) this.#context.onRoom();
  }

  /** When the function that runs now has returned. */
  #pumpLater(): void {
    if (this.#state === 'due') return;
    this.#state = 'due';
    this.#context.platform.defer(() => {
      this.#state = 'idle';
      this.pump();
    });
  }

  /** The task to begin, if there is room for one. While the pool is paused only broadcasts begin. */
  #next(): Task | undefined {
    if (!this.#here.isReady || !this.hasRoom) return undefined;
    return this.#context.isPaused() ? [...this.#queue].find(({ pinned }) => pinned) : this.#queue.peek();
  }

  #start(task: Task, began: number): void {
    const { calls } = this.#here;
    const { name, args, context } = unpack(task.wireName, task.payload.args);
    task.state = 'handed';
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
      end = isThenable(result) ? 'awaited' : 'done';
      if (end === 'done') entry.returned();
    } catch (error) {
      result = error;
    }
    const begun: Begun = { task, call: end === 'awaited' ? calls.take() : undefined, isPure, began };
    calls.forget();
    if (end === 'done') this.#done(begun, result);
    else if (end === 'failed') this.#failed(begun, result);
    else this.#goOn(begun, result as PromiseLike<unknown>);
  }

  #goOn(begun: Begun, result: PromiseLike<unknown>): void {
    const { platform } = this.#context;
    const { task, began } = begun;
    const { timeoutMs } = task.run;
    this.#begun.set(task, begun);
    this.#here.awaits(task.name);
    if (task.settled) return this.#giveUpLater(begun, abortError(task)); // it has aborted itself
    if (timeoutMs !== undefined) {
      begun.timer = platform.timer(Math.max(1, began + timeoutMs - platform.now()), () => {
        this.#interrupt(begun, 'timedOut', timeoutError(task, timeoutMs, NO_WORKER));
      });
    }
    Promise.resolve(result).then(
      (value) => this.#done(begun, value),
      (error) => this.#failed(begun, error),
    );
  }

  #done(begun: Begun, result: unknown): void {
    const runMs = this.#context.platform.now() - begun.began;
    try {
      const value = this.#here.calls.copyResult(result, begun.isPure);
      this.#ended(begun, { outcome: 'completed', value, runMs, by: this.#here.record });
    } catch (error) {
      this.#failed(begun, error);
    }
  }

  #failed(begun: Begun, thrown: unknown): void {
    const error = this.#here.module.copyError(thrown);
    sayLost(begun.task, error);
    const runMs = this.#context.platform.now() - begun.began;
    this.#ended(begun, { outcome: 'failed', error, runMs, by: this.#here.record });
  }

  #ended(begun: Begun, settlement: Settlement): void {
    const { task, call, timer } = begun;
    timer?.cancel();
    call?.end();
    this.#begun.delete(task);
    this.#here.within.find(task.name)?.learnt?.ranInline(undefined, this.#context.platform.now());
    if (!task.settle(settlement)) endAtLast(task);
    this.#hasLeft();
  }

  /** A task that had begun is here no more. */
  #hasLeft(): void {
    this.pump();
    this.#context.onRoom();
    this.#here.stopIfDone();
  }

  // --- timeouts and aborts ---

  #watch(task: Task): void {
    const { signal, timeoutMs } = task.run;
    if (signal === undefined && timeoutMs === undefined) return;
    this.#signals.follow(signal, task);
    task.unwatch = () => {
      this.#signals.unfollow(signal, task);
      this.#begun.get(task)?.timer?.cancel();
    };
  }

  #aborted(task: Task): void {
    const begun = this.#begun.get(task);
    const error = abortError(task);
    if (begun !== undefined) return this.#interrupt(begun, 'aborted', error);
    this.#queue.remove(task);
    task.settle({ outcome: 'aborted', error });
  }

  /** Its code hears it by its signal. Who does not listen loses the place after a while, and goes on unheard. */
  #interrupt(begun: Begun, outcome: 'aborted' | 'timedOut', error: Error): void {
    const { task } = begun;
    task.stillRuns = true;
    task.settle({ outcome, error });
    this.#giveUpLater(begun, outcome === 'aborted' ? error.cause : error);
  }

  #giveUpLater(begun: Begun, reason: unknown): void {
    begun.timer = this.#context.platform.timer(GRACE_MS, () => {
      this.#begun.delete(begun.task);
      this.#hasLeft();
    });
    begun.call?.abort(this.#here.module.copyError(reason));
  }
}
