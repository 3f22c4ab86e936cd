/**
 * Calls that run within `pool.run`: nothing is queued, nothing crosses, no task is made. Most of them run on credit: a call
 * that was timed by itself, and was short, lets the next few of its function run without a look at the clock.
 */
import { abortError } from '../calls/canceller.js';
import { rejected } from '../calls/caller-stack.js';
import { isImmutable, NO_PAYLOAD } from '../calls/payload.js';
import type { ResolvedRun } from '../calls/run-options.js';
import type { Placement } from '../contracts.js';
import { leaseOf } from '../lease.js';
import { isList } from '../options/checks.js';
import { isThenable, promised } from '../promised.js';
import type { Engine } from '../engine.js';
import type { CallingThread } from './calling-thread.js';
import type { Entry, ModuleCalls } from './module-calls.js';

/** How many calls of a function run on credit at most. Reading the clock costs as much as a tiny call. */
const MOST_CREDITS = 15;
/** The share of what is left of the turn that calls on credit may take. */
const CREDIT_SHARE = 1 / 2;
/** After how many milliseconds of calls on credit the next ones are timed. */
const SUSPICIOUS_MS = 1;
/** The arguments and the result of one timed call in this many are measured. */
const SIZED_EVERY = 32;

export class WithinRun {
  /** Whether all calls of the pool run on this thread. */
  takesAll = false;
  readonly #engine: Engine;
  readonly #here: CallingThread;
  readonly #calls: ModuleCalls;
  readonly #entries = new Map<string, Entry>();
  /** The function that was called last: mostly it is the next one, too. */
  #last: Entry | undefined;
  #lastName: unknown;
  #timed = 0;
  /** When the last timed call ended. */
  #lastEnd = 0;

  constructor(engine: Engine, here: CallingThread) {
    this.#engine = engine;
    this.#here = here;
    this.#calls = here.calls;
  }

  add(entry: Entry): void {
    this.#entries.set(entry.name, entry);
    this.#lastName = undefined;
  }

  /** Forgets the functions: no call runs here until there are some again. */
  clear(): void {
    this.flush();
    this.#entries.clear();
    this.#lastName = undefined;
    this.#last = undefined;
  }

  find(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  place(learner: Placement['learner'], takesAll: boolean): void {
    this.flush();
    this.takesAll = takesAll;
    for (const entry of this.#entries.values()) entry.learnt = learner?.of(entry.name);
    this.#calls.turn++; // the credits that were granted are void
  }

  /**
   * Runs a call; returns undefined if it cannot run here and now. Never throws.
   * @param options undefined: the call has none
   */
  run(name: unknown, args: unknown, options?: ResolvedRun): Promise<unknown> | undefined {
    const entry = name === this.#lastName ? this.#last : this.#look(name);
    if (entry === undefined || !isList(args)) return undefined;
    const calls = this.#calls;
    const { lifecycle, hooks, defaults } = this.#engine;
    const isCredited = options === undefined && entry.credits > 0 && entry.turn === calls.turn;
    if (!isCredited || calls.isAnyRunning || hooks.areCallsHeard || lifecycle.state !== 'open')
      return this.#runTimed(entry, args, options ?? defaults);
    let own: readonly unknown[] | undefined;
    try {
      own = this.#ownArguments(entry, args);
      if (own === undefined) return undefined;
      if (own !== args && lifecycle.refusal !== undefined) return rejected(lifecycle.refusal); // a getter has closed the pool
      entry.credits--;
      calls.begin(entry.name);
      // Spread, so that V8 does not compile the function into this one: there its numbers would become objects.
      const result = (0, entry.run)(...own); // without a `this`, as on workers
      const isAwaited = !isImmutable(result) && isThenable(result); // see `ModuleCalls.isAwaited`
      calls.end();
      if (!isAwaited) return Promise.resolve(calls.copyResult(result, entry.isPure));
      entry.granted--;
      return this.#adopt(entry, result, this.#engine.parts.platform.now(), defaults);
    } catch (thrown) {
      if (own === undefined) return rejected(thrown);
      calls.end();
      entry.granted--;
      return this.#failed(entry, thrown);
    } finally {
      if (calls.call !== undefined) calls.forget();
    }
  }

  /**
   * Whether a call without options waits here for the next turn, after `run` did not take it: its function runs here, but the turn is over, and
   * calls seem to be made one after the other. Each time a turn is over such a call would wake a worker that sleeps, which takes far longer than
   * a turn.
   */
  defers(name: unknown): boolean {
    const { calls, tasks, hasRoom } = this.#here;
    if (calls.late !== 1 || calls.lateBefore !== 1 || tasks.waiting > 0 || !hasRoom) return false;
    return this.#engine.defaults.timeoutMs === undefined && this.#look(name)?.learnt?.isInline === true;
  }

  /** Counts the calls that ran on credit and have not been counted yet. */
  flush(): void {
    for (const entry of this.#entries.values()) {
      const count = entry.granted - entry.credits;
      if (count === 0) continue;
      entry.granted = entry.credits;
      this.#count(entry, count, undefined, this.#engine.parts.platform.now());
    }
  }

  #look(name: unknown): Entry | undefined {
    this.#lastName = name;
    this.#last = this.#entries.get(name as string);
    return this.#last;
  }

  /** The arguments that the function gets, copied unless it is pure; undefined: only a task can have them. Throws ERR_NOT_CLONEABLE. */
  #ownArguments(entry: Entry, args: readonly unknown[]): readonly unknown[] | undefined {
    if (args.length === 1) {
      if (isImmutable(args[0])) return args;
      if (leaseOf(args[0])) return undefined; // only a task can have a lease
    } else {
      if (args.every(isImmutable)) return args;
      if (args.some(leaseOf)) return undefined;
    }
    return entry.isPure ? args : this.#calls.copyArguments(args);
  }

  #runTimed(entry: Entry, args: readonly unknown[], run: ResolvedRun): Promise<unknown> | undefined {
    const { ledger, hooks, parts, lifecycle } = this.#engine;
    const { platform } = parts;
    const { module, tasks } = this.#here;
    const { name } = entry;
    const calls = this.#calls;
    if (run.transfer.length > 0 || calls.isAnyRunning || lifecycle.state !== 'open') return undefined;
    // With 'auto', calls with a timeout or a key cross: nobody could end them here in time, and this thread is not one worker among others.
    const hasPlace = this.takesAll
      ? tasks.waiting === 0 && tasks.hasRoom
      : entry.learnt !== undefined && run.timeoutMs === undefined && run.key === undefined;
    if (!hasPlace || entry.learnt?.takesInline(platform.burstNow()) === false) return undefined;
    const began = calls.beginInTurn();
    if (began === undefined) {
      calls.late++;
      return undefined;
    }
    const isWatched = hooks.isTracing || hooks.areCallsHeard;
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
      calls.id = id;
      calls.run = run;
      calls.context = trace;
      const result = calls.invoke(entry, own);
      if (calls.isAwaited) return this.#adopt(entry, result as PromiseLike<unknown>, began, run, trace);
      entry.returned();
      value = calls.copyResult(result, entry.isPure);
    } catch (thrown) {
      if (own !== undefined) return this.#failed(entry, thrown, began, id, trace);
      return hooks.isTracing ? undefined : rejected(thrown); // a task is refused as this would be, and its tracer hears of it
    } finally {
      calls.forget();
    }
    const ended = platform.now();
    const ms = ended - began;
    const isSuspicious = entry.granted > entry.credits && began - this.#lastEnd > SUSPICIOUS_MS;
    entry.lastMs = ms;
    this.#lastEnd = ended;
    this.#count(entry, 1 + entry.granted - entry.credits, ms, ended);
    entry.granted = entry.credits;
    const end = { taskId: id, name, context: trace, outcome: 'completed', error: undefined } as const;
    if (isWatched) hooks.taskEnded({ ...end, waitMs: 0, runMs: ms });
    this.#grant(entry, isWatched || entry.unseen > 0 ? 0 : isSuspicious ? 1 : 2 * entry.ramp + 1, ended);
    if (this.#timed++ % SIZED_EVERY === 0) entry.learnt?.sized(module.sizeOf(own), module.sizeOf([value]));
    return Promise.resolve(value);
  }

  /** @param ms how many milliseconds the timed one of these calls ran; undefined: none was timed */
  #count(entry: Entry, count: number, ms: number | undefined, now: number): void {
    const { recorder } = this.#engine.parts;
    recorder.ranHere(count, entry.lastMs, now, this.#here.record);
    recorder.functions.completed(entry.name, count, entry.lastMs * count, true);
    entry.learnt?.ranInline(ms, now, count);
  }

  #grant(entry: Entry, most: number, now: number): void {
    // A listener of this call may have made calls that run on credit.
    if (entry.granted > entry.credits) this.#count(entry, entry.granted - entry.credits, undefined, now);
    const affordable = Math.floor((this.#calls.leftAt(now) * CREDIT_SHARE) / Math.max(entry.lastMs, 1e-6));
    entry.ramp = Math.max(0, Math.min(most, MOST_CREDITS, affordable));
    entry.credits = entry.ramp;
    entry.granted = entry.ramp;
    entry.turn = this.#calls.turn;
  }

  /** @param began when the call began; undefined: it ran on credit */
  #failed(entry: Entry, thrown: unknown, began?: number, id = 0, trace?: unknown): Promise<unknown> {
    this.#calls.forget(); // code that hears of the failure may make another call
    const { ledger, parts, defaults } = this.#engine;
    const error = this.#here.module.copyError(thrown, true);
    const now = parts.platform.now();
    const ms = began === undefined ? undefined : now - began;
    entry.learnt?.ranInline(ms, now);
    const { task, promise } = this.#open(entry, id || ledger.newId(), defaults, trace);
    task.settle({ outcome: 'failed', error, runMs: ms ?? entry.lastMs, by: this.#here.record });
    return promise;
  }

  /** Goes on with a call whose function has returned a promise. */
  #adopt(entry: Entry, result: PromiseLike<unknown>, began: number, run: ResolvedRun, trace?: unknown) {
    const { lifecycle } = this.#engine;
    const call = this.#calls.take(); // numbers the call, if it has no number yet
    const { task, promise } = this.#open(entry, this.#calls.id, run, trace);
    task.state = 'handed';
    this.#calls.forget();
    this.#here.tasks.adopt({ task, call, isPure: entry.isPure, began }, result);
    lifecycle.updateKeepAlive();
    // If the function has destroyed the pool before it returned, its call was not among the open ones that were rejected.
    if (lifecycle.state === 'closed') task.settle({ outcome: 'rejected', error: lifecycle.refusal });
    return promise;
  }

  /** Makes a task of a call whose function has the arguments already. */
  #open({ name }: Entry, id: number, run: ResolvedRun, trace: unknown) {
    const { ledger, parts } = this.#engine;
    const { promise, resolve } = promised<unknown>();
    parts.recorder.counts.submitted++;
    const task = ledger.open(id, name, NO_PAYLOAD, run, resolve);
    task.context = trace;
    return { task, promise };
  }
}
