/**
 * The table of plain calls, which make one promise and no other object: what settles them is in arrays by slot, the cell of shared memory in which
 * a call crosses. A call that needs more (it is aborted, its worker dies) is inflated to a `Task`, from then on its only record.
 */
import type { PlainWay, TimerHandle, WorkerRecord } from '../contracts.js';
import type { Engine } from '../engine.js';
import { NO_PAYLOAD, type Payload } from './payload.js';
import type { ResolvedRun, RunOptions } from './run-options.js';
import { isList, isObject, MAX_TIMER_MS } from '../options/checks.js';
import { type AbortSignalLike, onAbort } from './signals.js';
import type { Ledger } from './ledger.js';
import type { Task } from './task.js';

type OpenCalls = Pick<Ledger, 'newId' | 'open' | 'settled' | 'size' | 'ranAcross'>;

/** What calls with other options than a timeout have. */
interface Own {
  readonly run: ResolvedRun;
  /** The slot of the last call that was entered with it. */
  slot?: number;
  /** Its record, once it has one. */
  task?: Task;
  unfollow?(): void;
}

/** Set by `keepResolve`: one function for all promises. */
export let resolveOfLast: Task['resolve'];
export const keepResolve = (resolve: Task['resolve']) => {
  resolveOfLast = resolve;
};

/** The timeout, if it is the only option of a call; 0: there are others, or something is wrong with them, which admission will say. */
function onlyTimeout(given: RunOptions): number {
  if (!isObject(given)) return 0;
  try {
    for (const key in given) if (key !== 'timeoutMs' || !Object.hasOwn(given, key)) return 0;
    const { timeoutMs } = given;
    return typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= MAX_TIMER_MS ? timeoutMs : 0;
  } catch {
    return 0; // it is a getter or a proxy that throws: the admission, which reads it again, rejects the call
  }
}

export class PlainCalls {
  size = 0;
  /** How long the task ran whose call is settled next. No argument: a fraction that is passed to a function becomes an object. Milliseconds. */
  runMs = 0;
  readonly #engine: Engine;
  readonly #ledger: OpenCalls;
  readonly #way: PlainWay;
  /** The function that settles the call in a slot; undefined where there is no call. Only `#take` clears it: a second end finds nothing. */
  readonly #resolves: (Task['resolve'] | undefined)[] = [];
  readonly #names: string[] = [];
  readonly #own: (Own | undefined)[] = [];
  #entering: AbortSignalLike | undefined;
  readonly #ids: Float64Array;
  readonly #submittedAt: Float64Array;
  /** For each slot: how long its task may run (0: no limit), and when to look whether it has run longer. Milliseconds. */
  readonly #timeoutMs: Float64Array;
  readonly #dueAt: Float64Array;
  /** Goes off when the first call is due, or was: the end of a call does not change the timer. */
  #timer: TimerHandle | undefined;
  #timerAt = 0;
  readonly #burstNow: () => number;
  /** Calls of one function that completed and have not been recorded. */
  #completed = 0;
  #completedMs = 0;
  #completedName = '';
  #now = 0;

  constructor(engine: Engine, way: PlainWay, ledger: OpenCalls) {
    this.#engine = engine;
    this.#ledger = ledger;
    this.#way = way;
    this.#burstNow = engine.parts.platform.burstNow;
    const { count } = way.cells;
    this.#ids = new Float64Array(count);
    this.#submittedAt = new Float64Array(count);
    this.#timeoutMs = new Float64Array(count);
    this.#dueAt = new Float64Array(count);
    way.cells.plain = this;
  }

  /**
   * Enters a call, and has workers take it. Undefined: the call needs a record; making that also says what is wrong with it. Longer than functions
   * that V8 inlines, which it would compile again into each of the callers. @param own instead of `given`
   */
  enter(name: unknown, args: unknown, given?: RunOptions, own?: Own): Promise<unknown> | undefined {
    const { admission, meter, parts, scaler, hooks, defaults, dispatch } = this.#engine;
    if (typeof name !== 'string' || name === '' || !isList(args)) return undefined;
    const timeoutMs = given === undefined ? (own?.run ?? defaults).timeoutMs : onlyTimeout(given);
    // The timeout may be a getter that has closed the pool.
    if (given !== undefined && (timeoutMs === 0 || !this.isOpen)) return undefined;
    const { limit } = admission;
    const isBounded = limit !== Number.POSITIVE_INFINITY;
    if (hooks.areCallsHeard || !dispatch.takesPlain || (isBounded && this.#ledger.size >= limit))
      return undefined;
    const began = meter.wantsSubmission(admission.isExploring(name)) ? parts.platform.now() : 0;
    const now = this.#burstNow(); // read before a worker is woken: that may get main's core at once, and run the task
    const id = this.#ledger.newId();
    let slot: number;
    try {
      slot = this.#way.enter(name, args, id);
    } catch {
      return undefined;
    }
    if (slot < 0) return undefined;
    parts.recorder.counts.submitted++;
    const promise = new Promise(keepResolve);
    this.#resolves[slot] = resolveOfLast;
    this.#names[slot] = name;
    this.#own[slot] = own;
    if (own !== undefined) own.slot = slot;
    this.#ids[slot] = id;
    this.#submittedAt[slot] = now;
    this.#timeoutMs[slot] = timeoutMs ?? 0;
    if (timeoutMs !== undefined) {
      this.#dueAt[slot] = now + timeoutMs;
      if (this.#timer === undefined || now + timeoutMs < this.#timerAt) this.#setTimer(now + timeoutMs, now);
    }
    if (++this.size === 1) this.#engine.lifecycle.updateKeepAlive();
    if (isBounded) this.#engine.room.taken();
    if (scaler.canGrow && dispatch.queued > 0) scaler.adjust();
    if (began > 0) meter.submitted(name, parts.platform.now() - began);
    return promise;
  }

  /** `enter` with options that pass `mayBePlain`. Throws what its signal throws, if that is of the user's own kind. */
  enterWith(name: string, args: readonly unknown[], run: ResolvedRun): Promise<unknown> | undefined {
    const { signal } = run;
    const own: Own = { run };
    // A call that needs a record follows its signal with that.
    if (signal === undefined || !this.#engine.dispatch.takesPlain)
      return this.enter(name, args, undefined, own);
    own.unfollow = onAbort(signal, () => {
      if (own.task !== undefined) this.#engine.canceller.aborted(own.task);
      else if (own.slot !== undefined && this.#own[own.slot] === own) this.inflate(own.slot, true);
    });
    const before = this.#entering;
    this.#entering = signal;
    const call = this.enter(name, args, undefined, own);
    this.#entering = before;
    if (call === undefined) own.unfollow();
    return call;
  }

  /** Whether calls are plain still, and the one that is being entered has not been aborted by a getter of its arguments. */
  get isOpen(): boolean {
    return this.#engine.admission.plain === this && this.#entering?.aborted !== true;
  }

  has(slot: number): boolean {
    return this.#resolves[slot] !== undefined;
  }

  idOf(slot: number): number {
    return this.#ids[slot]!;
  }

  /** A batch of ends follows: one look at the clock is enough for all of it. */
  beginBatch(): void {
    this.#now = this.#burstNow();
  }

  /** The call in a slot has completed. The slot may be given to another call before its caller hears of it. */
  completed(slot: number, value: unknown, by: WorkerRecord): void {
    const resolve = this.#take(slot);
    by.ran(Math.max(0, this.#now - this.#submittedAt[slot]! - this.runMs), this.runMs);
    const name = this.#names[slot]!;
    if (name !== this.#completedName) this.#record(name);
    this.#completed++;
    this.#completedMs += this.runMs;
    resolve(value);
  }

  failed(slot: number, error: unknown, by: WorkerRecord): void {
    this.#open(slot, NO_PAYLOAD).settle({ outcome: 'failed', error, runMs: this.runMs, by });
  }

  /** Records the calls that have completed, also those of a batch that has not ended, because somebody asks for the figures now. */
  recordEarly(): void {
    this.#way.settleUp();
    this.#record(this.#completedName);
  }

  endBatch(): void {
    this.#record(this.#completedName);
    this.#ledger.settled();
  }

  /** Records the calls that have completed, mostly all of one function. @param next the function that is counted from now on */
  #record(next: string): void {
    if (this.#completed > 0) {
      const name = this.#completedName;
      const { recorder } = this.#engine.parts;
      recorder.ended('completed', this.#completed, this.#now);
      recorder.functions.completed(name, this.#completed, this.#completedMs, false);
      this.#ledger.ranAcross(name, this.#completedMs / this.#completed, this.#now);
    }
    this.#completedName = next;
    this.#completed = 0;
    this.#completedMs = 0;
  }

  /** Makes a record for the call in a slot, which is no plain call any more. @param isAborted whether its signal aborts */
  inflate(slot: number, isAborted = false): Task {
    const task = this.#open(slot, this.#way.cells.payload(slot));
    this.#way.cells.keep(slot, task);
    this.#engine.canceller.takeOver(task, undefined, isAborted);
    return task;
  }

  /**
   * The record goes on following the signal of the call, at the same place among those that follow it: to listen anew may throw where the signal is
   * of the user's own kind.
   */
  #open(slot: number, payload: Payload): Task {
    const own = this.#own[slot];
    this.#own[slot] = undefined;
    const resolve = this.#take(slot);
    const { defaults } = this.#engine;
    const timeoutMs = this.#timeoutMs[slot]! || undefined;
    const run = own?.run ?? (timeoutMs === defaults.timeoutMs ? defaults : { ...defaults, timeoutMs });
    const [id, name, submittedAt] = [this.#ids[slot]!, this.#names[slot]!, this.#submittedAt[slot]!];
    const task = this.#ledger.open(id, name, payload, run, resolve, name, submittedAt);
    if (own !== undefined) {
      own.task = task;
      task.unwatch = own.unfollow;
    }
    return task;
  }

  inflateAll(): void {
    for (let slot = 0; this.size > 0 && slot < this.#resolves.length; slot++)
      if (this.has(slot)) this.inflate(slot);
  }

  close(): void {
    this.#timer?.cancel();
  }

  // --- timeouts: one timer serves all calls, which are looked through only when it goes off, so a timeout costs a call next to nothing ---

  #setTimer(dueAt: number, now: number): void {
    const { platform } = this.#engine.parts;
    this.#timer?.cancel();
    this.#timerAt = dueAt;
    this.#timer = platform.timer(Math.max(1, dueAt - now), () => {
      this.#timer = undefined;
      this.#lookAtAll(platform.now());
    });
  }

  /** A call that has begun gets a record, whose timeout is exact; a call that still waits is looked at again later. */
  #lookAtAll(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (let slot = 0; slot < this.#resolves.length; slot++) {
      if (this.#timeoutMs[slot] === 0 || !this.has(slot)) continue;
      if (this.#dueAt[slot]! <= now) {
        if (this.#way.cells.hasBegun(slot)) this.inflate(slot);
        else this.#dueAt[slot] = now + this.#timeoutMs[slot]!;
      }
      if (this.has(slot)) next = Math.min(next, this.#dueAt[slot]!);
    }
    if (next < Number.POSITIVE_INFINITY) this.#setTimer(next, now);
  }

  #take(slot: number): Task['resolve'] {
    const resolve = this.#resolves[slot];
    if (resolve === undefined) throw new Error(`threadwise: slot ${slot} has no plain call to settle`);
    this.#resolves[slot] = undefined;
    const own = this.#own[slot];
    if (own !== undefined) {
      this.#own[slot] = undefined;
      own.unfollow?.();
    }
    this.size--;
    return resolve;
  }
}
