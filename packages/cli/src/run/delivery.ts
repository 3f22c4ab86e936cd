/** Delivers finished batches: to the output, or to the reducer, which runs in the main thread; then to the journal and the counts. */
import { setImmediate } from 'node:timers/promises';
import { ExpectedError, UsageError } from '../exit-code.js';
import { cut, printable } from '../format/cut.js';
import type { Counts } from './inputs/input-source.js';
import { noJournal, openJournal } from './journal/journal.js';
import type { RunOptions } from './options.js';
import { formats } from './output/format.js';
import { openSink } from './output/sink.js';
import type { Plan } from './run.js';
import { isThenable } from './work/batch-runner.js';
import { type BatchResult, type DescribedError, MAX_LISTED } from './work/batch.js';
import { describeError, errorLine, shownJson, shownValue } from './work/described-error.js';
import { failsToLoad, importModule, namedFunction, settled, type TaskFunction } from './work/task-module.js';

/** For how many milliseconds values are folded before signals and the progress have a turn; guessed: Ctrl-C should seem to act at once. */
const LONGEST_TURN_MS = 50;

/** @param onFailure called at a failure that ends the run @param isStopped whether a signal has ended it */
export async function openDelivery(
  { options, resume, identity, out }: Plan,
  reducer: Reducer | undefined,
  failures: Failures,
  onFailure: () => void,
  isStopped: () => boolean,
) {
  const { format, ordered, stopsAtFailure } = options;
  // The journal is opened first: if that fails, the old output must still be there.
  const journal = options.journal === undefined ? noJournal : openJournal(options.journal, identity, resume);
  journal.check();
  const sink = await openSink(out, journal !== noJournal, resume.output, isStopped);
  journal.begin(sink);
  let counts: Counts = resume.counts;
  let hasText = false;
  /** Whether the output has ended: ordered output ends before the first failure that stops the run, as that of a loop would. */
  let isCut = false;
  return {
    counts: (): Counts => counts,
    take,
    end,
    close(): void {
      journal.close();
      sink.close();
    },
  };

  /** Takes results in the order in which they shall be written. */
  async function take(results: readonly BatchResult[]): Promise<void> {
    const wanted = results.filter(isWanted);
    if (wanted.length === 0) return;
    journal.check();
    const text = wanted.map((result) => result.text).join('');
    if (text !== '') {
      const { open, before } = formats[format];
      await sink.write(hasText ? text : open + text.slice(before.length));
      hasText = true;
    }
    for (const result of wanted) finish(result);
    journal.record(counts, sink);
    if (reducer === undefined) return;
    // The reducer runs after the record, so that a slow one never stands between a write and its record.
    let turn = performance.now();
    for (const value of wanted.flatMap(({ values }) => values)) {
      // A run that was stopped writes no value, so that nobody waits for the rest of the fold.
      if (isStopped()) return;
      await reducer.add(value);
      if (performance.now() - turn < LONGEST_TURN_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
  }

  /** Ends the output. @param isComplete whether every input was delivered */
  async function end(isComplete: boolean): Promise<void> {
    const { close, empty, render } = formats[format];
    // A fold over some of the inputs would look like one over all of them.
    if (reducer !== undefined && !isComplete) return;
    journal.check();
    await sink.write(
      reducer === undefined ? (hasText ? close : empty) : `${reducer.text(render, counts.failed > 0)}\n`,
    );
    sink.commit();
    if (isComplete) journal.record(counts, sink, { complete: true });
  }

  function isWanted(result: BatchResult): boolean {
    failures.note(result);
    if (isCut) return false;
    if (stopsAtFailure && result.failures.length > 0) {
      isCut = ordered;
      onFailure();
    }
    return true;
  }

  function finish({ batch, ran, failures: failed }: BatchResult): void {
    const succeeded = ran - failed.length;
    const count = stopsAtFailure ? succeeded : ran;
    journal.finish(batch, count);
    counts = {
      inputs: counts.inputs + count,
      failed: counts.failed + count - succeeded,
      bytes: batch.inputs.slice(0, count).reduce((sum, input) => sum + input.bytes, counts.bytes),
    };
  }
}

const MAX_INPUT_CHARACTERS = 160;
const MAX_MESSAGE_CHARACTERS = 600;
const MAX_STACK_LINES = 5;

/** Which inputs failed, in constant memory: the first ones in full, the others as a number. */
export class Failures {
  count = 0;
  readonly #listed: string[] = [];
  /** The stacks in the list: each is shown once. */
  readonly #stacks = new Set<string>();

  note({ batch, failures }: BatchResult): void {
    for (const { at, error } of failures) {
      this.count += 1;
      if (this.#listed.length < MAX_LISTED) this.#listed.push(this.#text(batch.inputs[at]!.value, error));
    }
  }

  /** Empty if no input failed. @param earlier how many failed in earlier runs of the journal */
  report(earlier: number): string {
    if (this.count + earlier === 0) return '';
    const all = this.count + earlier;
    const more = this.count - this.#listed.length;
    const lines = [`${all} ${all === 1 ? 'input' : 'inputs'} failed:`, ...this.#listed];
    if (more > 0) lines.push(`  and ${more} more`);
    if (earlier > 0)
      lines.push(`  ${this.count === 0 ? '' : 'and '}${earlier} in earlier runs of the journal`);
    return `${lines.join('\n')}\n`;
  }

  #text(input: unknown, { stack, ...error }: DescribedError): string {
    const message = printable(cut(errorLine(error), MAX_MESSAGE_CHARACTERS)).replaceAll('\n', '\n    ');
    // A name may have line breaks, which would look like lines of ours.
    const text = typeof input === 'string' && /\p{Cc}/u.test(input) ? shownJson(input) : shownValue(input);
    const line = `  ${printable(cut(text, MAX_INPUT_CHARACTERS))}: ${message}`;
    if (stack === undefined || this.#stacks.has(stack)) return line;
    this.#stacks.add(stack);
    const places = stack.split('\n', MAX_STACK_LINES);
    return line + places.map((place) => `\n      ${printable(cut(place, MAX_MESSAGE_CHARACTERS))}`).join('');
  }
}

/** Resolves to undefined without --reduce: then nothing is folded. */
export async function loadReducer(
  { module, reduce: name }: RunOptions,
  url: string,
): Promise<Reducer | undefined> {
  if (name === undefined) return undefined;
  const loaded = await settled(importModule(url), 'its top-level await').catch(failsToLoad(module, url));
  return createReducer(namedFunction(loaded, name, url), name);
}

type Reducer = ReturnType<typeof createReducer>;

/**
 * `(sum = 0, value) => …` has no required parameter: it has an initial value of its own, and is first called with undefined.
 * `(a, b) => …` has no initial value: the first result takes its place, as in `reduce` with one argument.
 */
export function createReducer(fold: TaskFunction, name: string) {
  const bringsInitial = fold.length === 0;
  let isEmpty = true;
  let sum: unknown;
  return { add, text };

  async function add(next: unknown): Promise<void> {
    try {
      const folded = isEmpty && !bringsInitial ? next : fold(sum, next);
      sum = isThenable(folded) ? await settled(folded, 'the promise that it returned') : folded;
    } catch (error) {
      throw new ExpectedError(`the reducer '${name}' failed: ${errorLine(describeError(error))}`);
    }
    isEmpty = false;
  }

  /** Renders the fold's result. @param hasFailures whether inputs have failed: if all have, there is no result, and that is no bad input */
  function text<T>(render: (value: unknown) => T, hasFailures: boolean): T {
    if (isEmpty && !bringsInitial)
      throw new (hasFailures ? ExpectedError : UsageError)(
        `nothing to reduce: '${name}' has no initial value (a default for its first parameter) and there was no result`,
      );
    try {
      return render(sum);
    } catch (error) {
      throw new ExpectedError(`the value of the fold cannot be written: ${errorLine(describeError(error))}`);
    }
  }
}
