/** What the function does beside computing: it is called with each input, twice with some, and looked at. */
import { isDeepStrictEqual } from 'node:util';
import v8 from 'node:v8';
import { type Note, serveSteps } from '../../../experiment/serve.js';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import type { Behaviour } from '../rules/samples.js';
import { isThenable } from '../../../run/work/batch-runner.js';
import { loadSubject, type Subject, type SubjectReference } from './subject.js';
import { bytesOf, bytesPassed, classesIn, standalone, uncloneable } from './values.js';
import { watchParent } from './watchdog.js';

interface BehaviourSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  /** After that no further input is begun. */
  readonly shareMs: number;
}

type Seen = Pick<Behaviour, 'returnsPromise' | 'repeats' | 'changesItsArgument' | 'hasSetup'>;

/** What is known of the function's behaviour, beside whether its process survives. */
class Report {
  /** The export's own name, also where none was given. */
  readonly export: string;
  readonly seen: { -readonly [K in keyof Seen]: Seen[K] };
  readonly failures = { calls: 0, failed: 0, first: undefined as string | undefined };
  uncloneableResult: string | undefined;
  /** Of instances in results. */
  plainClasses: string[] = [];
  coldMs: number | undefined;
  /** Of each input that was tried, in order: its warmest call; undefined: it failed. */
  readonly inputMs: (number | undefined)[] = [];
  readonly bytesIn: number[] = [];
  readonly bytesOut: number[] = [];
  /** Of the first call that succeeded, if it can cross. */
  result: unknown;

  constructor({ name, hasSetup }: Subject) {
    this.export = name;
    this.seen = { returnsPromise: false, repeats: 'unknown', changesItsArgument: false, hasSetup };
  }
}

export type BehaviourReport = Readonly<Report>;

/** So many inputs are given a second time: to be compared, and because the second call is warmer. */
const REPEATED = 5;
/** A larger result is not sent to be used as a pattern. Bytes. */
const MAX_PATTERN_BYTES = 64 * 2 ** 20;

export const open = async (setup: BehaviourSetup, note: Note): Promise<{ opened: BehaviourReport }> => {
  await watchParent();
  const observer = new Observer(await loadSubject(setup.subject), setup.subject.passing, note);
  const end = performance.now() + setup.shareMs;
  await observer.tryAll(setup.inputs.map(standalone), end);
  return { opened: { ...observer.report } };
};

type Attempt = { readonly ms: number } & ({ readonly value: unknown } | { readonly error: string });

class Observer {
  readonly report: Report;
  readonly #subject: Subject;
  readonly #passing: Passing;
  readonly #note: Note;
  #hasPattern = false;

  constructor(subject: Subject, passing: Passing, note: Note) {
    this.report = new Report(subject);
    this.#subject = subject;
    this.#passing = passing;
    this.#note = note;
  }

  /** Until all were tried or the time is over; the first one in any case. */
  async tryAll(inputs: readonly unknown[], end: number): Promise<void> {
    const { inputMs, bytesIn } = this.report;
    for (const [i, input] of inputs.entries()) {
      if (i > 0 && performance.now() > end) break;
      const first = await this.#attempt(input);
      this.report.coldMs ??= first.ms;
      const bytes = bytesPassed(input, this.#passing);
      if (bytes !== undefined) bytesIn.push(bytes);
      if (!('value' in first)) {
        inputMs.push(undefined);
        continue;
      }
      this.#look(first.value);
      const again = i < REPEATED ? await this.#attempt(input) : undefined;
      if (again !== undefined) this.#compare(first, again);
      inputMs.push(Math.min(first.ms, again?.ms ?? Number.POSITIVE_INFINITY));
    }
  }

  /** With a copy: the function may change it, and is to get the same when it is called again. */
  async #attempt(input: unknown): Promise<Attempt> {
    const { seen, failures } = this.report;
    // Whatever this call does to the process: that much is known.
    await this.#note({ ...this.report, inputMs: [], bytesIn: [], bytesOut: [], result: undefined });
    const own = structuredClone(input);
    let given: readonly unknown[] | undefined;
    failures.calls += 1;
    const begin = performance.now();
    try {
      given = argumentsOf(own, this.#passing);
      const pending = this.#subject.call(...given);
      const isPending = isThenable(pending);
      seen.returnsPromise ||= isPending;
      const value = isPending ? await pending : pending;
      return { ms: performance.now() - begin, value };
    } catch (error) {
      const ms = performance.now() - begin;
      failures.failed += 1;
      const line = errorLine(describeError(error));
      failures.first ??= line;
      return { ms, error: line };
    } finally {
      seen.changesItsArgument ||= given !== undefined && this.#hasChanged(given, input);
    }
  }

  #hasChanged(given: readonly unknown[], input: unknown): boolean {
    try {
      // It was a clone, so it is compared with one: what cloning does to a value is not the function's doing.
      return !isDeepStrictEqual(given, argumentsOf(structuredClone(input), this.#passing));
    } catch {
      return false; // The file has gone: the next call says so.
    }
  }

  #look(value: unknown): void {
    const { report } = this;
    report.uncloneableResult ??= uncloneable(value);
    report.plainClasses = [...new Set([...report.plainClasses, ...classesIn(value)])];
    const bytes = report.uncloneableResult === undefined ? bytesOf(value) : undefined;
    if (bytes === undefined) return;
    report.bytesOut.push(bytes);
    if (!this.#hasPattern && bytes <= MAX_PATTERN_BYTES && canBeSent(value)) {
      this.#hasPattern = true;
      report.result = value;
    }
  }

  #compare(first: { readonly value: unknown }, again: Attempt): void {
    const { uncloneableResult, seen } = this.report;
    if (uncloneableResult !== undefined) return;
    if (!('value' in again) || !isDeepStrictEqual(first.value, again.value)) seen.repeats = 'different';
    else if (seen.repeats === 'unknown') seen.repeats = 'same';
  }
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
