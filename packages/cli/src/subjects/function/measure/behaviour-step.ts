/** The function on the calling thread: first of all what it does, whether there is anything to measure, and with which inputs; then a probe that lives from the first control run to the last. */
import { describeFailure, type Failure } from '../../../experiment/child.js';
import { clamp } from '../../../experiment/session.js';
import { type Series, seriesOf, spreadOf } from '../../../experiment/statistics.js';
import { loadError } from '../../../run/work/task-module.js';
import type { DescribedError } from '../../../run/work/batch.js';
import type { Passing } from '../../../run/work/passing.js';
import { UsageError } from '../../../exit-code.js';
import type { BehaviourReport } from '../probe/behaviour.js';
import { bytesOf, bytesPassed, uncloneable } from '../probe/values.js';
import { chooseSizes, type Measured, type StepName } from './schedule.js';
import type { Draft, FunctionSession, Opened, Probe, Slice } from './session.js';

export interface Subject {
  readonly module: string;
  readonly export: string;
  readonly isAsync: boolean;
  readonly copiesInputs: boolean;
  readonly passing: Passing;
  /** Those that can cross and did not fail. */
  readonly inputs: readonly Measured[];
  /** What the function gave once, as a pattern for tasks of ours. */
  readonly result: unknown;
  /** Of a call, on average. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Undefined: there is nothing to measure, and the draft says why. Throws UsageError where the module has no such function. */
export async function watchBehaviour(session: FunctionSession): Promise<Subject | undefined> {
  const inputs = cloneableOf(session);
  if (inputs.length === 0) return undefined;
  const shareMs = session.begin('behaviour', 'behaviour');
  if (shareMs === undefined) return undefined;
  const { module, export: name, passing = 'value' } = session.plan;
  const probe = session.probe('behaviour');
  const setup = { subject: { module, export: name, passing }, inputs, shareMs };
  const outcome = await probe.ask('open', setup, Math.min(session.limitMs, session.remainingMs));
  if (outcome.kind === 'failed') throw startError(session, outcome.error);
  const report = outcome.kind === 'done' ? outcome.value : (probe.noted as BehaviourReport | undefined);
  if (report !== undefined) note(session.draft, report);
  await session.end(probe);
  if (outcome.kind === 'done') return subjectOf(session, inputs, outcome.value);
  noteEnd(session.draft, outcome);
  const during = report === undefined ? 'while the module was loaded, ' : '';
  if (outcome.kind !== 'aborted') session.skip('everything else', `${during}${describeFailure(outcome)}`);
  return undefined;
}

/** Memory that is shared can go to a thread, and not to a process. */
const NOT_SENT = 'it cannot be sent to another process, in which it would be measured';

function cloneableOf(session: FunctionSession): unknown[] {
  return session.plan.inputs.filter((input) => {
    const why = uncloneable(input) ?? (bytesOf(input) === undefined ? NOT_SENT : undefined);
    if (why !== undefined) session.draft.behaviour.uncloneable = { argument: why, result: undefined };
    return why === undefined;
  });
}

function startError({ plan }: FunctionSession, { name, message }: DescribedError): Error {
  if (name === 'UsageError') return new UsageError(message);
  const error =
    name === 'SyntaxError' ? new SyntaxError(message) : Object.assign(new Error(message), { name });
  return loadError(plan.moduleGiven, plan.module, error);
}

function note({ behaviour, inline, subject }: Draft, report: BehaviourReport): void {
  const { seen, failures, uncloneableResult, plainClasses, coldMs, bytesIn, bytesOut } = report;
  subject.export = report.export;
  const uncloneable = { ...behaviour.uncloneable, result: uncloneableResult };
  Object.assign(behaviour, { ...seen, failures, uncloneable, plainClasses });
  Object.assign(inline, { coldMs, bytesIn: spreadOf(bytesIn), bytesOut: spreadOf(bytesOut) });
}

/** What happens on the calling thread is the function's own doing. */
export function noteEnd({ behaviour }: Draft, failure: Failure): void {
  if (failure.kind === 'ended') behaviour.ended ??= { exitCode: failure.exitCode, signal: failure.signal };
  if (failure.kind === 'silent') behaviour.neverSettled ??= failure.ms;
}

function subjectOf(
  { plan }: FunctionSession,
  inputs: readonly unknown[],
  report: BehaviourReport,
): Subject | undefined {
  const { inputMs } = report;
  const good = inputs.flatMap((input, i): Measured[] => {
    const isBad = i < inputMs.length && inputMs[i] === undefined;
    return isBad ? [] : [{ input, ms: inputMs[i] }];
  });
  // Those that were not tried are not worth a try either.
  if (inputMs.every((ms) => ms === undefined)) return undefined;
  return {
    module: plan.module,
    export: report.export,
    isAsync: report.seen.returnsPromise,
    copiesInputs: report.seen.changesItsArgument,
    passing: plan.passing ?? 'value',
    inputs: good,
    result: report.result,
    bytesIn: spreadOf(report.bytesIn)?.mean ?? 0,
    bytesOut: spreadOf(report.bytesOut)?.mean ?? 0,
  };
}

/** Whether it lives in a worker: undefined, or why it does not. */
export async function watchSurvival(
  session: FunctionSession,
  { module, export: task, inputs, passing }: Subject,
): Promise<string | undefined> {
  const { behaviour } = session.draft;
  if (behaviour.uncloneable.result !== undefined) return 'its results cannot cross';
  const shareMs = session.begin('survival', 'one call in a worker');
  if (shareMs === undefined) return 'there was no time for it';
  const probe = session.probe('survival');
  const setup = { module, task, passing, inputs: inputs.map(({ input }) => input), shareMs };
  const outcome = await probe.ask('open', setup, session.patience());
  await session.end(probe);
  if (outcome.kind === 'ended') {
    behaviour.endedInWorker = { exitCode: outcome.exitCode, signal: outcome.signal };
  }
  if (outcome.kind !== 'done') return `in a worker ${describeFailure(outcome)}`;
  const { failures, workerExit } = outcome.value;
  if (workerExit !== undefined) {
    behaviour.endedInWorker = { exitCode: workerExit, signal: null };
    return `a worker ended while it ran (exit code ${workerExit})`;
  }
  const { calls, failed, first } = failures;
  if (failed === 0) return undefined;
  const before = behaviour.failures;
  behaviour.failures = {
    calls: before.calls + calls,
    failed: before.failed + failed,
    first: before.first ?? `in a worker: ${first}`,
  };
  return failed === calls ? `in a worker every call fails: ${first}` : undefined;
}

export interface Inline {
  readonly probe: Probe<'inline'>;
  readonly warm: Opened<'inline'>;
  readonly sizes: readonly { readonly index: number; readonly bytes: number }[];
}

/** Undefined: it could not be measured, and the draft says why. */
export async function openInline(
  session: FunctionSession,
  subject: Subject,
  inputs: readonly unknown[],
): Promise<Inline | undefined> {
  const warmMs = session.begin('warm-up', 'warming up');
  if (warmMs === undefined) return undefined;
  const { isAsync, copiesInputs, module, passing } = subject;
  const probe = session.probe('inline');
  const setup = { subject: { module, export: subject.export, passing }, inputs, isAsync, copiesInputs };
  const outcome = await probe.ask('open', { ...setup, warmMs: clamp(warmMs, 50, 500) }, session.patience());
  if (outcome.kind === 'done') {
    const sizes = chooseSizes(inputs.map((input) => bytesPassed(input, passing)));
    return { probe, warm: outcome.value, sizes };
  }
  noteInlineFailure(session, outcome);
  return undefined;
}

export function noteInlineFailure(session: FunctionSession, failure: Failure): void {
  if (failure.kind === 'aborted') return;
  noteEnd(session.draft, failure);
  session.skip('the calling thread', describeFailure(failure));
}

const CONTROLS = 5;
/** Of the budget, and if need be beyond it. */
const LEAST_SHARE = 0.03;

/** The same run as in the rounds, with nothing in turn: what it differs by, before and after, is noise. */
export async function control(
  session: FunctionSession,
  step: StepName & ('control before' | 'control after'),
  { probe, warm }: Inline,
): Promise<Series> {
  const share = session.begin(step, step, 0);
  if (share === undefined) return [];
  // Without it nobody knows what noise is: that much there has to be.
  const timeMs = Math.max(share, LEAST_SHARE * session.plan.budgetMs);
  const ms = clamp(timeMs / CONTROLS - warm.callMs, 20, 200);
  const end = performance.now() + timeMs;
  const rates: number[] = [];
  while (rates.length < CONTROLS && (rates.length === 0 || performance.now() + warm.callMs < end)) {
    const outcome = await probe.ask('step', { ms, sizes: [] }, session.patience(ms + warm.callMs));
    if (outcome.kind !== 'done') break;
    rates.push(outcome.value.rate);
  }
  return rates;
}

export function inlineSamples(slices: readonly Slice<'inline'>[], sizes: Inline['sizes']) {
  return {
    callMs: spreadOf(slices.flatMap(({ callMs }) => callMs)),
    ...seriesOf(slices, 'rate', 'cpuMs', 'loopDelayMs', 'garbageShare'),
    bySize: sizes.map(({ bytes }, i) => ({ bytes, ms: slices.map(({ sizeMs }) => sizeMs[i]!) })),
    residentBytes: slices.at(-1)?.residentBytes,
  };
}
