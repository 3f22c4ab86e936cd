/** Measures a user's function in steps, most important first, each in processes of its own. */
import type { Look } from '../../../experiment/rounds.js';
import { usableCores } from '../../../experiment/rules.js';
import { clamp, type Plan, type Progress } from '../../../experiment/session.js';
import type { Passing } from '../../../run/work/passing.js';
import { UsageError } from '../../../exit-code.js';
import type { Samples } from '../rules/samples.js';
import { control, openInline, watchBehaviour, watchSurvival } from './behaviour-step.js';
import { measureCores, measureCosts, measureStart } from './cost-steps.js';
import { chooseInputs, shareOf } from './schedule.js';
import { FunctionSession } from './session.js';
import { roundsOf, settingsOf } from './turns.js';

export interface MeasurePlan extends Plan {
  readonly module: string;
  /** As the user gave it, for messages and for the report. */
  readonly moduleGiven: string;
  /** Undefined: the default export, or the only function there is. */
  readonly export: string | undefined;
  readonly inputs: readonly unknown[];
  /** How an input becomes the function's arguments; by default it is the only one. */
  readonly passing?: Passing;
  /** How many inputs there were; `inputs` may be a sample of them. */
  readonly inputCount: number;
  /** How the inputs were chosen and are passed, in words for the report; empty where there is nothing to say of it. */
  readonly inputsHow: string;
  readonly maxThreads?: number | undefined;
}

/** Never loads the user's module here. Rejects with UsageError where it has no such function, or does not load. Leaves no process behind. */
export async function measure(
  plan: MeasurePlan,
  events: Progress,
  look?: (samples: Samples) => string | undefined,
): Promise<Samples> {
  if (plan.inputs.length === 0) throw new UsageError('expected at least one input, but there is none');
  const session = new FunctionSession(plan, events);
  const samples = (): Samples => ({
    ...session.draft,
    skipped: session.skipped,
    isCutShort: session.isCutShort,
  });
  try {
    await measureAll(session, look && (() => look(samples())));
  } finally {
    await session.close();
  }
  session.say('done');
  return samples();
}

async function measureAll(session: FunctionSession, look: Look | undefined): Promise<void> {
  const { draft } = session;
  const subject = await watchBehaviour(session);
  if (subject === undefined) return;
  const whyNoThreads = await watchSurvival(session, subject);
  // How long a slice will be is not known before a warm call was timed: guess an eighth of an eighth of the time for the rounds.
  const inputs = chooseInputs(subject.inputs, clamp(shareOf('rounds', session.remainingMs) / 64, 50, 300));
  draft.subject = { ...draft.subject, inputs: { ...draft.subject.inputs, used: inputs.length } };
  const inline = await openInline(session, subject, inputs);
  if (inline === undefined) return;
  await control(session, 'before', inline);
  if (whyNoThreads !== undefined) session.skip('threads', whyNoThreads);
  const cores = usableCores(draft.machine);
  const most = whyNoThreads === undefined ? Math.min(session.plan.maxThreads ?? 2 * cores, 2 * cores) : 0;
  const settings =
    most === 0 ? { all: [], needed: 0 } : settingsOf(session, subject, inline.warm, cores, most);
  const rounds = roundsOf(session, inline, settings, inputs, look);
  await rounds?.run();
  if (most > 0) {
    await measureCosts(session, subject, Math.min(most, cores));
    await measureCores(session, settings, inputs);
    await measureStart(session, subject);
  }
  await control(session, 'after', inline);
  if (await rounds?.finish()) await control(session, 'after', inline);
}
