/** What the function does beside computing: it is called with each input, twice with some, and looked at. */
import { isDeepStrictEqual } from 'node:util';
import v8 from 'node:v8';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { type Note, serveSteps } from '../../../experiment/serve.js';
import { loadSubject, type Subject, type SubjectReference } from './subject.js';
import { bytesOf, bytesPassed, isThenable, standalone, uncloneable } from './values.js';
import { watchParent } from './watchdog.js';

interface BehaviourSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  /** After that no further input is begun. */
  readonly shareMs: number;
}

/** What is known of the function's behaviour, beside whether its process survives. */
export interface BehaviourReport {
  /** The export's own name, also where none was given. */
  readonly export: string;
  readonly hasSetup: boolean;
  readonly returnsPromise: boolean;
  readonly calls: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly repeats: 'same' | 'different' | 'unknown';
  readonly changesItsArgument: boolean;
  readonly uncloneableResult: string | undefined;
  readonly coldMs: number | undefined;
  /** Of each input that was tried, in order: its warmest call; undefined: it failed. */
  readonly inputMs: readonly (number | undefined)[];
  readonly bytesIn: readonly number[];
  readonly bytesOut: readonly number[];
  /** Of the first call that succeeded, if it can cross. */
  readonly result: unknown;
}

/** So many inputs are given a second time: to be compared, and because the second call is warmer. */
const REPEATED = 5;
/** A larger result is not sent to be used as a pattern. Bytes. */
const MAX_PATTERN_BYTES = 64 * 2 ** 20;

export const open = async (setup: BehaviourSetup, note: Note) => {
  await watchParent();
  const observer = new Observer(await loadSubject(setup.subject), setup.subject.passing, note);
  const end = performance.now() + setup.shareMs;
  await observer.tryAll(setup.inputs.map(standalone), end);
  return { opened: observer.report() };
};

type Attempt = { readonly ms: number } & ({ readonly value: unknown } | { readonly error: string });

class Observer {
  readonly #subject: Subject;
  readonly #passing: Passing;
  readonly #note: Note;
  #calls = 0;
  #failed = 0;
  #firstFailure: string | undefined;
  #returnsPromise = false;
  #changesItsArgument = false;
  #uncloneableResult: string | undefined;
  #repeats: BehaviourReport['repeats'] = 'unknown';
  #coldMs: number | undefined;
  readonly #inputMs: (number | undefined)[] = [];
  readonly #bytesIn: number[] = [];
  readonly #bytesOut: number[] = [];
  #pattern: { readonly value: unknown } | undefined;

  constructor(subject: Subject, passing: Passing, note: Note) {
    this.#subject = subject;
    this.#passing = passing;
    this.#note = note;
  }

  /** Until all were tried or the time is over; the first one in any case. */
  async tryAll(inputs: readonly unknown[], end: number): Promise<void> {
    for (const [i, input] of inputs.entries()) {
      if (i > 0 && performance.now() > end) break;
      const first = await this.#attempt(input);
      this.#coldMs ??= first.ms;
      const bytes = bytesPassed(input, this.#passing);
      if (bytes !== undefined) this.#bytesIn.push(bytes);
      if (!('value' in first)) {
        this.#inputMs.push(undefined);
        continue;
      }
      this.#look(first.value);
      const again = i < REPEATED ? await this.#attempt(input) : undefined;
      if (again !== undefined) this.#compare(first, again);
      this.#inputMs.push(Math.min(first.ms, again?.ms ?? Number.POSITIVE_INFINITY));
    }
  }

  report(): BehaviourReport {
    return {
      export: this.#subject.name,
      hasSetup: this.#subject.hasSetup,
      returnsPromise: this.#returnsPromise,
      calls: this.#calls,
      failed: this.#failed,
      firstFailure: this.#firstFailure,
      repeats: this.#repeats,
      changesItsArgument: this.#changesItsArgument,
      uncloneableResult: this.#uncloneableResult,
      coldMs: this.#coldMs,
      inputMs: this.#inputMs,
      bytesIn: this.#bytesIn,
      bytesOut: this.#bytesOut,
      result: this.#pattern?.value,
    };
  }

  /** With a copy: the function may change it, and is to get the same when it is called again. */
  async #attempt(input: unknown): Promise<Attempt> {
    // Whatever this call does to the process: that much is known.
    await this.#note({ ...this.report(), inputMs: [], bytesIn: [], bytesOut: [], result: undefined });
    const own = structuredClone(input);
    let given: readonly unknown[] | undefined;
    this.#calls += 1;
    const begin = performance.now();
    try {
      given = argumentsOf(own, this.#passing);
      const pending = this.#subject.call(...given);
      const isPending = isThenable(pending);
      this.#returnsPromise ||= isPending;
      const value = isPending ? await pending : pending;
      return { ms: performance.now() - begin, value };
    } catch (error) {
      const ms = performance.now() - begin;
      this.#failed += 1;
      const line = errorLine(describeError(error));
      this.#firstFailure ??= line;
      return { ms, error: line };
    } finally {
      this.#changesItsArgument ||= given !== undefined && this.#hasChanged(given, input);
    }
  }

  #hasChanged(given: readonly unknown[], input: unknown): boolean {
    try {
      return !isDeepStrictEqual(given, argumentsOf(pristine(input), this.#passing));
    } catch {
      return false; // The file has gone: the next call says so.
    }
  }

  #look(value: unknown): void {
    this.#uncloneableResult ??= uncloneable(value);
    const bytes = this.#uncloneableResult === undefined ? bytesOf(value) : undefined;
    if (bytes === undefined) return;
    this.#bytesOut.push(bytes);
    if (this.#pattern === undefined && bytes <= MAX_PATTERN_BYTES && canBeSent(value)) {
      this.#pattern = { value };
    }
  }

  #compare(first: { readonly value: unknown }, again: Attempt): void {
    if (this.#uncloneableResult !== undefined) return;
    if (!('value' in again) || !isDeepStrictEqual(first.value, again.value)) this.#repeats = 'different';
    else if (this.#repeats === 'unknown') this.#repeats = 'same';
  }
}

/** The argument was a clone, so it is compared with one: what cloning does to a value is not the function's doing. */
function pristine(input: unknown): unknown {
  return typeof input === 'object' && input !== null ? structuredClone(input) : input;
}

function canBeSent(value: unknown): boolean {
  try {
    v8.serialize(value);
    return true;
  } catch {
    return false;
  }
}

serveSteps(open);
