/** A measurement of a function on its way: its steps share the time, and each asks processes that play one role. */
import type { Child } from '../../../experiment/child.js';
import { Lane, type LaneOptions } from '../../../experiment/lane.js';
import { readMachine } from '../../../experiment/machine.js';
import type { StepsOf } from '../../../experiment/serve.js';
import { clamp, Session } from '../../../experiment/session.js';
import type { Samples } from '../rules/samples.js';
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

export type Role = keyof Openers;
export type Probe<R extends Role> = Child<StepsOf<Openers[R]>>;
export type Opened<R extends Role> = StepsOf<Openers[R]>['open']['gets'];
export type Asks<R extends Role> = StepsOf<Openers[R]>['step']['asks'];
export type Slice<R extends Role> = StepsOf<Openers[R]>['step']['gets'];

export class FunctionSession extends Session<MeasurePlan> {
  /** What was measured so far. */
  readonly draft = newDraft(this.plan);
  /** After so long a call counts as one that never settles. */
  readonly limitMs = callLimitMs(this.plan.budgetMs);

  /** A tenth beyond the budget, so that what nearly ended is not lost. */
  override patience(expectedMs = 0): number {
    return clamp(this.limitMs + 3 * expectedMs, 1, this.remainingMs + this.plan.budgetMs / 10);
  }

  /** Tells what is done next, and gives the time for it; undefined: there is none left. */
  begin(step: StepName, what: string, leastMs = 1): number | undefined {
    const share = Math.min(shareOf(step, this.remainingMs), mostFor(step, this.plan.budgetMs));
    if (this.isAborted) return undefined;
    if (share < leastMs) {
      this.skipForTime(what);
      return undefined;
    }
    this.say(what);
    return share;
  }

  probe<R extends Role>(role: R, cpus?: readonly number[]): Probe<R> {
    const file = new URL(`../probe/${role}.js`, import.meta.url);
    return this.start<StepsOf<Openers[Role]>>(file, { cpus }) as unknown as Probe<R>;
  }
}

export type ProbeLane<R extends Role> = Lane<StepsOf<Openers[R]>>;

/** A probe that is measured in turn. */
export function laneOf<R extends Role>(
  session: FunctionSession,
  role: R,
  options: Omit<LaneOptions<StepsOf<Openers[R]>>, 'session' | 'start'> & {
    readonly cpus?: readonly number[];
  },
): ProbeLane<R> {
  return new Lane({ ...options, session, start: () => session.probe(role, options.cpus) });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The samples in the making. */
export type Draft = { -readonly [K in keyof Samples]: Mutable<Samples[K]> };

function newDraft(plan: MeasurePlan): Draft {
  return {
    subject: {
      module: plan.moduleGiven,
      export: plan.export ?? 'default',
      inputs: { count: plan.inputCount, used: 0, how: plan.inputsHow },
    },
    machine: readMachine(),
    behaviour: {
      returnsPromise: false,
      failures: { calls: 0, failed: 0, first: undefined },
      neverSettled: undefined,
      ended: undefined,
      endedInWorker: undefined,
      repeats: 'unknown',
      changesItsArgument: false,
      uncloneable: { argument: undefined, result: undefined },
      hasSetup: false,
      plainClasses: [],
    },
    inline: {
      coldMs: undefined,
      callMs: undefined,
      rate: [],
      cpuMs: [],
      loopDelayMs: [],
      garbageShare: [],
      bytesIn: undefined,
      bytesOut: undefined,
      bySize: [],
      residentBytes: undefined,
    },
    threads: [],
    variants: [],
    crossings: [],
    spins: [],
    cores: [],
    start: undefined,
    control: { before: [], after: [] },
    skipped: [],
    isCutShort: false,
  };
}
