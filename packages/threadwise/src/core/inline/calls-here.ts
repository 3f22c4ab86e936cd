/**
 * Calls on the calling thread. Most run within `pool.run`: nothing is queued, nothing crosses, no task is made. Most of those run on credit: a
 * call that was timed by itself, and was short, lets the next few of its function run without a look at the clock.
 */
import { rejected } from '../calls/caller-stack.js';
import { abortError } from '../calls/canceller.js';
import { isImmutable, NO_PAYLOAD, notCloneable } from '../calls/payload.js';
import type { ResolvedRun } from '../calls/run-options.js';
import type { CallHost, Placement, RunningCall } from '../contracts.js';
import type { Engine } from '../engine.js';
import { leaseOf } from '../lease.js';
import { isList } from '../options/checks.js';
import { isThenable, promised } from '../promised.js';
import type { CallingThread } from './calling-thread.js';
import type { Entry } from './entry.js';

/** `task.workerId` of code on the calling thread. */
export const NO_WORKER = 0;

/** How many calls of a function run on credit at most. Reading the clock costs as much as a tiny call. */
const MOST_CREDITS = 15;
/** The share of what is left of the turn that calls on credit may take. */
const CREDIT_SHARE = 1 / 2;
/** After how many milliseconds of calls on credit the next ones are timed. */
const SUSPICIOUS_MS = 1;
/** The arguments and the result of one timed call in this many are measured. */
const SIZED_EVERY = 32;

/** The pool whose function runs on this thread right now. No other call begins before that has returned. */
export let running: CallsHere | undefined;

export class CallsHere {
  /** Whether all calls of the pool run on this thread. */
  takesAll = false;
  /** The functions of the module, by name. While there are none, no call runs here. */
  readonly entries = new Map<string, Entry>();
  /** Counts the turns of the event loop in which calls ran: what was granted for one turn is void in the next. */
  turn = 0;
  /** Whether the function that ran last returned a promise. Asked while it counts as running: `then` may be a getter that makes a call. */
  isAwaited = false;
  readonly #engine: Engine;
  readonly #here: CallingThread;
  /** When the calls of this turn have used up their time; 0: they have; undefined: none has run in it. Milliseconds. */
  #spentAt: number | undefined;
  /** How many calls came in this turn after its time for calls was used up, and how many in the last turn that had any. */
  #late = 0;
  #lateBefore = 0;
  /** The call that runs right now: its record, once its code has asked about its task, and what that is made from. Id 0: it has none yet. */
  #call: RunningCall | undefined;
  #id = 0;
  #name = '';
  #run: ResolvedRun;
  #context: unknown;
  #timed = 0;
  /** The function of the last timed call: mostly that of the next one. */
  #last: Entry | undefined;
  /** When the last timed call ended. */
  #lastEnd = 0;

  constructor(engine: Engine, here: CallingThread) {
    this.#engine = engine;
    this.#here = here;
    this.#run = engine.defaults;
  }

  place({ learner, usesThreads }: Placement): void {
    this.flush();
    this.takesAll = !usesThreads;
    for (const entry of this.entries.values()) entry.learnt = learner?.of(entry.name);
    this.turn++; // the credits that were granted are void
  }

  /** Runs a call, on credit by few other functions; undefined: it cannot run here and now. Never throws. @param options undefined: it has none */
  enter(name: unknown, args: unknown, options?: ResolvedRun): Promise<unknown> | undefined {
    const entry = name === this.#last?.name ? this.#last : this.entries.get(name as string);
    if (entry === undefined || !isList(args) || running !== undefined) return undefined;
    const { lifecycle, hooks, defaults, parts } = this.#engine;
    if (lifecycle.state !== 'open') return undefined;
    const isWatched = hooks.isTracing || hooks.areCallsHeard;
    const isCredited = options === undefined && entry.credits > 0 && entry.turn === this.turn;
    if (!isCredited || isWatched) return this.#enterTimed(entry, args, options ?? defaults, isWatched);
    let own: readonly unknown[] | undefined;
    try {
      own = this.#ownArguments(entry, args);
      if (own === undefined) return undefined;
      if (own !== args && lifecycle.refusal !== undefined) return rejected(lifecycle.refusal); // a getter has closed the pool
      entry.credits--;
      this.#begin(entry.name);
      const result = (0, entry.run)(...own); // without a `this`, as in `invoke`
      this.isAwaited = !isImmutable(result) && isThenable(result);
      running = undefined;
      if (this.isAwaited) return this.#adopt(entry, result, parts.platform.now(), defaults, undefined);
      const value = this.copyResult(result, entry.isPure);
      entry.used++;
      return Promise.resolve(value);
    } catch (thrown) {
      running = undefined;
      return own === undefined ? rejected(thrown) : this.#failed(entry, thrown, 0, 0, undefined);
    } finally {
      if (this.#call !== undefined) this.forget();
    }
  }

  /** Runs a call by the clock. Returns undefined if it cannot run here and now. */
  #enterTimed(
    entry: Entry,
    args: readonly unknown[],
    run: ResolvedRun,
    isWatched: boolean,
  ): Promise<unknown> | undefined {
    const { ledger, lifecycle, hooks, parts } = this.#engine;
    const { name } = entry;
    const began = this.#beginTimed(entry, run);
    if (began === undefined) return undefined;
    let own: readonly unknown[] | undefined;
    let id = 0;
    let trace: unknown;
    let value: unknown;
    try {
      own = this.#ownArguments(entry, args);
      if (own === undefined) return undefined;
      if (isWatched) id = ledger.newId();
      if (hooks.isTracing) trace = hooks.traceStart(id, name);
      if (isWatched) hooks.emit('task:submit', { taskId: id, name });
      // A getter, the tracer or a listener may have closed the pool, or given up the call.
      const { refusal } = lifecycle;
      if (refusal !== undefined || run.signal?.aborted) {
        const error = refusal ?? abortError({ name, id, run });
        if (!isWatched) return rejected(error);
        const { task, promise } = this.#open(entry, id, run, trace);
        task.settle({ outcome: refusal === undefined ? 'aborted' : 'rejected', error });
        return promise;
      }
      const result = this.invoke(entry, own, id, run, trace);
      if (this.isAwaited) return this.#adopt(entry, result, began, run, trace);
      if (entry.unseen > 0) entry.unseen--;
      value = this.copyResult(result, entry.isPure);
    } catch (thrown) {
      if (own !== undefined) return this.#failed(entry, thrown, began, id, trace);
      return hooks.isTracing ? undefined : rejected(thrown); // a task is refused as this would be, and its tracer hears of it
    } finally {
      this.forget();
    }
    const ended = parts.platform.now();
    const ms = ended - began;
    const isSuspicious = entry.used > 0 && began - this.#lastEnd > SUSPICIOUS_MS;
    entry.lastMs = ms;
    this.#lastEnd = ended;
    this.#count(entry, ms, ended);
    if (isWatched) {
      const end = { outcome: 'completed', waitMs: 0, runMs: ms, error: undefined } as const;
      hooks.taskEnded({ taskId: id, name, context: trace, ...end });
    }
    this.#count(entry, undefined, ended); // a listener of this call may have made calls that run on credit
    const most = isWatched || entry.unseen > 0 ? 0 : isSuspicious ? 1 : 2 * entry.granted + 1;
    const affordable = Math.floor(((this.#spentAt! - ended) * CREDIT_SHARE) / Math.max(ms, 1e-6));
    entry.granted = Math.max(0, Math.min(most, MOST_CREDITS, affordable));
    entry.credits = entry.granted;
    entry.turn = this.turn;
    this.#last = entry;
    const { module } = this.#here;
    if (this.#timed++ % SIZED_EVERY === 0) entry.learnt?.sized(module.sizeOf(own), module.sizeOf([value]));
    return Promise.resolve(value);
  }

  /**
   * Whether a call without options that `enter` did not take waits here for the next turn: its function runs here, the turn is over, and calls
   * seem to be made one after the other. Such a call would wake a worker that sleeps, which takes far longer than a turn.
   */
  defers(name: unknown): boolean {
    const { tasks, hasRoom } = this.#here;
    if (this.#late !== 1 || this.#lateBefore !== 1 || tasks.waiting > 0 || !hasRoom) return false;
    const { timeoutMs } = this.#engine.defaults;
    return timeoutMs === undefined && this.entries.get(name as string)?.learnt?.isInline === true;
  }

  /** Forgets the functions of the module, which is loaded anew. */
  clear(): void {
    this.flush();
    this.entries.clear();
    this.#last = undefined;
  }

  /** Counts the calls that ran on credit and have not been counted yet. */
  flush(): void {
    const now = this.#engine.parts.platform.now();
    for (const entry of this.entries.values()) this.#count(entry, undefined, now);
  }

  /** When a call that is timed begins; undefined: it cannot run here and now. */
  #beginTimed({ learnt }: Entry, run: ResolvedRun): number | undefined {
    const { tasks } = this.#here;
    if (run.transfer.length > 0) return undefined;
    // Only a task can be aborted while its function runs. With 'auto', only what the call reports could do that: its caller's other code waits.
    if (run.signal !== undefined && (this.takesAll || run.onProgress !== undefined)) return undefined;
    // With 'auto', calls with a timeout or a key cross: nobody could end them here in time, and this thread is not one worker among others.
    const hasPlace = this.takesAll
      ? tasks.waiting === 0 && tasks.hasRoom
      : learnt !== undefined && run.timeoutMs === undefined && run.key === undefined;
    if (!hasPlace || learnt?.takesInline(this.#engine.parts.platform.burstNow()) === false) return undefined;
    const began = this.beginInTurn();
    if (began === undefined) this.#late++;
    return began;
  }

  /** The arguments that the function gets, copied unless it is pure; undefined: only a task can have them. Throws ERR_NOT_CLONEABLE. */
  #ownArguments({ isPure }: Entry, args: readonly unknown[]): readonly unknown[] | undefined {
    if (args.length === 1 ? isImmutable(args[0]) : args.every(isImmutable)) return args;
    if (args.some(leaseOf)) return undefined;
    if (isPure) return args;
    // `transfer` marks results. An argument with its mark is an object like others: it is copied within the list, where no mark counts.
    const isOne = args.length === 1 && !this.#here.module.isMoved(args[0]);
    return isOne ? [this.#copy(args[0], 'args', args)] : (this.#copy(args, 'args') as readonly unknown[]);
  }

  /** Counts calls that completed: those that ran on credit, and one that was timed. @param ms how long that ran; undefined: there is none */
  #count(entry: Entry, ms: number | undefined, now: number): void {
    const count = entry.used + (ms === undefined ? 0 : 1);
    if (count === 0) return;
    const { recorder } = this.#engine.parts;
    entry.used = 0;
    recorder.ranHere(count, entry.lastMs, now, this.#here.record);
    recorder.functions.completed(entry.name, count, entry.lastMs * count, true);
    entry.learnt?.ranInline(ms, now, count);
  }

  /** @param began when the call began; 0: it ran on credit */
  #failed(entry: Entry, thrown: unknown, began: number, id: number, trace: unknown): Promise<unknown> {
    this.forget(); // code that hears of the failure may make another call
    const { ledger, parts, defaults } = this.#engine;
    const error = this.#here.module.copyError(thrown, true);
    const now = parts.platform.now();
    const ms = began === 0 ? undefined : now - began;
    entry.learnt?.ranInline(ms, now);
    const { task, promise } = this.#open(entry, id || ledger.newId(), defaults, trace);
    task.settle({ outcome: 'failed', error, runMs: ms ?? entry.lastMs, by: this.#here.record });
    return promise;
  }

  /** Goes on with a call whose function has returned a promise. */
  #adopt({ name, isPure }: Entry, result: unknown, began: number, run: ResolvedRun, trace: unknown) {
    const { lifecycle } = this.#engine;
    const call = this.take(); // numbers the call, if it has no number yet
    const { task, promise } = this.#open({ name }, this.#id, run, trace);
    task.state = 'handed';
    this.forget();
    this.#here.tasks.adopt({ task, call, isPure, began }, result as PromiseLike<unknown>);
    lifecycle.updateKeepAlive();
    // If the function has destroyed the pool before it returned, its call was not among the open ones that were rejected.
    if (lifecycle.refusal && !this.#here.isReady)
      task.settle({ outcome: 'rejected', error: lifecycle.refusal });
    return promise;
  }

  /** Makes a task of a call whose function has the arguments already. */
  #open({ name }: Pick<Entry, 'name'>, id: number, run: ResolvedRun, trace: unknown) {
    const { ledger, parts } = this.#engine;
    const { promise, resolve } = promised<unknown>();
    parts.recorder.counts.submitted++;
    const task = ledger.open(id, name, NO_PAYLOAD, run, resolve);
    task.context = trace;
    return { task, promise };
  }

  // --- the turn ---

  /** Asks to begin a call. Returns the time; undefined: the rest of the program, which runs on this thread, has its turn first. */
  beginInTurn(): number | undefined {
    if (this.#spentAt === 0) return undefined;
    const { platform, options } = this.#engine.parts;
    const now = platform.now();
    if (this.#spentAt === undefined) {
      this.#spentAt = now + options.loopBudgetMs;
      platform.nextTurn(this.#onTurn);
    } else if (now >= this.#spentAt) {
      this.#spentAt = 0;
      return undefined;
    }
    return now;
  }

  /** The event loop has had its turn: calls may run again. */
  readonly #onTurn = () => {
    this.#spentAt = undefined;
    this.turn++;
    if (this.#late > 0) this.#lateBefore = this.#late;
    this.#late = 0;
    this.#here.tasks.pump();
  };

  // --- the call that runs ---

  /** Whether a call of this pool runs on the calling thread right now. */
  get isRunning(): boolean {
    return running === this;
  }

  #begin(name: string): void {
    running = this; // eslint-disable-line @typescript-eslint/no-this-alias -- which one runs, among those of all pools
    this.#name = name;
  }

  /** Runs a function up to its return; then `forget` is to be called. Throws what the function throws. */
  invoke(entry: Entry, args: readonly unknown[], id: number, run: ResolvedRun, context: unknown): unknown {
    const { module } = this.#here;
    this.#begin(entry.name);
    this.#id = id;
    this.#run = run;
    this.#context = context;
    try {
      // Its code may ask about its task after it has returned, unless it is known to return no promise.
      // The function gets no `this`, as on workers. The arguments are spread, so that V8 does not compile the function into this one: there its numbers would become objects.
      const result = entry.unseen > 0 ? module.enter(this.asked(), entry.run, args) : (0, entry.run)(...args);
      this.isAwaited = isThenable(result);
      return result;
    } finally {
      running = undefined;
    }
  }

  /** The call that runs right now. */
  asked(): RunningCall {
    const { module } = this.#here;
    if (this.#call === undefined) {
      this.#id ||= this.#engine.ledger.newId();
      this.#call = module.newCall(this.#id, this.#newHost(this.#name, this.#run));
      try {
        // The context that `onTaskStart` returned, as it would arrive in a worker.
        this.#call.context = module.copy(this.#context);
      } catch (error) {
        this.#engine.hooks.contextRefused(error);
      }
    }
    return this.#call;
  }

  /** Takes the call that runs right now, which goes on after its function has returned. The caller of `take` has to end it. */
  take(): RunningCall {
    const call = this.asked();
    this.#call = undefined;
    return call;
  }

  /** Ends the call, unless it was taken: its function has returned. */
  forget(): void {
    this.#call?.end();
    this.#call = undefined;
    this.#id = 0;
    this.#run = this.#engine.defaults;
    this.#context = undefined;
  }

  /** The call that the code which asks belongs to. */
  current(): RunningCall | undefined {
    if (running === undefined) return this.#here.module.entered();
    return this.isRunning ? this.asked() : undefined;
  }

  #newHost(name: string, run: ResolvedRun): CallHost {
    const { ledger, parts } = this.#engine;
    const { module } = this.#here;
    return {
      workerId: NO_WORKER,
      now: parts.platform.now,
      pollAbort: () => undefined,
      progress: (taskId, value) => ledger.tellProgress(taskId, name, this.#copy(value, 'progress'), run),
      callHost: async (host, args, transfer) => {
        const own = this.#copy(args, 'args', args, transfer) as unknown[];
        try {
          const answer = await this.#engine.callHost(this, host, own);
          // A stream whose values are taken at once would never leave this turn, nor would calls of tasks that run here.
          if (this.beginInTurn() === undefined)
            await new Promise<void>((resolve) => parts.platform.nextTurn(resolve));
          return this.#copy(answer, 'result');
        } catch (error) {
          throw module.copyError(error);
        }
      },
      find: (wanted) => module.find(wanted),
      copy: (value, what) => this.#copy(value, what),
    };
  }

  /** Returns a result as its caller gets it. Throws ERR_NOT_CLONEABLE. */
  copyResult(result: unknown, isPure: boolean): unknown {
    if (isImmutable(result) || (isPure && !this.#here.module.isMoved(result))) return result;
    return this.#copy(result, 'result');
  }

  /** @param root the value whose parts an error names, by `name` */
  #copy(value: unknown, name: string, root = value, transfer?: readonly unknown[]): unknown {
    const { module } = this.#here;
    try {
      return module.copy(value, transfer);
    } catch (cause) {
      const moved = module.isMoved(root) ? root : { value: root, list: transfer };
      throw notCloneable(cause, moved.value, name, moved.list, this.#engine.parts.platform.clone);
    }
  }
}
