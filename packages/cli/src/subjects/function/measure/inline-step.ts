/** The function on the calling thread: a probe that lives from the first control run to the last. */
import { describeFailure, type Failure } from '../../../experiment/child.js';
import { clamp } from '../../../experiment/session.js';
import { type Series, seriesOf, spreadOf } from '../../../experiment/statistics.js';
import { bytesPassed } from '../probe/values.js';
import { noteEnd, type Subject } from './behaviour-step.js';
import { chooseSizes } from './inputs.js';
import type { StepName } from './schedule.js';
import type { Draft, FunctionSession, Opened, Probe, Slice } from './session.js';

export interface Inline {
  readonly probe: Probe<'inline'>;
  readonly warm: Opened<'inline'>;
  readonly sizes: readonly { readonly index: number; readonly bytes: number }[];
}

/** Undefined: it could not be measured, and the draft says why. */
export async function openInline(
  session: FunctionSession,
  draft: Draft,
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
  noteInlineFailure(session, draft, outcome);
  return undefined;
}

export function noteInlineFailure(session: FunctionSession, draft: Draft, failure: Failure): void {
  if (failure.kind === 'aborted') return;
  noteEnd(draft, failure);
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
