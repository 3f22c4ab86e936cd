/**
 * Runs calls right here, within `run`, where the placement says so: nothing is queued, nothing crosses. At most for the
 * budget in each turn of the event loop; what comes after that crosses, as if there were no lane.
 */
import { rejected } from './caller-stack.js';
import type {
  CallAbout,
  ModuleHere,
  ModuleTraits,
  PlacedFunction,
  PlacementLearner,
  Platform,
  TaskFunction,
} from './contracts.js';
import type { Hooks } from './hooks.js';
import { LeaseStore } from './lease.js';
import type { Ledger } from './ledger.js';
import { isImmutable, notCloneable } from './payload.js';
import { isThenable, promised } from './promised.js';
import type { ResolvedRun } from './run-options.js';
import type { Tracing } from './tracing.js';
import type { UserCode } from './user-code.js';

export interface LaneContext {
  readonly poolName: string;
  readonly platform: Pick<Platform, 'now' | 'burstNow' | 'nextTurn' | 'clone'>;
  readonly ledger: Ledger;
  readonly hooks: Hooks;
  readonly tracing: Tracing;
  readonly module: ModuleHere;
  readonly learner: PlacementLearner;
  /** Of time in one turn. Milliseconds. */
  readonly budgetMs: number;
  isPaused(): boolean;
  callHost(name: string, args: readonly unknown[]): Promise<unknown>;
  readonly userCode: UserCode;
  report(error: unknown): void;
}

interface Entry {
  readonly run: TaskFunction;
  readonly learnt: PlacedFunction;
}

/** One call of so many is timed by itself, the others only together: reading the clock costs as much as a small task. */
const TIMED_EVERY = 16;
/** A call that was not timed by itself, and may have taken so long: the next one is. Milliseconds. */
const SUSPICIOUS_MS = 1;
/** One call of so many has its arguments and its result measured. */
const SIZED_EVERY = 64;

export class InlineLane {
  readonly #context: LaneContext;
  readonly #entries = new Map<string, Entry>();
  #isClosed = false;
  #calls = 0;
  #isTurnOpen = false;
  #turnBegan = 0;
  /** When the clock was last read in this turn. */
  #now = 0;
  /** The last call may have been long, and was not timed by itself. */
  #isSuspicious = false;
  readonly #aboutOf = (call: Call) => new About(this.#context, call);
  readonly #closeTurn = () => {
    this.#isTurnOpen = false;
  };

  constructor(context: LaneContext) {
    this.#context = context;
  }

  /** What a worker has said of the module, which it has loaded. */
  async open(traits: ModuleTraits): Promise<void> {
    const { learner, module, report } = this.#context;
    for (const [name, why] of traits.others) learner.of(name).forbid(why);
    for (const name of traits.functions) learner.of(name); // it is measured on threads, while it loads here
    if (traits.functions.length === 0) return;
    let functions: ReadonlyMap<string, TaskFunction>;
    try {
      functions = await module.load();
    } catch (error) {
      // It loads in workers: the pool goes on without this thread.
      report(error);
      const why = `the module cannot be loaded on the calling thread: ${String(error)}`;
      for (const name of traits.functions) learner.of(name).forbid(why);
      return;
    }
    if (this.#isClosed) return module.leave(); // while it was loaded
    for (const name of traits.functions) {
      const run = functions.get(name);
      if (run === undefined) continue;
      const learnt = learner.of(name);
      learnt.allow();
      this.#entries.set(name, { run, learnt });
    }
  }

  /** No call runs here any more. */
  close(): void {
    this.#isClosed = true;
    this.#entries.clear();
    this.#context.module.leave();
  }

  /** The function has returned a promise: it needs a thread of its own turn, not a part of this one's. */
  awaits(name: string): void {
    this.#context.learner.of(name).forbid('it returns a promise');
    this.#entries.delete(name);
  }

  /** Whether a call of that function, which is to cross, is worth measuring. */
  explores(name: string): boolean {
    return this.#entries.get(name)?.learnt.isExploring === true;
  }

  /** Runs the call; undefined: it is to cross. Never throws. */
  run(name: string, args: readonly unknown[], run: ResolvedRun): Promise<unknown> | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || !canRunHere(run)) return undefined;
    const { platform } = this.#context;
    const { learnt } = entry;
    if (this.#isTurnOpen && this.#now - this.#turnBegan >= this.#context.budgetMs) return undefined;
    if (!learnt.takesInline(this.#isTurnOpen ? this.#now : platform.burstNow())) return undefined;
    if (this.#context.isPaused() || args.some(isLease)) return undefined;
    const isTimed = !this.#isTurnOpen || this.#isSuspicious || this.#calls % TIMED_EVERY === 0;
    const began = isTimed ? platform.now() : this.#now;
    if (!this.#isTurnOpen) this.#openTurn(began);
    this.#calls++;
    let own: readonly unknown[];
    try {
      own = this.#copyArguments(args);
    } catch (error) {
      return rejected(error);
    }
    const { ledger } = this.#context;
    const id = ledger.newId();
    const context = this.#startTrace(name, id);
    ledger.runsHere(id, name);
    return this.#settle(entry, own, { id, name, context, run, began, isTimed });
  }

  #startTrace(name: string, taskId: number): unknown {
    const { tracing, poolName } = this.#context;
    return tracing.isOn ? tracing.start({ pool: poolName, taskId, name }) : undefined;
  }

  #openTurn(now: number): void {
    this.#isTurnOpen = true;
    this.#turnBegan = now;
    this.#context.platform.nextTurn(this.#closeTurn);
  }

  #settle({ run, learnt }: Entry, args: readonly unknown[], call: Call): Promise<unknown> {
    const { ledger, module } = this.#context;
    let value: unknown;
    let isFailed = false;
    try {
      const result = module.call(run, args, call, this.#aboutOf);
      if (isThenable(result)) return this.#await(result, call);
      value = this.#copyResult(result);
    } catch (thrown) {
      value = module.copyError(thrown);
      isFailed = true;
    }
    const now = this.#context.platform.now();
    const ms = call.isTimed ? now - call.began : undefined;
    this.#isSuspicious = !call.isTimed && now - this.#now > SUSPICIOUS_MS;
    this.#now = now;
    learnt.ranInline(ms, now);
    if (this.#calls % SIZED_EVERY === 1) learnt.sized(module.sizeOf(args), module.sizeOf([value]));
    const { id, name, context } = call;
    ledger.ranHere(
      id,
      name,
      context,
      isFailed ? 'failed' : 'completed',
      ms,
      now,
      isFailed ? value : undefined,
    );
    return isFailed ? rejected(value) : Promise.resolve(value);
  }

  /** Rare: the first time that a function does so which never did on a worker. */
  #await(result: PromiseLike<unknown>, call: Call): Promise<unknown> {
    const { ledger, module } = this.#context;
    this.awaits(call.name);
    const { promise, resolve } = promised<unknown>();
    const task = ledger.adopt(call.id, call.name, call.run, resolve, call.context);
    const runMs = () => this.#context.platform.now() - call.began;
    Promise.resolve(result)
      .then((value) => this.#copyResult(value))
      .then(
        (value) => task.settle({ outcome: 'completed', value, runMs: runMs() }),
        (error) => task.settle({ outcome: 'failed', error: module.copyError(error), runMs: runMs() }),
      );
    return promise;
  }

  #copyArguments(args: readonly unknown[]): readonly unknown[] {
    if (args.every(isImmutable)) return args;
    const { module, platform } = this.#context;
    try {
      return module.copy(args) as readonly unknown[];
    } catch (cause) {
      throw notCloneable(cause, args, 'args', [], platform.clone);
    }
  }

  #copyResult(result: unknown): unknown {
    if (isImmutable(result)) return result;
    try {
      return this.#context.module.copy(result);
    } catch (cause) {
      throw notCloneable(cause, result, 'result', [], this.#context.platform.clone);
    }
  }
}

interface Call {
  readonly id: number;
  readonly name: string;
  readonly context: unknown;
  readonly run: ResolvedRun;
  readonly began: number;
  readonly isTimed: boolean;
}

/** What the task's code can ask for: as it would arrive in a worker. */
class About implements CallAbout {
  readonly id: number;
  readonly context: unknown;
  readonly #lane: LaneContext;
  readonly #call: Call;

  constructor(lane: LaneContext, call: Call) {
    this.#lane = lane;
    this.#call = call;
    this.id = call.id;
    this.context = this.#copied(call.context);
  }

  #copied(context: unknown): unknown {
    try {
      return this.#lane.module.copy(context);
    } catch (error) {
      this.#lane.tracing.refused(error);
      return undefined;
    }
  }

  progress(value: unknown): void {
    const { hooks, poolName, report, module, userCode } = this.#lane;
    const { name, run } = this.#call;
    const copy = module.copy(value);
    hooks.emit('task:progress', { pool: poolName, taskId: this.id, name, value: copy });
    if (run.onProgress !== undefined) userCode.call(run.onProgress, [copy], report);
  }

  async callHost(name: string, args: unknown[]): Promise<unknown> {
    const { module, callHost } = this.#lane;
    return module.copy(await callHost(name, module.copy(args) as unknown[]));
  }
}

/** Nobody can end a call here before its time, nor is this one worker among others; and nothing needs to move. */
function canRunHere({ timeoutMs, key, transfer }: ResolvedRun): boolean {
  return timeoutMs === undefined && key === undefined && transfer.length === 0;
}

/** Only a crossing lends it. */
function isLease(value: unknown): boolean {
  return !isImmutable(value) && LeaseStore.of(value) !== undefined;
}
