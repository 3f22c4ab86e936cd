/** Measures a user's function, each thing in a process of its own: the steps, in the order of their importance. */
import type { Samples } from '../rules/samples.js';
import { UsageError } from '../../../usage-error.js';
import { type Subject, watchBehaviour, watchSurvival } from './behaviour-step.js';
import type { MeasureEvents, MeasurePlan } from './contract.js';
import { measureCrossings, measureSpins, patternOf } from './cost-steps.js';
import { type Draft, newDraft } from './draft.js';
import { control, type Inline, openInline } from './inline-step.js';
import { chooseInputs } from './inputs.js';
import { measureCores, measureStart } from './machine-steps.js';
import { measureRounds } from './rounds.js';
import { clamp, shareOf } from './schedule.js';
import { Session } from '../../../experiment/session.js';
import { type Settings, settingsOf } from './settings.js';

export type { MeasureEvents, MeasurePlan } from './contract.js';

/**
 * Never loads the user's module in this process. Rejects with UsageError where the module has no such function, or does not load; whatever
 * else the function does is part of what is returned. When it settles, none of its processes is left.
 */
export async function measure(plan: MeasurePlan, events: MeasureEvents): Promise<Samples> {
  if (plan.inputs.length === 0) throw new UsageError('expected at least one input, but there is none');
  const session = new Session(plan, events);
  const draft = newDraft(plan);
  try {
    await measureAll(session, draft);
  } finally {
    await session.close();
  }
  session.say('done');
  return { ...draft, skipped: session.skipped, isCutShort: session.isCutShort };
}

async function measureAll(session: Session, draft: Draft): Promise<void> {
  const subject = await watchBehaviour(session, draft);
  if (subject === undefined) return;
  const whyNoThreads = await watchSurvival(session, draft, subject);
  const inputs = chooseInputs(subject.inputs, nominalSliceMs(session));
  draft.subject.inputs.used = inputs.length;
  const inline = await openInline(session, draft, subject, inputs);
  if (inline === undefined) return;
  draft.control.before = await control(session, 'control before', inline);
  if (whyNoThreads !== undefined) session.skip('threads', whyNoThreads);
  const most = whyNoThreads === undefined ? mostThreads(session, draft) : 0;
  const settings = settingsFor(subject, inline, draft, most);
  await measureRounds({ session, draft, inline, settings, inputs });
  if (most > 0) await measureCosts(session, draft, { subject, settings, inputs, most });
  draft.control.after = await control(session, 'control after', inline);
}

interface Costs {
  readonly subject: Subject;
  readonly settings: Settings;
  readonly inputs: readonly unknown[];
  readonly most: number;
}

async function measureCosts(
  session: Session,
  draft: Draft,
  { subject, settings, inputs, most }: Costs,
): Promise<void> {
  const pattern = patternOf(subject, Math.min(most, usable(draft)));
  await measureCrossings(session, draft, pattern);
  await measureSpins(session, draft, pattern);
  await measureCores(session, draft, settings, inputs);
  await measureStart(session, draft, subject);
}

/** Before it is known how long a call takes when it is warm: an eighth of an eighth of the time for the rounds. */
function nominalSliceMs(session: Session): number {
  return clamp(shareOf('rounds', session.remainingMs) / 64, 50, 300);
}

function mostThreads({ plan }: Session, draft: Draft): number {
  return Math.min(plan.maxThreads ?? Number.POSITIVE_INFINITY, 2 * usable(draft));
}

/** A quota, or memory, may leave room for fewer threads than there are cores: more than twice as many are not worth the risk. */
function usable({ machine }: Draft): number {
  return Math.min(machine.cores, machine.availableThreads);
}

function settingsFor(subject: Subject, { warm }: Inline, draft: Draft, most: number): Settings {
  return most === 0 ? { all: [], needed: 0 } : settingsOf(subject, warm, usable(draft), most);
}
