/** The running measurement of a function: splits the time among its steps, and starts the probes. */
import type { Child } from '../../../experiment/child.js';
import { Lane, type LaneOptions } from '../../../experiment/lane.js';
import { readMachine } from '../../../experiment/machine.js';
import type { StepsOf } from '../../../experiment/serve.js';
import { clamp, Session } from '../../../experiment/session.js';
import { isCommonJs } from '../../../run/work/task-module.js';
import { newSamples } from '../rules/samples.js';
import type { MeasurePlan } from './measure.js';
import { callLimitMs, mostFor, shareOf, type StepName } from './schedule.js';

/** The `open` function of each probe, which types what its process is asked and what it answers. */
interface Openers {
  behaviour: typeof import('../probe/behaviour.js').open;
  survival: typeof import('../probe/survival.js').open;
  inline: typeof import('../probe/inline.js').open;
  pool: typeof import('../probe/pool.js').open;
  costs: typeof import('../probe/costs.js').open;
  start: typeof import('../probe/start.js').open;
}

type Role = keyof Openers;
type Steps<R extends Role> = StepsOf<Openers[R]>;
export type Opened<R extends Role> = Steps<R>['open']['gets'];
export type Slice<R extends Role> = Steps<R>['step']['gets'];

export class FunctionSession extends Session<MeasurePlan> {
  readonly draft = newSamples(
    {
      module: this.plan.moduleGiven,
      isCommonJs: isCommonJs(this.plan.module),
      export: this.plan.export ?? 'default',
      inputs: { count: this.plan.inputCount, used: 0, how: this.plan.inputsHow },
    },
    readMachine(),
  );
  /** How many milliseconds a call may take before it counts as one that never settles. */
  readonly limitMs = callLimitMs(this.plan.budgetMs);

  /** How many milliseconds to wait for an answer: up to a tenth beyond the budget, so that what has nearly ended is not lost. */
  override patience(expectedMs = 0): number {
    return clamp(this.limitMs + 3 * expectedMs, 1, this.remainingMs + this.plan.budgetMs / 10);
  }

  /** Mean bytes of a call's arguments and of its result. */
  get bytesOfCall(): number {
    const { bytesIn, bytesOut } = this.draft.inline;
    return (bytesIn?.mean ?? 0) + (bytesOut?.mean ?? 0);
  }

  /** Announces the step, and returns how many milliseconds it gets; undefined: there is no time left, or the user ended it. */
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

  probe<R extends Role>(role: R, cpus?: readonly number[]): Child<Steps<R>> {
    return this.start(new URL(`../probe/${role}.js`, import.meta.url), { cpus });
  }

  lane<R extends Role>(
    role: R,
    { cpus, ...options }: Omit<LaneOptions<Steps<R>>, 'session' | 'start'> & { cpus?: readonly number[] },
  ): Lane<Steps<R>> {
    return new Lane({ ...options, session: this, start: () => this.probe(role, cpus) });
  }
}
