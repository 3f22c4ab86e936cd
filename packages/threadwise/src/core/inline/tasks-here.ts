/**
 * Tasks on the calling thread: calls that wait, or go on after the turn in which they began. Begins them in the order
 * of the queue while there is room, and keeps their timeouts and aborts as far as one thread can.
 */
import { unpack } from '../events/carrier.js';
import type {
  ModuleHere,
  Platform,
  RunningCall,
  TaskFunction,
  TaskQueue,
  TimerHandle,
  WorkerRecord,
} from '../contracts.js';
import { sayLost } from '../workers/failures.js';
import { abortError, timeoutError } from '../calls/canceller.js';
import { type ModuleCalls, NO_WORKER } from './module-calls.js';
import { isThenable } from '../promised.js';
import { SharedSignals } from '../calls/shared-signals.js';
import { endAtLast, type Settlement, type Task } from '../calls/task.js';
import type { TurnBudget } from './turn-budget.js';

export interface TasksHereContext {
  readonly platform: Pick<Platform, 'now' | 'defer' | 'timer'>;
  readonly tasksPerWorker: number;
  readonly module: ModuleHere;
  readonly calls: ModuleCalls;
  readonly budget: TurnBudget;
  readonly queue: TaskQueue<Task>;
  /** Whether the module is there, and nobody has ended it. */
  isReady(): boolean;
  /** Only broadcasts begin. */
  isPaused(): boolean;
  /** Throws ERR_TASK_NOT_FOUND. */
  find(name: string): TaskBody;
  /** A function has returned a promise. */
  onAwaits(name: string): void;
  record(): WorkerRecord | undefined;
  onRan(name: string): void;
  /** Tasks have begun: there may be room for others. */
  onBegun(): void;
  /** One that had begun is here no more. */
  onEnded(): void;
}

/** The function of a task. */
export interface TaskBody {
  readonly run: TaskFunction;
  readonly isPure: boolean;
  /** Whether its code may ask about its task after it has returned. */
  readonly mayAskLater: boolean;
  /** It has returned a result that is no promise. */
  returned(): void;
}

/** A task that has begun. */
interface Begun {
  readonly task: Task;
  /** Undefined where its code has not asked about its task. */
  call: RunningCall | undefined;
  readonly isPure: boolean;
  readonly began: number;
  /** Of its timeout; then of its grace. */
  timer: TimerHandle | undefined;
}

/** How long a task that was interrupted keeps its place before it is given up. Milliseconds, as on a worker. */
const GRACE_MS = 1000;

export class TasksHere {
  readonly #context: TasksHereContext;
  readonly #begun = new Map<Task, Begun>();
  readonly #signals = new SharedSignals<Task>((task) => this.#aborted(task));
  #state: 'idle' | 'due' | 'pumping' = 'idle';
  /** The task whose function runs until it returns, what it takes along, and when it began. */
  #starting: Task | undefined;
  #startingContext: unknown;
  #startedAt = 0;
  readonly #open = () => {
    const task = this.#starting!;
    const call = this.#context.calls.newCall(task.id, task.name, task.run);
    call.context = this.#startingContext;
    return call;
  };

  constructor(context: TasksHereContext) {
    this.#context = context;
  }

  /** Tasks that have not begun. */
  get waiting(): number {
    return this.#context.queue.size;
  }

  get running(): number {
    return this.#begun.size;
  }

  get hasRoom(): boolean {
    return this.#begun.size < this.#context.tasksPerWorker;
  }

  get oldestSubmittedAt(): number | undefined {
    let oldest: number | undefined;
    for (const { submittedAt } of this.#context.queue) oldest = Math.min(oldest ?? submittedAt, submittedAt);
    return oldest;
  }

  /** As soon as it can, right now if possible. */
  submit(task: Task): void {
    this.#watch(task);
    this.#context.queue.push(task, task.priority);
    this.pump();
  }

  /** Goes on with a task that has begun within `run`, and returned a promise. */
  adopt(task: Task, call: RunningCall, isPure: boolean, result: PromiseLike<unknown>, began: number): void {
    this.#watch(task);
    this.#goOn({ task, call, isPure, began, timer: undefined }, result);
    if (task.run.signal?.aborted) this.#aborted(task); // by the call itself
  }

  /** All callers have been told. */
  clear(): void {
    this.#context.queue.clear();
    for (const { timer } of this.#begun.values()) timer?.cancel();
    this.#begun.clear();
  }

  /** Begins what can begin. */
  pump(): void {
    if (this.#state === 'pumping' || this.waiting === 0) return;
    if (this.#context.calls.isAnyRunning) return this.#pumpLater();
    this.#state = 'pumping';
    let hasBegun = false;
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      this.#start(task);
      hasBegun = true;
    }
    this.#state = 'idle';
    if (hasBegun) this.#context.onBegun();
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

  #next(): Task | undefined {
    const { queue, isReady, isPaused } = this.#context;
    if (!isReady() || !this.hasRoom || queue.size === 0) return undefined;
    if (!isPaused()) return this.#began(queue.peek()) && queue.shift();
    const task = this.#began([...queue].find(({ pinned }) => pinned));
    if (task !== undefined) queue.remove(task);
    return task;
  }

  /** The task, if it can begin in this turn. */
  #began(task: Task | undefined): Task | undefined {
    const began = task && this.#context.budget.begin();
    if (began === undefined) return undefined;
    this.#startedAt = began;
    return task;
  }

  #start(task: Task): void {
    const { calls, module } = this.#context;
    const { name, args, context } = unpack(task.wireName, task.payload.args);
    const began = this.#startedAt;
    task.state = 'handed';
    let isPure = false;
    let result: unknown;
    let end: 'done' | 'awaited' | 'failed' = 'failed';
    this.#starting = task;
    this.#startingContext = context;
    calls.begin(this.#open);
    try {
      const body = this.#context.find(name);
      isPure = body.isPure;
      result = body.mayAskLater ? module.enter(calls.asked(), body.run, args) : body.run(...args);
      end = isThenable(result) ? 'awaited' : 'done';
      if (end === 'done') body.returned();
    } catch (error) {
      result = error;
    } finally {
      calls.end();
    }
    const call = calls.take();
    const begun: Begun = { task, call, isPure, began, timer: undefined };
    if (end === 'done') return this.#done(begun, result);
    if (end === 'failed') return this.#failed(begun, result);
    begun.call ??= this.#open();
    this.#goOn(begun, result as PromiseLike<unknown>);
  }

  #goOn(begun: Begun, result: PromiseLike<unknown>): void {
    const { platform, onAwaits } = this.#context;
    const { task, began } = begun;
    this.#begun.set(task, begun);
    onAwaits(task.name);
    if (task.settled) return this.#giveUpLater(begun, abortError(task)); // it has aborted itself
    const { timeoutMs } = task.run;
    if (timeoutMs !== undefined) {
      const leftMs = Math.max(1, began + timeoutMs - platform.now());
      begun.timer = platform.timer(leftMs, () => {
        this.#interrupt(begun, 'timedOut', timeoutError(task, timeoutMs, NO_WORKER));
      });
    }
    Promise.resolve(result).then(
      (value) => this.#done(begun, value),
      (error) => this.#failed(begun, error),
    );
  }

  #done(begun: Begun, result: unknown): void {
    const { platform, calls } = this.#context;
    const runMs = platform.now() - begun.began;
    try {
      const value = calls.copyResult(result, begun.isPure);
      this.#ended(begun, { outcome: 'completed', value, runMs, by: this.#context.record() });
    } catch (error) {
      this.#failed(begun, error);
    }
  }

  #failed(begun: Begun, thrown: unknown): void {
    const { platform, module } = this.#context;
    const error = module.copyError(thrown);
    sayLost(begun.task, error);
    const runMs = platform.now() - begun.began;
    this.#ended(begun, { outcome: 'failed', error, runMs, by: this.#context.record() });
  }

  #ended(begun: Begun, settlement: Settlement): void {
    const { task, call, timer } = begun;
    timer?.cancel();
    call?.end();
    this.#begun.delete(task);
    this.#context.onRan(task.name);
    if (!task.settle(settlement)) endAtLast(task);
    this.pump();
    this.#context.onEnded();
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
    this.#context.queue.remove(task);
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
    const { platform, module } = this.#context;
    begun.timer = platform.timer(GRACE_MS, () => {
      this.#begun.delete(begun.task);
      this.pump();
      this.#context.onEnded();
    });
    begun.call?.abort(module.copyError(reason));
  }
}
