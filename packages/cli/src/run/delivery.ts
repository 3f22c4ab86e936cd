/** Takes finished batches to where they belong: output or reducer (folded in the main thread, by the rule of Array.prototype.reduce), then the journal, then the counts. */
import { ExpectedError, UsageError } from '../exit-code.js';
import type { Counts } from './inputs/input-source.js';
import type { Journal } from './journal/journal.js';
import { type FormatName, formats, joinTexts } from './output/format.js';
import type { Sink } from './output/sink.js';
import { type BatchResult, type DescribedError, MAX_LISTED } from './work/batch.js';
import { cut, describeError, errorLine, shownValue } from './work/described-error.js';
import { importModule, namedFunction, type TaskFunction } from './work/task-module.js';

export interface DeliveryOptions {
  readonly sink: Sink;
  readonly journal: Journal;
  readonly failures: Failures;
  readonly format: FormatName;
  readonly reducer: Reducer | undefined;
  readonly ordered: boolean;
  readonly stopsAtFailure: boolean;
  /** What earlier runs of the journal have delivered. */
  readonly earlier: Counts;
  /** Called at a failure that ends the run. */
  readonly onFailure: () => void;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  /** Up to now; only read elsewhere. */
  counts: Counts;
  #hasText = false;
  /** Ordered output ends before the first failure that stops the run, as a loop would have ended there. */
  #isCut = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.counts = options.earlier;
  }

  /** In the order in which they shall be written. */
  async take(results: readonly BatchResult[]): Promise<void> {
    const wanted = results.filter((result) => this.#isWanted(result));
    if (wanted.length === 0) return;
    await this.#write(
      joinTexts(
        this.#options.format,
        wanted.map(({ text }) => text),
      ),
    );
    for (const result of wanted) this.#finish(result);
    this.#options.journal.record(this.counts);
    // Behind the record, so that a slow reducer never stands between a write and its record.
    for (const { values } of wanted) for (const value of values) await this.#options.reducer?.add(value);
  }

  /** Ends the output. `isComplete`: every input was delivered. */
  async end(isComplete: boolean): Promise<void> {
    const { reducer, sink, journal, format } = this.#options;
    if (reducer === undefined)
      await sink.write(this.#hasText ? formats[format].close : formats[format].empty);
    // A fold over some of the inputs would look like one over all of them.
    else if (isComplete) await sink.write(finalText(format, reducer));
    this.#keep(isComplete);
    if (isComplete) journal.complete(this.counts);
  }

  /** Bad input ended the reading: what came before it is the output. */
  cut(): void {
    this.#keep(false);
  }

  /** Without the value of the fold there is nothing to keep. */
  #keep(isComplete: boolean): void {
    if (this.#options.reducer === undefined || isComplete) this.#options.sink.commit();
  }

  #isWanted(result: BatchResult): boolean {
    this.#options.failures.note(result);
    if (this.#isCut) return false;
    if (this.#options.stopsAtFailure && result.failures.length > 0) {
      this.#isCut = this.#options.ordered;
      this.#options.onFailure();
    }
    return true;
  }

  async #write(text: string): Promise<void> {
    if (text === '') return;
    const { open, between } = formats[this.#options.format];
    await this.#options.sink.write((this.#hasText ? between : open) + text);
    this.#hasText = true;
  }

  #finish({ batch, ran, failures }: BatchResult): void {
    const skipped = this.#options.stopsAtFailure ? 0 : failures.length;
    const count = this.#options.stopsAtFailure ? ran - failures.length : ran;
    this.#options.journal.finish(batch, count);
    const { inputs, failed, bytes } = this.counts;
    this.counts = {
      inputs: inputs + count,
      failed: failed + skipped,
      bytes: bytes + batch.inputs.slice(0, count).reduce((sum, input) => sum + input.bytes, 0),
    };
  }
}

function finalText(format: FormatName, reducer: Reducer): string {
  const value = reducer.value();
  try {
    return `${formats[format].render(value)}\n`;
  } catch (error) {
    throw new ReducerError(`the value of the fold cannot be written: ${errorLine(describeError(error))}`);
  }
}

const MAX_INPUT_CHARACTERS = 160;
const MAX_MESSAGE_CHARACTERS = 600;
const MAX_STACK_LINES = 5;

/** Which inputs failed, in constant memory: the first ones in full, the others as a number. */
export class Failures {
  count = 0;
  readonly #listed: string[] = [];
  /** Of the listed ones: the same place is told once. */
  readonly #stacks = new Set<string>();

  note({ batch, failures }: BatchResult): void {
    for (const { at, error } of failures) {
      this.count += 1;
      if (this.#listed.length < MAX_LISTED) this.#listed.push(this.#text(batch.inputs[at]!.value, error));
    }
  }

  /** Empty if there was none. `earlier`: those of former runs of the journal, known only as a number. */
  report(earlier: number): string {
    if (this.count + earlier === 0) return '';
    const more = this.count - this.#listed.length;
    return [
      `${inputs(this.count + earlier)} failed:`,
      ...this.#listed,
      ...(more > 0 ? [`  and ${more} more`] : []),
      ...(earlier > 0
        ? [`  ${this.count === 0 ? '' : 'and '}${earlier} in earlier runs of the journal`]
        : []),
      '',
    ].join('\n');
  }

  #text(input: unknown, error: DescribedError): string {
    const message = cut(errorLine(error), MAX_MESSAGE_CHARACTERS).replaceAll('\n', '\n    ');
    const line = `  ${cut(shownValue(input), MAX_INPUT_CHARACTERS)}: ${message}`;
    const { stack } = error;
    if (stack === undefined || this.#stacks.has(stack)) return line;
    this.#stacks.add(stack);
    const places = stack.split('\n').slice(0, MAX_STACK_LINES);
    return [line, ...places.map((place) => `      ${cut(place, MAX_MESSAGE_CHARACTERS)}`)].join('\n');
  }
}

function inputs(count: number): string {
  return `${count} ${count === 1 ? 'input' : 'inputs'}`;
}

export type Reducer = ReturnType<typeof createReducer>;

export class ReducerError extends ExpectedError {
  override readonly name = 'ReducerError';
}

/** Undefined without a name: nothing is folded. */
export async function loadReducer(url: string, name: string | undefined): Promise<Reducer | undefined> {
  return name === undefined
    ? undefined
    : createReducer(namedFunction(await importModule(url), name, url), name);
}

/**
 * `(sum = 0, value) => …` has no required parameter: it brings its initial value, and is called with undefined first.
 * `(a, b) => …` has not: the first result is the initial value, as in `reduce` with one argument.
 */
export function createReducer(fold: TaskFunction, name: string) {
  const bringsInitial = fold.length === 0;
  let isEmpty = true;
  let sum: unknown;
  return {
    async add(value: unknown): Promise<void> {
      if (isEmpty && !bringsInitial) sum = value;
      else sum = await called(fold, name, sum, value);
      isEmpty = false;
    },
    /** The fold's result. Throws if there is none. */
    value(): unknown {
      if (!isEmpty || bringsInitial) return sum;
      throw new UsageError(
        `nothing to reduce: '${name}' has no initial value (a default for its first parameter) and there was no result`,
      );
    },
  };
}

async function called(fold: TaskFunction, name: string, sum: unknown, value: unknown): Promise<unknown> {
  try {
    return await fold(sum, value);
  } catch (error) {
    throw new ReducerError(`the reducer '${name}' failed: ${errorLine(describeError(error))}`);
  }
}
