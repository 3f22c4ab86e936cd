/** What the function does beside computing: it is called with each input, twice with some, and looked at. */
import { isDeepStrictEqual } from 'node:util';
import v8 from 'node:v8';
import { type Note, serveSteps } from '../../../experiment/serve.js';
import { isThenable } from '../../../run/work/batch-runner.js';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { newBehaviour } from '../rules/samples.js';
import { loadSubject, type Subject, type SubjectReference } from './subject.js';
import { attempt, bytesOf, bytesPassed, classesIn, standalone, uncloneable } from './values.js';
import { watchParent } from './watchdog.js';

export interface WatchSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  /** After how long no further input is begun. Milliseconds. */
  readonly shareMs: number;
}

export type BehaviourReport = ReturnType<typeof newReport>;

function newReport({ name, hasSetup }: Subject) {
  return {
    /** The export's own name, also where none was given. */
    export: name,
    behaviour: { ...newBehaviour(), hasSetup },
    coldMs: undefined as number | undefined,
    /** Of each input that was tried, in order: its warmest call; undefined: it failed. */
    inputMs: [] as (number | undefined)[],
    bytesIn: [] as number[],
    bytesOut: [] as number[],
    /** Of the first call that succeeded, if it can cross. */
    result: undefined as unknown,
  };
}

/** How many inputs are given a second time: to be compared, and because the second call is warmer. */
const REPEATED = 5;
/** A larger result is not sent to be used as a pattern. Bytes. */
const MAX_PATTERN_BYTES = 64 * 2 ** 20;

export const open = async (setup: WatchSetup, note: Note): Promise<{ opened: BehaviourReport }> => {
  await watchParent();
  const { passing } = setup.subject;
  const subject = await loadSubject(setup.subject);
  const report = newReport(subject);
  const { behaviour, inputMs, bytesIn } = report;
  const look = lookInto(report);
  const attempt = async (input: unknown): Promise<Attempt> => {
    // Whatever this call does to the process: that much is known.
    await note({ ...report, inputMs: [], bytesIn: [], bytesOut: [], result: undefined });
    return call(subject, passing, input, behaviour);
  };
  const end = performance.now() + setup.shareMs;
  for (const [i, input] of setup.inputs.map(standalone).entries()) {
    // The first one in any case.
    if (i > 0 && performance.now() > end) break;
    const first = await attempt(input);
    report.coldMs ??= first.ms;
    const bytes = bytesPassed(input, passing);
    if (bytes !== undefined) bytesIn.push(bytes);
    if (!('value' in first)) {
      inputMs.push(undefined);
      continue;
    }
    look(first.value);
    const again = i < REPEATED ? await attempt(input) : undefined;
    if (again !== undefined) behaviour.repeats = compared(behaviour, first.value, again);
    inputMs.push(Math.min(first.ms, again?.ms ?? Number.POSITIVE_INFINITY));
  }
  return { opened: report };
};

type Seen = BehaviourReport['behaviour'];
type Attempt = { readonly ms: number; readonly value?: unknown };

/** With a copy: the function may change it, and is to get the same when it is called again. Without a value: it failed. */
async function call(subject: Subject, passing: Passing, input: unknown, seen: Seen): Promise<Attempt> {
  const own = structuredClone(input);
  let given: readonly unknown[] | undefined;
  const failures = { ...seen.failures, calls: seen.failures.calls + 1 };
  seen.failures = failures;
  const begin = performance.now();
  try {
    given = argumentsOf(own, passing);
    const pending = subject.call(...given);
    const isPending = isThenable(pending);
    seen.returnsPromise ||= isPending;
    const value = isPending ? await pending : pending;
    return { ms: performance.now() - begin, value };
  } catch (error) {
    const ms = performance.now() - begin;
    failures.failed += 1;
    failures.first ??= errorLine(describeError(error));
    return { ms };
  } finally {
    seen.changesItsArgument ||= given !== undefined && hasChanged(given, input, passing);
  }
}

function hasChanged(given: readonly unknown[], input: unknown, passing: Passing): boolean {
  // It was a clone, so it is compared with one: what cloning does to a value is not the function's doing.
  const isSame = attempt(() => isDeepStrictEqual(given, argumentsOf(structuredClone(input), passing)));
  return isSame === false; // Undefined: the file has gone, and the next call says so.
}

/** Looks at one result after the other. */
function lookInto(report: BehaviourReport): (value: unknown) => void {
  const { behaviour, bytesOut } = report;
  let hasPattern = false;
  return (value) => {
    const result = behaviour.uncloneable.result ?? uncloneable(value);
    behaviour.uncloneable = { argument: undefined, result };
    behaviour.plainClasses = [...new Set([...behaviour.plainClasses, ...classesIn(value)])];
    const bytes = result === undefined ? bytesOf(value) : undefined;
    if (bytes === undefined) return;
    bytesOut.push(bytes);
    if (!hasPattern && bytes <= MAX_PATTERN_BYTES && attempt(() => v8.serialize(value)) !== undefined) {
      hasPattern = true;
      report.result = value;
    }
  };
}

/** What is known of repeated calls after another one. */
function compared(
  { repeats, uncloneable: { result } }: Seen,
  first: unknown,
  again: Attempt,
): Seen['repeats'] {
  if (result !== undefined) return repeats;
  if (!('value' in again) || !isDeepStrictEqual(first, again.value)) return 'different';
  return repeats === 'unknown' ? 'same' : repeats;
}

serveSteps(open);
