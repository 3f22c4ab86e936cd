/** A task that is called by `pool.stream`: hands over what its iterable yields, in batches. Main's end: `core/calls/stream.ts`. */
import type { Instances, TaskFunction } from '../core/contracts.js';
import { STREAM_HOST, type Ticket } from '../core/calls/stream.js';
import { type AbortSignalLike, ONCE } from '../core/calls/signals.js';
import { show, ThreadwiseError } from '../core/options/errors.js';
import { isImmutable } from '../core/calls/payload.js';
import { currentTask, isTransferred, type TaskContext } from './current.js';

type Values = Iterable<unknown> | AsyncIterable<unknown>;

/** While a batch is under way, yielded values wait, to be sent together, until this many milliseconds after the last batch was sent. */
const LONGEST_WAIT_MS = 1;

/** Wraps a function: it hands over what its result yields, and returns nothing. Each value is packed as it is handed over. */
export function streamed(run: TaskFunction, instances: Instances | undefined): TaskFunction {
  return async (...given: unknown[]) => {
    const outbox = new Outbox(currentTask()!, given.pop() as Ticket);
    try {
      const args = instances?.unpackArguments(given) ?? given;
      for await (const value of valuesOf(await run(...args))) {
        outbox.put(value);
        if (!outbox.hasRoom) await outbox.until(() => outbox.hasRoom);
        if (!outbox.isWanted) return;
      }
    } finally {
      await outbox.end();
    }
  };
}

/** Throws ERR_NOT_ITERABLE if the task returned nothing that can be iterated. */
function valuesOf(result: unknown): Values {
  const source = (result ?? {}) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof (source[Symbol.asyncIterator] ?? source[Symbol.iterator]) === 'function')
    return result as Values;
  const message = `Expected the task to return an iterable, since it was called by pool.stream; got ${show(result)}`;
  throw new ThreadwiseError('ERR_NOT_ITERABLE', message);
}

/** The values that a task has yielded and main has not taken. */
class Outbox {
  /** Whether main takes more values. */
  isWanted = true;
  readonly #context: TaskContext;
  readonly #ticket: Ticket;
  #values: unknown[] = [];
  /** How many values were handed over, and how many of these main has not taken. */
  #sent = 0;
  #underWay = 0;
  #sentAt = 0;
  /** Why the task cannot go on: the reason of an abort, or the error of a batch. */
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(context: TaskContext, ticket: Ticket) {
    this.#context = context;
    this.#ticket = ticket;
    const signal = context.signal as AbortSignalLike;
    signal.addEventListener('abort', () => this.#fail(signal.reason), ONCE);
  }

  /** Throws ERR_NOT_CLONEABLE. */
  put(value: unknown): void {
    if (isTransferred(value)) {
      this.#send();
      this.#values.push(value.value);
      return this.#send(value.list); // a value that moves memory is sent at once, in a batch of its own
    }
    const goesNow = this.#underWay === 0 || Date.now() - this.#sentAt >= LONGEST_WAIT_MS;
    const isAlone = goesNow && this.#values.length === 0;
    // A value that waits is copied, since the task may change it. So is one that joins others: if it cannot cross, they are not lost with it.
    this.#values.push(isAlone || isImmutable(value) ? value : this.#context.copy(value));
    if (goesNow) this.#send();
  }

  get hasRoom(): boolean {
    const { aborted } = this.#context.signal as AbortSignalLike; // shows an abort also in code that never awaits
    return !aborted && !this.#failure && this.#size < this.#ticket.highWaterMark;
  }

  /** Resolves when main has taken all values, or wants no more. Rejects with what keeps them from being taken. */
  async end(): Promise<void> {
    if (!this.#failure) this.#send();
    await this.until(() => this.#size === 0);
  }

  get #size(): number {
    return this.#underWay + this.#values.length;
  }

  /** Resolves when `isSo` returns true, or main wants no more values. Rejects with what keeps the task from going on. */
  async until(isSo: () => boolean): Promise<void> {
    while (!this.#failure && this.isWanted && !isSo()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure) throw this.#failure.error;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #send(transfer?: readonly unknown[]): void {
    if (this.#values.length > 0) void this.#hand(this.#values, transfer).catch((error) => this.#fail(error));
  }

  async #hand(values: readonly unknown[], transfer?: readonly unknown[]): Promise<void> {
    const args = [this.#ticket.stream, this.#sent, values];
    this.#values = [];
    this.#sent += values.length;
    this.#underWay += values.length;
    this.#sentAt = Date.now();
    try {
      const isWanted = await this.#context.callHost(STREAM_HOST, args, transfer);
      this.#underWay -= values.length;
      this.isWanted &&= isWanted === true;
    } catch (error) {
      // If the value cannot be cloned, this throws with the path in the value, not in our arguments. An error of main's has the right path.
      if ((error as ThreadwiseError).path !== 'value') this.#context.copy(values[0]);
      throw error;
    }
    if (this.#underWay === 0) this.#send();
    this.#wake();
  }
}
