/**
 * The table of plain calls: open calls of which only what settles them is kept, in arrays by slot, so that such a call makes one
 * promise and no other object. A slot is the cell of shared memory in which the call crosses. Whoever asks for more than a plain
 * call has (a signal, a worker that dies, a listener) has it inflated to a `Task`, and from then on that is the call's only record.
 */
import { rejectWithCaller } from './caller-stack.js';
import type { PlainWay, Platform, WorkerRecord } from '../contracts.js';
import { Deadlines } from './deadlines.js';
import type { Task } from './task.js';

type Resolve = (value: unknown) => void;

/** Set by `keepResolve`, which a Promise calls before its constructor returns: one function for all calls. */
let resolveOfLast: Resolve;
const keepResolve = (resolve: Resolve) => {
  resolveOfLast = resolve;
};

/** All that is known of a plain call. */
export interface PlainCall {
  readonly slot: number;
  readonly id: number;
  readonly name: string;
  readonly submittedAt: number;
  readonly timeoutMs: number | undefined;
  readonly resolve: Resolve;
}

export interface PlainCallsContext {
  readonly platform: Pick<Platform, 'burstNow' | 'now' | 'timer'>;
  /** Cells of shared memory, and workers that look there. */
  readonly way: PlainWay;
  /** The id of a call that is about to be entered; it is counted as submitted. */
  submit(): number;
  /** Makes the record of a call that is more than plain from now on. */
  inflate(call: PlainCall): Task;
  /** Tells what is measured of a call that ended. */
  recordEnd(outcome: 'completed' | 'failed', count: number, now: number): void;
}

export class PlainCalls {
  /** The number of open plain calls. */
  size = 0;
  /**
   * How many milliseconds the task of the call ran that is settled next. A field and no argument: a fraction that is passed to a
   * function becomes an object wherever the compiler does not inline that function.
   */
  runMs = 0;
  readonly #context: PlainCallsContext;
  readonly #way: PlainWay;
  /** The function that settles the call in a slot; undefined where there is no call. Only `#take` clears it: a second end finds nothing. */
  readonly #resolves: (Resolve | undefined)[];
  readonly #names: string[];
  readonly #ids: Float64Array;
  readonly #submittedAt: Float64Array;
  readonly #deadlines: Deadlines;
  readonly #burstNow: () => number;
  /** Calls that completed and have not been recorded. */
  #completed = 0;
  #now = 0;

  constructor(context: PlainCallsContext) {
    const { way, platform } = context;
    this.#context = context;
    this.#way = way;
    this.#burstNow = platform.burstNow;
    this.#resolves = [];
    this.#names = [];
    this.#ids = new Float64Array(way.slots);
    this.#submittedAt = new Float64Array(way.slots);
    this.#deadlines = new Deadlines(way.slots, platform, (slot) => this.#isDue(slot));
    way.attach(this);
  }

  /**
   * Enters a call, and has workers take it. Undefined: it has to be entered with a record, which also says what is wrong with it.
   * @param timeoutMs how long the task may run, in milliseconds; undefined: as long as it likes
   */
  enter(name: string, args: readonly unknown[], timeoutMs: number | undefined): Promise<unknown> | undefined {
    let slot: number;
    try {
      slot = this.#way.capturePlain(name, args);
    } catch {
      return undefined;
    }
    if (slot < 0) return undefined;
    const id = this.#context.submit();
    const promise = new Promise(keepResolve);
    this.#resolves[slot] = resolveOfLast;
    this.#names[slot] = name;
    this.#ids[slot] = id;
    this.#submittedAt[slot] = this.#burstNow();
    if (timeoutMs !== undefined) this.#deadlines.add(slot, timeoutMs, this.#submittedAt[slot]!);
    this.size++;
    this.#way.offerPlain(slot, id);
    return promise;
  }

  has(slot: number): boolean {
    return this.#resolves[slot] !== undefined;
  }

  /** The id of the call in a slot that `has` one. */
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
    this.#completed++;
    resolve(value);
  }

  failed(slot: number, error: unknown, by: WorkerRecord): void {
    const resolve = this.#take(slot);
    by.ran(Math.max(0, this.#now - this.#submittedAt[slot]! - this.runMs), this.runMs);
    this.#context.recordEnd('failed', 1, this.#now);
    rejectWithCaller(resolve, error);
  }

  /** Inverse of `beginBatch`: records what has completed since. */
  endBatch(): void {
    if (this.#completed === 0) return;
    const count = this.#completed;
    this.#completed = 0;
    this.#context.recordEnd('completed', count, this.#now);
  }

  /** The record of the call in a slot, which is no plain call any more. */
  inflate(slot: number): Task {
    const timeoutMs = this.#deadlines.remove(slot);
    const resolve = this.#take(slot);
    const [id, name, submittedAt] = [this.#ids[slot]!, this.#names[slot]!, this.#submittedAt[slot]!];
    return this.#context.inflate({ slot, id, name, submittedAt, timeoutMs, resolve });
  }

  inflateAll(): void {
    for (let slot = 0; this.size > 0 && slot < this.#resolves.length; slot++) {
      if (this.#resolves[slot] !== undefined) this.inflate(slot);
    }
  }

  close(): void {
    this.#deadlines.close();
  }

  /** A call that has begun gets a record, whose timeout is exact; a call that still waits is looked at again later. */
  #isDue(slot: number): boolean {
    if (!this.#way.hasBegun(slot)) return false;
    this.inflate(slot);
    return true;
  }

  #take(slot: number): Resolve {
    const resolve = this.#resolves[slot];
    if (resolve === undefined) throw new Error(`threadwise: slot ${slot} has no plain call to settle`);
    this.#resolves[slot] = undefined;
    if (this.#deadlines.size > 0) this.#deadlines.remove(slot);
    this.size--;
    return resolve;
  }
}
