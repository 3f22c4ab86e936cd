/**
 * What all calls on the calling thread have in common: the functions of the module, how long calls may run before the event
 * loop has a turn, which call runs now, what its code may ask about its task, and what is copied.
 */
import type { CallHost, ModuleHere, PlacedFunction, RunningCall, TaskFunction } from '../contracts.js';
import { isImmutable, notCloneable } from '../calls/payload.js';
import type { ResolvedRun } from '../calls/run-options.js';
import type { Engine } from '../engine.js';
import { tagOf } from '../options/checks.js';
import { isThenable } from '../promised.js';

/** `task.workerId` of code on the calling thread. */
export const NO_WORKER = 0;

/** After this many results, none of them a promise, a function is taken to return none. */
const SYNC_RESULTS = 32;

/** A function of the module. */
export class Entry {
  readonly name: string;
  readonly run: TaskFunction;
  readonly isPure: boolean;
  /** What placement 'auto' has learnt of the function. */
  learnt: PlacedFunction | undefined;
  /** How many more results must be no promises before it is taken to return none; Infinity: it does return promises. */
  unseen: number;
  /** How many calls may still run on credit, how many were granted, and in which turn. */
  credits = 0;
  granted = 0;
  turn = -1;
  /** How many calls were granted last. */
  ramp = 0;
  /** How many milliseconds the last timed call took. */
  lastMs = 0;
  readonly #isAsked: boolean;

  /** @param isAsked whether any code of this thread can ask about its task */
  constructor(name: string, run: TaskFunction, isPure: boolean, isAsked: boolean) {
    this.name = name;
    this.run = run;
    this.isPure = isPure;
    this.#isAsked = isAsked;
    const isPlain = tagOf(run) === '[object Function]';
    this.unseen = isPlain ? (isAsked ? SYNC_RESULTS : 0) : Number.POSITIVE_INFINITY;
  }

  /** Whether its code may ask about its task after it has returned. */
  get mayAskLater(): boolean {
    return this.#isAsked && this.unseen > 0;
  }

  /** The function has returned a result that is no promise. */
  returned(): void {
    if (this.unseen > 0) this.unseen--;
  }
}

/** The pool whose function runs on this thread right now. No other call begins before that has returned. */
let running: ModuleCalls | undefined;

export class ModuleCalls {
  /** Counts the turns of the event loop in which calls ran: what was granted for one turn is void in the next. */
  turn = 0;
  /** How many calls came in this turn after its time for calls was used up, and how many in the last turn that had any. */
  late = 0;
  lateBefore = 0;
  /** The call that runs right now, once its code has asked about its task. */
  call: RunningCall | undefined;
  /** The id of the call that runs right now, in case its code asks. 0: it has none yet. */
  id = 0;
  name = '';
  run: ResolvedRun;
  context: unknown;
  /** Whether the function that ran last returned a promise. Asked while it counts as running: `then` may be a getter that makes a call. */
  isAwaited = false;
  readonly #engine: Engine;
  readonly #module: ModuleHere;
  /** When the calls of this turn have used up their time; 0: they have; undefined: none has run in it. Milliseconds. */
  #spentAt: number | undefined;

  constructor(engine: Engine, module: ModuleHere) {
    this.#engine = engine;
    this.#module = module;
    this.run = engine.defaults;
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

  /** How many milliseconds calls may still run in this turn. */
  leftAt(now: number): number {
    return this.#spentAt! - now;
  }

  /** The event loop has had its turn: calls may run again. */
  readonly #onTurn = () => {
    this.#spentAt = undefined;
    this.turn++;
    if (this.late > 0) this.lateBefore = this.late;
    this.late = 0;
    this.#engine.here?.tasks.pump();
  };

  // --- the call that runs ---

  get isAnyRunning(): boolean {
    return running !== undefined;
  }

  /** Whether a call of this pool runs on the calling thread right now. */
  get isRunning(): boolean {
    return running === this;
  }

  begin(name: string): void {
    running = this; // eslint-disable-line @typescript-eslint/no-this-alias -- which one runs, among those of all pools
    this.name = name;
  }

  /** Inverse of `begin`. */
  end(): void {
    running = undefined;
  }

  /** Runs a function up to its return. Throws what it throws. */
  invoke(entry: Entry, args: readonly unknown[]): unknown {
    this.begin(entry.name);
    try {
      const result = entry.mayAskLater
        ? this.#module.enter(this.asked(), entry.run, args)
        : (0, entry.run)(...args); // without a `this`, as on workers
      this.isAwaited = isThenable(result);
      return result;
    } finally {
      this.end();
    }
  }

  /** The call that runs right now. */
  asked(): RunningCall {
    if (this.call === undefined) {
      if (this.id === 0) this.id = this.#engine.ledger.newId();
      this.call = this.#module.newCall(this.id, this.#newHost(this.name, this.run));
      try {
        // The context that `onTaskStart` returned, as it would arrive in a worker.
        this.call.context = isImmutable(this.context) ? this.context : this.#module.copy(this.context);
      } catch (error) {
        this.#engine.hooks.contextRefused(error);
      }
    }
    return this.call;
  }

  /** Takes the call that runs right now, which goes on after its function has returned. The caller of `take` has to end it. */
  take(): RunningCall {
    const call = this.asked();
    this.call = undefined;
    return call;
  }

  /** Ends the call, unless it was taken: its function has returned. */
  forget(): void {
    this.call?.end();
    this.call = undefined;
    this.id = 0;
    this.run = this.#engine.defaults;
    this.context = undefined;
  }

  /** The call that the code which asks belongs to. */
  current(): RunningCall | undefined {
    if (running === undefined) return this.#module.entered();
    return this.isRunning ? this.asked() : undefined;
  }

  #newHost(name: string, run: ResolvedRun): CallHost {
    const { ledger, parts } = this.#engine;
    return {
      workerId: NO_WORKER,
      now: () => parts.platform.now(),
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
          throw this.#module.copyError(error);
        }
      },
      find: (wanted) => this.#module.find(wanted),
      copy: (value, what) => this.#copy(value, what),
    };
  }

  // --- copying ---

  /** Throws ERR_NOT_CLONEABLE. */
  copyArguments(args: readonly unknown[]): readonly unknown[] {
    // `transfer` marks results. An argument with its mark is an object like others: it is copied within the list, where no mark counts.
    if (args.length === 1 && !this.#module.isMoved(args[0])) return [this.#copy(args[0], 'args', args)];
    return this.#copy(args, 'args') as readonly unknown[];
  }

  /** Returns a result as its caller gets it. Throws ERR_NOT_CLONEABLE. */
  copyResult(result: unknown, isPure: boolean): unknown {
    if (isImmutable(result) || (isPure && !this.#module.isMoved(result))) return result;
    return this.#copy(result, 'result');
  }

  /** @param root the value whose parts an error names, by `name` */
  #copy(value: unknown, name: string, root = value, transfer?: readonly unknown[]): unknown {
    try {
      return this.#module.copy(value, transfer);
    } catch (cause) {
      const moved = this.#module.isMoved(root) ? root : { value: root, list: transfer };
      throw notCloneable(cause, moved.value, name, moved.list, this.#engine.parts.platform.clone);
    }
  }
}
