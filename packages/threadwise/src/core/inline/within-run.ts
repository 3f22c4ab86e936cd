/**
 * Calls that run within `run`: nothing is queued, nothing crosses, no task is made. Most of them run on credit: a call
 * that was timed by itself, and was short, lets the next few of its function run without a look at the clock.
 */
import { rejected } from '../calls/caller-stack.js';
import { isList } from '../options/checks.js';
import type {
  ModuleHere,
  PlacedFunction,
  Placement,
  Platform,
  Recorder,
  TaskFunction,
  WorkerRecord,
} from '../contracts.js';
import type { Hooks } from '../events/hooks.js';
import { LeaseStore } from '../lease.js';
import type { Ledger } from '../calls/ledger.js';
import type { ModuleCalls } from './module-calls.js';
import { isImmutable } from '../calls/payload.js';
import { isThenable, promised } from '../promised.js';
import type { ResolvedRun } from '../calls/run-options.js';
import type { TaskBody, TasksHere } from './tasks-here.js';
import type { Tracing } from '../events/tracing.js';
import type { TurnBudget } from './turn-budget.js';

export interface WithinRunContext {
  readonly poolName: string;
  readonly platform: Pick<Platform, 'now' | 'burstNow'>;
  /** What a call without options gets. */
  readonly defaults: ResolvedRun;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly hooks: Hooks;
  readonly tracing: Tracing;
  readonly module: ModuleHere;
  readonly calls: ModuleCalls;
  readonly budget: TurnBudget;
  readonly tasks: TasksHere;
  /** Whether calls are accepted, and none is held up. Asked at every call. */
  isOpen(): boolean;
  record(): WorkerRecord | undefined;
  onAwaits(name: string): void;
  /** A call goes on after `run` has returned: now it is open. */
  onAdopted(): void;
}

/** A function that has returned so many results, none of them a promise, is taken to go on like that. */
const SYNC_RESULTS = 32;
/** How many calls of a function run on credit at most. Reading the clock costs as much as a tiny call. */
const MOST_CREDITS = 15;
/** The share of what is left of the turn that calls on credit may take. */
const CREDIT_SHARE = 1 / 2;
/** The share of the next turn that calls which were too late for this one may take. */
const WAITING_SHARE = 1 / 2;
/** When calls on credit may have taken that long, the next ones are timed. Milliseconds. */
const SUSPICIOUS_MS = 1;
/** One timed call of so many has its arguments and its result measured. */
const SIZED_EVERY = 32;

/** A function of the module. */
export class Entry implements TaskBody {
  readonly name: string;
  readonly run: TaskFunction;
  readonly isPure: boolean;
  /** What is learnt of it, with placement 'auto'. */
  learnt: PlacedFunction | undefined;
  /** How many more results must be no promises before it is taken to return none; Infinity: it does return promises. */
  unseen: number;
  /** How many calls may still run on credit, of how many that were granted in that turn. */
  credits = 0;
  granted = 0;
  turn = -1;
  /** What was granted last, or would have been. */
  ramp = 0;
  /** How long the call took that was timed last. Milliseconds. */
  lastMs = 0;

  readonly #isAsked: boolean;

  /** @param isAsked whether any code of this thread can ask about its task */
  constructor(name: string, run: TaskFunction, isPure: boolean, isAsked: boolean) {
    this.name = name;
    this.run = run;
    this.isPure = isPure;
    this.#isAsked = isAsked;
    const isPlain = Object.prototype.toString.call(run) === '[object Function]';
    this.unseen = isPlain ? (isAsked ? SYNC_RESULTS : 0) : Number.POSITIVE_INFINITY;
  }

  get mayAskLater(): boolean {
    return this.#isAsked && this.unseen > 0;
  }

  returned(): void {
    if (this.unseen > 0) this.unseen--;
  }
}

export class WithinRun {
  /** Whether all calls of the pool run on this thread. */
  takesAll = false;
  readonly #context: WithinRunContext;
  readonly #entries = new Map<string, Entry>();
  /** The function that was called last: mostly it is the next one, too. */
  #last: Entry | undefined;
  #lastName: unknown;
  #timed = 0;
  /** The call that came last was too late for this turn. */
  #late: Entry | undefined;
  /** When the call ended that was timed last. */
  #lastEnd = 0;
  /** Of the call that runs right now, should its code ask. 0: it has no number yet. */
  #id = 0;
  #name = '';
  #run: ResolvedRun;
  #trace: unknown;
  readonly #open = () => {
    const { calls, ledger } = this.#context;
    const call = calls.newCall(this.#id === 0 ? ledger.newId() : this.#id, this.#name, this.#run);
    call.context = calls.copyContext(this.#trace);
    return call;
  };

  constructor(context: WithinRunContext) {
    this.#context = context;
    this.#run = context.defaults;
  }

  add(entry: Entry): void {
    this.#entries.set(entry.name, entry);
    this.#lastName = undefined;
  }

  find(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  place(learner: Placement['learner'], takesAll: boolean): void {
    this.flush();
    this.takesAll = takesAll;
    for (const entry of this.#entries.values()) entry.learnt = learner?.of(entry.name);
    this.#context.budget.revoke();
  }

  /** Runs a call without options; undefined: not here and now. Never throws. */
  run(name: unknown, args: unknown): Promise<unknown> | undefined {
    const entry = name === this.#lastName ? this.#last : this.#look(name);
    if (entry === undefined || !isList(args)) return undefined;
    const { calls, budget, isOpen, hooks, defaults } = this.#context;
    const isCredited = entry.credits > 0 && entry.turn === budget.turn;
    if (!isCredited || calls.isAnyRunning || hooks.areCallsHeard || !isOpen())
      return this.#runTimed(entry, args, defaults);
    let own: readonly unknown[] | undefined;
    try {
      own = this.#ownArguments(entry, args);
    } catch (error) {
      return rejected(error);
    }
    if (own === undefined) return undefined;
    entry.credits--;
    this.#name = entry.name;
    try {
      calls.begin(this.#open);
      const result = own.length === 1 ? entry.run(own[0]) : entry.run(...own);
      calls.end();
      if (isImmutable(result)) return Promise.resolve(result);
      if (!isThenable(result)) return Promise.resolve(calls.copyResult(result, entry.isPure));
      entry.granted--;
      return this.#adopt(entry, result, this.#context.platform.now(), 0, undefined, defaults);
    } catch (thrown) {
      calls.end();
      entry.granted--;
      return this.#failed(entry, thrown, undefined, 0, undefined);
    } finally {
      if (calls.call !== undefined) calls.endCall();
    }
  }

  /** The same, of a call with options. */
  runAs(name: string, args: readonly unknown[], run: ResolvedRun): Promise<unknown> | undefined {
    const entry = this.#look(name);
    return entry === undefined ? undefined : this.#runTimed(entry, args, run);
  }

  /**
   * Whether the call that was just turned down is to wait for the next turn: only the budget of this one kept it from
   * running, and what waits already leaves it room in the next. Then a crossing is the dearer way.
   */
  isToWait(): boolean {
    const late = this.#late;
    this.#late = undefined;
    if (late === undefined) return false;
    const { budget, tasks } = this.#context;
    return (tasks.waiting + 1) * late.lastMs <= budget.ms * WAITING_SHARE;
  }

  /** Counts the calls that ran on credit and have not been counted yet. */
  flush(): void {
    const { recorder, platform, record } = this.#context;
    for (const entry of this.#entries.values()) {
      const count = entry.granted - entry.credits;
      if (count === 0) continue;
      entry.granted = entry.credits;
      const now = platform.now();
      recorder.ranHere(count, entry.lastMs, now, record());
      entry.learnt?.ranInline(undefined, now, count);
    }
  }

  #look(name: unknown): Entry | undefined {
    this.#lastName = name;
    this.#last = this.#entries.get(name as string);
    return this.#last;
  }

  /** Undefined: only as a task can it have them. Throws ERR_NOT_CLONEABLE. */
  #ownArguments(entry: Entry, args: readonly unknown[]): readonly unknown[] | undefined {
    if (args.length === 1) {
      if (isImmutable(args[0])) return args;
      if (isLease(args[0])) return undefined;
    } else {
      if (args.every(isImmutable)) return args;
      if (args.some(isLease)) return undefined;
    }
    return entry.isPure ? args : this.#context.calls.copyArguments(args);
  }

  #canRun(entry: Entry, { timeoutMs, transfer, key }: ResolvedRun): boolean {
    const { tasks, calls, isOpen } = this.#context;
    if (transfer.length > 0 || calls.isAnyRunning || !isOpen()) return false;
    if (this.takesAll) return tasks.waiting === 0 && tasks.hasRoom;
    // Nobody could end it here before its time, nor is this one worker among others.
    return entry.learnt !== undefined && timeoutMs === undefined && key === undefined;
  }

  #runTimed(entry: Entry, args: readonly unknown[], run: ResolvedRun): Promise<unknown> | undefined {
    if (!this.#canRun(entry, run)) return undefined;
    const { platform, budget, ledger, hooks, tracing, poolName: pool, calls, module } = this.#context;
    const { name } = entry;
    if (entry.learnt?.takesInline(platform.burstNow()) === false) return undefined;
    const began = budget.begin();
    if (began === undefined) {
      this.#late = args.some(isLease) ? undefined : entry; // a lease is for a thread
      return undefined;
    }
    let own: readonly unknown[] | undefined;
    try {
      own = this.#ownArguments(entry, args);
    } catch (error) {
      return rejected(error);
    }
    if (own === undefined) return undefined;
    const isWatched = tracing.isOn || hooks.areCallsHeard;
    const id = isWatched ? ledger.newId() : 0;
    const trace = tracing.isOn ? tracing.start({ pool, taskId: id, name }) : undefined;
    if (isWatched) ledger.runsHere(id, name);
    this.#id = id;
    this.#name = name;
    this.#run = run;
    this.#trace = trace;
    let value: unknown;
    try {
      calls.begin(this.#open);
      const result = entry.mayAskLater ? module.enter(calls.asked(), entry.run, own) : entry.run(...own);
      calls.end();
      if (isThenable(result)) return this.#adopt(entry, result, began, id, trace, run);
      entry.returned();
      value = calls.copyResult(result, entry.isPure);
    } catch (thrown) {
      calls.end();
      return this.#failed(entry, thrown, began, id, trace);
    } finally {
      if (calls.call !== undefined) calls.endCall();
      this.#id = 0;
      this.#run = this.#context.defaults;
      this.#trace = undefined;
    }
    const ended = platform.now();
    const ms = ended - began;
    const isSuspicious = entry.granted > entry.credits && began - this.#lastEnd > SUSPICIOUS_MS;
    this.#count(entry, ms, ended);
    if (isWatched) ledger.tell(id, name, trace, 'completed', undefined, ms, undefined);
    this.#grant(entry, isWatched || entry.unseen > 0 ? 0 : isSuspicious ? 1 : 2 * entry.ramp + 1, ended);
    if (this.#timed++ % SIZED_EVERY === 0) {
      entry.learnt?.sized(module.sizeOf(own), module.sizeOf([value]));
    }
    return Promise.resolve(value);
  }

  /** Counts a call that was timed, and those that ran on credit since the one before. */
  #count(entry: Entry, ms: number, now: number): void {
    const { recorder, record } = this.#context;
    const count = 1 + entry.granted - entry.credits;
    recorder.ranHere(count, ms, now, record());
    entry.learnt?.ranInline(ms, now, count);
    entry.lastMs = ms;
    this.#lastEnd = now;
  }

  #grant(entry: Entry, most: number, now: number): void {
    const { budget } = this.#context;
    const affordable = Math.floor((budget.leftAt(now) * CREDIT_SHARE) / Math.max(entry.lastMs, 1e-6));
    entry.ramp = Math.max(0, Math.min(most, MOST_CREDITS, affordable));
    entry.credits = entry.ramp;
    entry.granted = entry.ramp;
    entry.turn = budget.turn;
  }

  /** @param began undefined: on credit */
  #failed(
    entry: Entry,
    thrown: unknown,
    began: number | undefined,
    id: number,
    trace: unknown,
  ): Promise<never> {
    const { platform, recorder, ledger, module, record } = this.#context;
    const error = module.copyError(thrown);
    const now = platform.now();
    const ms = began === undefined ? undefined : now - began;
    recorder.submitted();
    recorder.settled('failed', undefined, ms, now, record());
    entry.learnt?.ranInline(ms, now, 1);
    if (id !== 0) ledger.tell(id, entry.name, trace, 'failed', undefined, ms, error);
    return rejected(error);
  }

  /** It has returned a promise: the call goes on as a task. */
  #adopt(
    entry: Entry,
    result: PromiseLike<unknown>,
    began: number,
    id: number,
    trace: unknown,
    run: ResolvedRun,
  ): Promise<unknown> {
    const { ledger, recorder, calls, tasks, onAdopted } = this.#context;
    const { promise, resolve } = promised<unknown>();
    recorder.submitted();
    const call = calls.take() ?? this.#open();
    const task = ledger.adopt(id === 0 ? ledger.newId() : id, entry.name, run, resolve, trace);
    tasks.adopt(task, call, entry.isPure, result, began);
    onAdopted();
    return promise;
  }
}

/** Only a task can be lent it. */
function isLease(value: unknown): boolean {
  return !isImmutable(value) && LeaseStore.of(value) !== undefined;
}
