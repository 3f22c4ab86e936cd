/** The steps that watch what the function does, here and in a worker, and the inline probe with its control runs. */
import { describeFailure, endedBy, type Ending, type Failure } from '../../../experiment/child.js';
import { clamp } from '../../../experiment/session.js';
import { spreadOf } from '../../../experiment/statistics.js';
import { AWAITS_END, toldLoadError } from '../../../run/work/task-module.js';
import { ExpectedError, UsageError } from '../../../exit-code.js';
import type { BehaviourReport } from '../probe/behaviour.js';
import type { SubjectReference } from '../probe/subject.js';
import { bytesOf, bytesPassed, uncloneable } from '../probe/values.js';
import { chooseSizes, repeated } from './schedule.js';
import type { FunctionSession } from './session.js';

export type Subject = NonNullable<ReturnType<typeof subjectOf>>;

/** Undefined: there is nothing to measure, and the draft says why. Throws UsageError where the module has no such function. */
export async function watchBehaviour(session: FunctionSession): Promise<Subject | undefined> {
  const inputs = cloneableOf(session);
  const shareMs = inputs.length === 0 ? undefined : session.begin('behaviour');
  if (shareMs === undefined) return undefined;
  const { module, moduleGiven, export: name, passing = 'value' } = session.plan;
  const subject = { module, export: name, passing };
  const probe = session.probe('behaviour');
  const limitMs = Math.min(session.limitMs, session.remainingMs);
  const outcome = await probe.ask('open', { subject, inputs, shareMs }, limitMs);
  if (outcome.kind === 'failed') throw toldLoadError(moduleGiven, module, outcome.error);
  const report = outcome.kind === 'done' ? outcome.value : (probe.noted as BehaviourReport | undefined);
  if (report !== undefined) note(session, report, inputs.length === session.plan.inputCount);
  await probe.kill();
  if (outcome.kind === 'done') return subjectOf(subject, inputs, outcome.value);
  if (outcome.kind === 'aborted') return undefined;
  const why = describeFailure(outcome);
  if (wasNotStarted(outcome)) throw new ExpectedError(`cannot measure '${moduleGiven}': ${why}`);
  if (report === undefined) {
    const more = outcome.kind === 'silent' ? `: a ${AWAITS_END}; a larger --budget gives it more time` : '';
    throw new UsageError(`cannot load '${moduleGiven}': ${why}${more}`);
  }
  noteEnd(session, outcome, limitMs);
  session.skip('everything else', why);
  return undefined;
}

/** Shared memory can be sent to a thread, but not to a process. */
const NOT_SENT = 'it cannot be sent to another process, in which it would be measured';

function cloneableOf(session: FunctionSession): unknown[] {
  return session.plan.inputs.filter((input) => {
    const why = uncloneable(input) ?? (bytesOf(input) === undefined ? NOT_SENT : undefined);
    if (why !== undefined) session.draft.behaviour.uncloneable = { argument: why, result: undefined };
    return why === undefined;
  });
}

/** @param isNumbered whether the probe had all inputs, so that its numbers are those of the user's inputs */
function note({ draft }: FunctionSession, report: BehaviourReport, isNumbered: boolean): void {
  const { behaviour, coldMs, bytesIn, bytesOut } = report;
  const { argument } = draft.behaviour.uncloneable;
  draft.subject = { ...draft.subject, export: report.export };
  draft.behaviour = { ...behaviour, uncloneable: { ...behaviour.uncloneable, argument } };
  if (!isNumbered) draft.behaviour.atInput = undefined;
  Object.assign(draft.inline, { coldMs, bytesIn: spreadOf(bytesIn), bytesOut: spreadOf(bytesOut) });
}

/** Whether there was no process to measure in: that says nothing about the function. */
const wasNotStarted = (failure: Failure) => failure.kind === 'ended' && failure.notStarted !== undefined;

/** How the function ended its process; undefined: it did not. */
export function endingOf(failure: Failure): Ending | undefined {
  if (failure.kind !== 'ended' || wasNotStarted(failure)) return undefined;
  const { exitCode, signal, error } = failure;
  return { exitCode, signal, ...(error === undefined ? {} : { error }) };
}

/** On the calling thread a failure is the function's doing; after less than `limitMs`, nobody knows whether the call would have settled. */
function noteEnd({ draft: { behaviour } }: FunctionSession, failure: Failure, limitMs: number): void {
  behaviour.ended ??= endingOf(failure);
  if (failure.kind === 'silent' && failure.ms >= limitMs) behaviour.neverSettled ??= failure.ms;
}

function subjectOf(reference: SubjectReference, inputs: readonly unknown[], report: BehaviourReport) {
  const { inputMs, result, export: name } = report;
  // Where all inputs that were tried failed, the others are not worth a try.
  if (inputMs.every((ms) => ms === undefined)) return undefined;
  const timed = inputs.map((input, i) => ({ input, ms: inputMs[i] }));
  return {
    reference: { ...reference, export: name },
    /** The inputs that can cross and did not fail. */
    inputs: timed.filter(({ ms }, i) => ms !== undefined || i >= inputMs.length),
    /** One result of the function, for the probes' own tasks to return. */
    result,
  };
}

/** Why the function cannot be measured in a worker; undefined: it can. */
export async function watchSurvival(session: FunctionSession, { reference, inputs }: Subject) {
  const { behaviour } = session.draft;
  if (behaviour.uncloneable.result !== undefined) return 'its results cannot cross';
  const shareMs = session.begin('one call in a worker');
  if (shareMs === undefined) return 'there was no time for it';
  const probe = session.probe('survival');
  const setup = { subject: reference, inputs: inputs.map(({ input }) => input), shareMs };
  const outcome = await probe.ask('open', setup, session.patience());
  await probe.kill();
  if (outcome.kind === 'failed') behaviour.failsInWorker = describeFailure(outcome);
  if (outcome.kind !== 'done') {
    behaviour.endedInWorker = endingOf(outcome);
    return `in a worker ${describeFailure(outcome)}`;
  }
  const { failures, workerExit } = outcome.value;
  if (workerExit !== undefined) {
    behaviour.endedInWorker = { exitCode: workerExit, signal: null };
    return `a worker ended while it ran ${endedBy(behaviour.endedInWorker)}`;
  }
  const { calls, failed, first } = failures;
  if (failed === 0) return undefined;
  behaviour.failures.calls += calls;
  behaviour.failures.failed += failed;
  behaviour.failures.first ??= `in a worker: ${first}`;
  if (failed < calls) return undefined;
  behaviour.failsInWorker = first;
  return `in a worker every call fails: ${first}`;
}

export type Inline = NonNullable<Awaited<ReturnType<typeof openInline>>>;

export async function openInline(
  session: FunctionSession,
  { reference: subject }: Pick<Subject, 'reference'>,
  inputs: readonly unknown[],
) {
  const shareMs = session.begin('warming up');
  if (shareMs === undefined) return undefined;
  const { returnsPromise: isAsync, changesItsArgument: copiesInputs } = session.draft.behaviour;
  const lane = session.lane('inline', {
    what: 'the calling thread',
    setup: { subject, inputs, isAsync, copiesInputs, warmMs: clamp(shareMs, 50, 500) },
    openMs: 0,
    onFailure: (failure) => noteEnd(session, failure, session.limitMs),
  });
  const warm = await lane.start();
  const sizes = chooseSizes(inputs.map((input) => bytesPassed(input, subject.passing)));
  return warm && { lane, warm, sizes };
}

const CONTROLS = 5;
/** The share of the budget that a control run gets at least, even if the budget is used up. */
const LEAST_SHARE = 0.03;

/** Repeats the inline run of the rounds, with nothing in between: the differences before and after are noise. */
export async function control(session: FunctionSession, when: 'before' | 'after', { lane, warm }: Inline) {
  const share = session.begin(`control ${when}`, 0);
  if (share === undefined) return;
  // Without control runs there is no good measure of the noise.
  const timeMs = Math.max(share, LEAST_SHARE * session.plan.budgetMs);
  const ms = clamp(timeMs / CONTROLS - warm.callMs, 20, 200);
  const expectedMs = ms + warm.callMs;
  // Where so little time is left, a slow call would be taken for one that never settles.
  if (session.patience(expectedMs) < 2 * expectedMs) return;
  const slices = await repeated(CONTROLS, timeMs - warm.callMs, () =>
    lane.step({ ms, sizes: [] }, expectedMs),
  );
  // An interrupted run leaves what an earlier one has found.
  if (slices.length > 0) session.draft.control[when] = slices.map(({ rate }) => rate);
}
