/** Takes finished batches to where they belong: output or reducer, then the journal, then the counts. */

import type { Counts } from './counts.js';
import type { Failures } from './failures.js';
import type { Journal } from './journal/journal.js';
import { type FormatName, formats, joinTexts } from './output/format.js';
import type { Sink } from './output/sink.js';
import { type Reducer, ReducerError } from './reducer.js';
import type { BatchResult } from './work/batch.js';
import { describeError, errorLine } from './work/described-error.js';

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
  #counts: Counts;
  #hasText = false;
  /** Ordered output ends before the first failure that stops the run, as a loop would have ended there. */
  #isCut = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#counts = options.earlier;
  }

  get counts(): Counts {
    return this.#counts;
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
    this.#options.journal.record(this.#counts);
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
    if (isComplete) journal.complete(this.#counts);
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
    const { inputs, failed, bytes } = this.#counts;
    this.#counts = {
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
