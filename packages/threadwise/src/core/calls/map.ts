/** Runs a task on every item of an input, with backpressure: reads no further than results are taken. */
import { withCallerStack } from './caller-stack.js';
import { integer, record, reject, text } from '../options/checks.js';
import { ThreadwiseError } from '../options/errors.js';
import { mayBePlain, type ResolvedRun, type RunOptions, resolveRun, runKeysBut } from './run-options.js';
import type { Platform } from '../contracts.js';
import type { Engine } from '../engine.js';
import { AbortController, type AbortSignalLike, follow, ONCE } from './signals.js';

/** Options of `pool.map`: those of a call, and how many calls may be open. */
export interface MapOptions extends Omit<RunOptions, 'transfer'> {
  /** Items read whose results have not been taken. Default: four for each task that can run at once, at least 64. */
  concurrency?: number | undefined;
  /** Results in the order of the input (default), or as they come. */
  ordered?: boolean | undefined;
}

export type Inputs<T> = Iterable<T> | AsyncIterable<T>;

export interface MapHost {
  /** Waits for room in the queue, or until the signal aborts. Undefined: there is room for a call that is made now. */
  room(signal: AbortSignalLike): Promise<void> | undefined;
  /** Whether a call that is made now would be refused, since others have taken the place that was waited for. */
  isFull(): boolean;
  submit(item: unknown, signal: AbortSignalLike): Promise<unknown>;
}

/** `pool.map`. Its calls are plain ones where that can be. Throws ERR_OPTION. */
export function mapped(engine: Engine, given: unknown, items: unknown, options: unknown) {
  const { room, admission, scaler, parts, defaults } = engine;
  const name = text('name', given);
  const usual = Math.max(64, 4 * scaler.bounds.max * parts.options.tasksPerWorker);
  const { run: own, ...mapping } = resolveMap(options, usual, defaults, parts.platform);
  let run: ResolvedRun | undefined;
  const host: MapHost = {
    room: (signal) => (room.take() ? undefined : room.wait(signal)),
    isFull: () => admission.freePlaces() <= 0,
    submit(item, signal) {
      run ??= { ...own, signal };
      const call = mayBePlain(run) ? engine.plain?.enterWith(name, [item], run) : undefined;
      return call ?? admission.enter(name, [item], run);
    },
  };
  const iterator = iteratorOf(items as Inputs<unknown>);
  return new Mapping(host, iterator, { ...mapping, signal: own.signal }).results();
}

/** How many items are read at a time while there are results to give: an idle worker is woken once for all of them. Chosen by hand. */
const BURST = 32;

const KEYS = ['concurrency', 'ordered', ...runKeysBut('transfer')];

/** Splits and checks the options of a map. Throws ERR_OPTION. */
export function resolveMap(given: unknown = {}, usual: number, defaults: ResolvedRun, platform: Platform) {
  const { concurrency = usual, ordered = true, ...run } = record('options', given, KEYS) as MapOptions;
  integer('concurrency', concurrency, 1, Number.MAX_SAFE_INTEGER);
  if (typeof ordered !== 'boolean') reject('ordered', 'true or false', ordered);
  // A window that is narrower than usual is filled place by place. The usual one has at least twice as many places as a burst, so half of it stays full.
  const burst = concurrency < usual ? 1 : BURST;
  return { concurrency, burst, ordered, run: resolveRun(run, defaults, platform) };
}

export function iteratorOf<T>(items: Inputs<T>): Iterator<T> | AsyncIterator<T> {
  const source = (items ?? {}) as Partial<Iterable<T> & AsyncIterable<T>>;
  const asynchronous = source[Symbol.asyncIterator];
  if (typeof asynchronous === 'function') return asynchronous.call(items as AsyncIterable<T>);
  const synchronous = source[Symbol.iterator];
  if (typeof synchronous === 'function') return synchronous.call(items as Iterable<T>);
  return reject('items', 'an iterable or an async iterable', items);
}

interface Cell {
  /** The number of the item in the input, from 0. */
  readonly index: number;
  state: 'open' | 'done' | 'failed';
  value: unknown;
}

interface Options {
  readonly concurrency: number;
  /** How many items are read at a time while there are results to give. Default 1. */
  readonly burst?: number;
  readonly ordered: boolean;
  readonly signal: AbortSignalLike | undefined;
}

export class Mapping {
  readonly #host: MapHost;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #options: Options;
  readonly #controller = new AbortController();
  readonly #cancelled = this.#controller.signal;
  /** The items whose results are to be given next. If ordered: all that were read, in the order of the input; else those that have ended. */
  readonly #next: Cell[] = [];
  #readCount = 0;
  #takenCount = 0;
  /** waiting: for room. reading: the input is asked for its next item. */
  #input: 'idle' | 'waiting' | 'reading' | 'ended' = 'idle';
  #inputError: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(host: MapHost, iterator: Iterator<unknown> | AsyncIterator<unknown>, options: Options) {
    this.#host = host;
    this.#iterator = iterator;
    this.#options = options;
    this.#cancelled.addEventListener('abort', () => this.#wake(), ONCE);
  }

  /** The results. Leaving early cancels the calls that are open and closes the input. */
  async *results(): AsyncGenerator<unknown, void, void> {
    const unfollow = follow(this.#options.signal, this.#controller);
    try {
      for (;;) {
        if (this.#isDue) void this.#read();
        if (this.#hasResult) {
          const { state, value, index } = this.#next.shift()!;
          this.#takenCount++;
          if (state === 'failed') throw withCallerStack(value, `item ${index} of the map, counted from 0`);
          yield value;
        } else if (this.#inputError) throw this.#inputError.error;
        else if (this.#cancelled.aborted && this.#untaken === 0) {
          const { reason: cause } = this.#cancelled;
          throw new ThreadwiseError('ERR_TASK_ABORTED', 'The map was aborted', { cause });
        } else if (this.#input === 'ended' && this.#untaken === 0) return;
        else await new Promise<void>((resolve) => void (this.#wake = resolve));
      }
    } catch (error) {
      await this.#leave().catch(() => undefined); // as in `for of`, the first error counts
      throw error;
    } finally {
      unfollow();
      await this.#leave();
    }
  }

  get #hasResult(): boolean {
    return this.#next.length > 0 && this.#next[0]!.state !== 'open';
  }

  /** Items whose results have not been taken. */
  get #untaken(): number {
    return this.#readCount - this.#takenCount;
  }

  /** Whether items are to be read now, if there may be more. */
  get #isDue(): boolean {
    const { concurrency, burst = 1 } = this.#options;
    return !this.#hasResult || this.#untaken <= concurrency - burst;
  }

  /** Reads items and submits them until there are enough. */
  async #read(): Promise<void> {
    if (this.#input !== 'idle') return;
    try {
      while (this.#untaken < this.#options.concurrency && !this.#cancelled.aborted) {
        this.#input = 'waiting';
        const room = this.#host.room(this.#cancelled);
        if (room !== undefined) await room;
        if (this.#cancelled.aborted) return;
        this.#input = 'reading';
        const next = this.#iterator.next();
        const { done, value } = 'then' in next ? await next : next;
        if (done) return this.#ended();
        // Others may have taken the place since: while the item was awaited, or just before this went on.
        while (!this.#cancelled.aborted && this.#host.isFull()) {
          this.#input = 'waiting';
          await this.#host.room(this.#cancelled);
        }
        if (this.#cancelled.aborted) return;
        this.#submit(value);
      }
      this.#input = 'idle';
    } catch (error) {
      this.#inputError = { error };
      this.#ended();
    }
  }

  #ended(): void {
    this.#input = 'ended';
    this.#wake();
  }

  #submit(item: unknown): void {
    const cell: Cell = { index: this.#readCount++, state: 'open', value: undefined };
    const { ordered } = this.#options;
    if (ordered) this.#next.push(cell);
    const settled = (state: 'done' | 'failed', value: unknown) => {
      cell.state = state;
      cell.value = value;
      if (!ordered) this.#next.push(cell);
      this.#wake();
    };
    this.#host.submit(item, this.#cancelled).then(
      (value) => settled('done', value),
      (error) => settled('failed', error),
    );
  }

  async #leave(): Promise<void> {
    const isReading = this.#input === 'reading';
    this.#controller.abort(new Error('The map was left early'));
    if (this.#input === 'ended') return;
    this.#input = 'ended';
    const closed = this.#iterator.return?.();
    // An input that is being read may never answer; its `return` would wait behind that.
    if (isReading) Promise.resolve(closed).catch(() => undefined);
    else await closed;
  }
}
