/** Watches what the function does besides computing: calls it with each input, and twice with the first few. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import v8 from 'node:v8';
import { type Note, serveSteps } from '../../../experiment/serve.js';
import { isThenable } from '../../../run/work/batch-runner.js';
import { describeError, errorLine } from '../../../run/work/described-error.js';
import { isStream } from '../../../run/output/format.js';
import { argumentsOf, type Passing } from '../../../run/work/passing.js';
import { tried } from '../../../system-error.js';
import { newBehaviour } from '../rules/samples.js';
import { loadSubject, type Subject, type SubjectReference } from './subject.js';
import { bytesOf, bytesPassed, classesIn, standalone, uncloneable } from './values.js';
import { watchParent } from './watchdog.js';

export interface WatchSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  /** For how many milliseconds inputs are tried; the first one always is. */
  readonly shareMs: number;
}

export type BehaviourReport = ReturnType<typeof newReport>;

function newReport({ name, hasSetup }: Subject) {
  return {
    /** The name of the export, also where the user gave none. */
    export: name,
    behaviour: { ...newBehaviour(), hasSetup },
    coldMs: undefined as number | undefined,
    /** Milliseconds of the faster call that did not fail, for each input that was tried, in order; undefined: the first call failed. */
    inputMs: [] as (number | undefined)[],
    bytesIn: [] as number[],
    bytesOut: [] as number[],
    /** The first result that can cross threads and is small enough to be sent to the parent process. */
    result: undefined as unknown,
  };
}

/** How many inputs are tried twice: to compare the results, and because the second call is faster. */
const REPEATED = 5;
/**
 * Results count as kept if, of this many inputs or more, each takes less than a tenth of the time when it is given again. Most is not enough: a
 * first call that collects the garbage of others, or lets the heap grow, takes twenty times as long as a short call that does not.
 */
const LEAST_PAIRS = 3;
const FAR_SOONER = 10;
const LEAST_AGAIN_MS = 0.01; // what surrounds a call takes as long
/** A result of more bytes is not sent to the parent process as a pattern. */
const MAX_PATTERN_BYTES = 64 * 2 ** 20;

/** The number, from 1, of the input whose call runs, or has begun what runs. */
const numbers = new AsyncLocalStorage<number>();

export const open = async (setup: WatchSetup, note: Note): Promise<{ opened: BehaviourReport }> => {
  await watchParent();
  const { passing } = setup.subject;
  const subject = await loadSubject(setup.subject);
  const report = newReport(subject);
  const { behaviour, inputMs, bytesIn } = report;
  const short = { inputMs: [], bytesIn: [], bytesOut: [], result: undefined };
  const tell = (atInput: number | undefined) =>
    note({ ...report, ...short, behaviour: { ...behaviour, atInput } });
  const attempt = async (input: unknown, number: number): Promise<Attempt> => {
    // The call may end the process: what is known so far is sent first.
    await tell(number);
    return numbers.run(number, call, subject, passing, input, behaviour);
  };
  // A timer of an earlier call may end the process as well.
  process.once('exit', () => void tell(numbers.getStore()));
  const end = performance.now() + setup.shareMs;
  /** For each input but the first, whose first call runs code that was not compiled: how many times as long its first call took. */
  const sooner: number[] = [];
  for (const [i, input] of setup.inputs.map(standalone).entries()) {
    // The first input is tried even if the time is over.
    if (i > 0 && performance.now() > end) break;
    const first = await attempt(input, i + 1);
    report.coldMs ??= first.ms;
    const bytes = bytesPassed(input, passing);
    if (bytes !== undefined) bytesIn.push(bytes);
    if (!('value' in first)) {
      inputMs.push(undefined);
      continue;
    }
    look(report, first.value);
    const again = i < REPEATED ? await attempt(input, i + 1) : undefined;
    if (again !== undefined && behaviour.uncloneable.result === undefined) {
      const isSame = 'value' in again && isDeepStrictEqual(first.value, again.value);
      behaviour.repeats = isSame && behaviour.repeats !== 'different' ? 'same' : 'different';
    }
    // A call that fails may be over sooner than one that does its work.
    const isWhole = again !== undefined && 'value' in again;
    inputMs.push(isWhole ? Math.min(first.ms, again.ms) : first.ms);
    if (isWhole && i > 0) sooner.push(first.ms / Math.max(again.ms, LEAST_AGAIN_MS));
  }
  behaviour.remembers = sooner.length >= LEAST_PAIRS && Math.min(...sooner) >= FAR_SOONER;
  return { opened: report };
};

type Seen = BehaviourReport['behaviour'];
type Attempt = { readonly ms: number; readonly value?: unknown };

/** Calls with a copy, so that the next call gets the same input even if the function changes it. No `value`: the call failed. */
async function call(subject: Subject, passing: Passing, input: unknown, seen: Seen): Promise<Attempt> {
  const own = structuredClone(input);
  let given: readonly unknown[] | undefined;
  const { failures } = seen;
  failures.calls += 1;
  const begin = performance.now();
  try {
    given = argumentsOf(own, passing);
    const pending = subject.call(...given);
    seen.returnsPromise ||= isThenable(pending);
    const value = isThenable(pending) ? await pending : pending;
    return { ms: performance.now() - begin, value };
  } catch (error) {
    const ms = performance.now() - begin;
    failures.failed += 1;
    failures.first ??= errorLine(describeError(error));
    return { ms };
  } finally {
    // Compared with another clone: what cloning changes is not the function's doing. Where the file is gone, the next call reports that.
    const isSame = () => isDeepStrictEqual(given, argumentsOf(structuredClone(input), passing));
    seen.changesItsArgument ||= given !== undefined && tried(isSame) === false;
  }
}

/** Records whether a result can cross, its classes and its size. */
function look(report: BehaviourReport, value: unknown): void {
  const { behaviour, bytesOut } = report;
  const result = behaviour.uncloneable.result ?? uncloneable(value);
  behaviour.uncloneable = { argument: undefined, result };
  behaviour.returnsStream ||= result !== undefined && tried(() => isStream(value)) === true;
  behaviour.plainClasses = [...new Set([...behaviour.plainClasses, ...classesIn(value)])];
  const bytes = result === undefined ? bytesOf(value) : undefined;
  if (bytes === undefined) return;
  bytesOut.push(bytes);
  if (report.result !== undefined || bytes > MAX_PATTERN_BYTES) return;
  if (tried(() => v8.serialize(value)) !== undefined) report.result = value;
}

serveSteps(open);
