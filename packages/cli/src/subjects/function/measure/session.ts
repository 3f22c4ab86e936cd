/** A measurement of a function on its way: its steps share the time, and each asks processes that play one role. */
import type { Child } from '../../../experiment/child.js';
import { Lane, type LaneOptions } from '../../../experiment/lane.js';
import { readMachine } from '../../../experiment/machine.js';
import type { StepsOf } from '../../../experiment/serve.js';
import { clamp, Session } from '../../../experiment/session.js';
import { seriesOf, spreadOf } from '../../../experiment/statistics.js';
import { type Mutable, newBehaviour, type Samples } from '../rules/samples.js';
import type { MeasurePlan } from './measure.js';
import { callLimitMs, mostFor, shareOf, type StepName } from './schedule.js';

/** What a process is opened with, and what it gives, is in the file of its role. */
interface Openers {
  behaviour: typeof import('../probe/behaviour.js').open;
  survival: typeof import('../probe/survival.js').open;
  inline: typeof import('../probe/inline.js').open;
  pool: typeof import('../probe/pool.js').open;
  crossing: typeof import('../probe/crossing.js').open;
  spin: typeof import('../probe/spin.js').open;
  start: typeof import('../probe/start.js').open;
}

type Role = keyof Openers;
type Steps<R extends Role> = StepsOf<Openers[R]>;
export type Probe<R extends Role> = Child<Steps<R>>;
export type Opened<R extends Role> = Steps<R>['open']['gets'];
export type Asks<R extends Role> = Steps<R>['step']['asks'];
export type Slice<R extends Role> = Steps<R>['step']['gets'];

export class FunctionSession extends Session<MeasurePlan> {
  /** What was measured so far. */
  readonly draft = newDraft(this.plan);
  /** After how long a call counts as one that never settles. Milliseconds. */
  readonly limitMs = callLimitMs(this.plan.budgetMs);

  /** A tenth beyond the budget, so that what nearly ended is not lost. */
  override patience(expectedMs = 0): number {
    return clamp(this.limitMs + 3 * expectedMs, 1, this.remainingMs + this.plan.budgetMs / 10);
  }

  /** Tells what is done next, and gives the time for it; undefined: there is none left. */
  begin(step: StepName, leastMs = 1): number | undefined {
    const share = Math.min(shareOf(step, this.remainingMs), mostFor(step, this.plan.budgetMs));
    if (this.isAborted) return undefined;
    if (share < leastMs) {
      this.skipForTime(step);
      return undefined;
    }
    this.say(step);
    return share;
  }

  probe<R extends Role>(role: R, cpus?: readonly number[]): Probe<R> {
    const file = new URL(`../probe/${role}.js`, import.meta.url);
    return this.start<Steps<Role>>(file, { cpus }) as unknown as Probe<R>;
  }

  /** A probe that is measured in turn. */
  lane<R extends Role>(role: R, { cpus, ...options }: ProbeLaneOptions<R>): ProbeLane<R> {
    return new Lane({ ...options, session: this, start: () => this.probe(role, cpus) });
  }
}

export type ProbeLane<R extends Role> = Lane<Steps<R>>;

interface ProbeLaneOptions<R extends Role> extends Omit<LaneOptions<Steps<R>>, 'session' | 'start'> {
  readonly cpus?: readonly number[];
}

/** The samples in the making; what was left out the session knows. */
type Draft = { -readonly [K in keyof Omit<Samples, 'skipped' | 'isCutShort'>]: Mutable<Samples[K]> };

function newDraft(plan: MeasurePlan): Draft {
  return {
    subject: {
      module: plan.moduleGiven,
      export: plan.export ?? 'default',
      inputs: { count: plan.inputCount, used: 0, how: plan.inputsHow },
    },
    machine: readMachine(),
    behaviour: newBehaviour(),
    inline: { coldMs: undefined, bytesIn: undefined, bytesOut: undefined, ...inlineSamples([], []) },
    threads: [],
    variants: [],
    crossings: [],
    spins: [],
    cores: [],
    start: undefined,
    control: { before: [], after: [] },
  };
}

/** What the rounds tell of the calling thread. @param sizes of the inputs that are measured one by one in each */
export function inlineSamples(
  slices: readonly Slice<'inline'>[],
  sizes: readonly { readonly bytes: number }[],
) {
  return {
    callMs: spreadOf(slices.flatMap(({ callMs }) => callMs)),
    ...seriesOf(slices, 'rate', 'cpuMs', 'loopDelayMs', 'garbageShare'),
    bySize: sizes.map(({ bytes }, i) => ({ bytes, ms: slices.map(({ sizeMs }) => sizeMs[i]!) })),
    residentBytes: slices.at(-1)?.residentBytes,
  };
}
