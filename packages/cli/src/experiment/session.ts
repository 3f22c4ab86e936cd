/** One measurement on its way: its time, its probes, and what was left out. */
import type { Samples } from '../subjects/function/rules/samples.js';
import type { MeasureEvents, MeasurePlan } from '../subjects/function/measure/contract.js';
import type { RoleName } from '../subjects/function/probe/protocol.js';
import { Probe } from '../subjects/function/probe/client.js';
import { callLimitMs, clamp, type StepName, shareOf } from '../subjects/function/measure/schedule.js';

type Skipped = Samples['skipped'][number];

export class Session {
  readonly plan: MeasurePlan;
  /** After so long a call counts as one that never settles. */
  readonly limitMs: number;
  readonly skipped: Skipped[] = [];
  readonly #events: MeasureEvents;
  readonly #begin = performance.now();
  readonly #probes = new Set<Probe<RoleName>>();
  #isShort = false;

  constructor(plan: MeasurePlan, events: MeasureEvents) {
    this.plan = plan;
    this.limitMs = callLimitMs(plan.budgetMs);
    this.#events = events;
  }

  get remainingMs(): number {
    return Math.max(0, this.plan.budgetMs - (performance.now() - this.#begin));
  }

  get isOver(): boolean {
    return this.plan.signal.aborted || this.remainingMs === 0;
  }

  /** Something is missing because the time was over, or somebody ended it. */
  get isCutShort(): boolean {
    return this.#isShort || this.plan.signal.aborted;
  }

  /** How long an answer may take that should take `expectedMs`. */
  patience(expectedMs = 0): number {
    const late = this.limitMs + 3 * expectedMs;
    // A tenth beyond the budget, so that what nearly ended is not lost.
    return clamp(late, 1, this.remainingMs + this.plan.budgetMs / 10);
  }

  /** Tells what is done next, and gives the time for it; undefined: there is none left. */
  begin(step: StepName, what: string, leastMs = 1): number | undefined {
    const share = shareOf(step, this.remainingMs);
    if (this.plan.signal.aborted) return undefined;
    if (share < leastMs) {
      this.skipForTime(what);
      return undefined;
    }
    this.say(what);
    return share;
  }

  say(what: string): void {
    this.#events.progress({ what, done: clamp(1 - this.remainingMs / this.plan.budgetMs, 0, 1) });
  }

  skip(what: string, why: string): void {
    this.skipped.push({ what, why });
  }

  skipForTime(what: string): void {
    this.#isShort = true;
    this.skip(what, 'there was no time for it');
  }

  /** Not everything of a step could be done. */
  cutShort(): void {
    this.#isShort = true;
  }

  start<R extends RoleName>(role: R, cpus?: readonly number[]): Probe<R> {
    const probe = new Probe(role, { signal: this.plan.signal, cpus });
    this.#probes.add(probe as unknown as Probe<RoleName>);
    return probe;
  }

  async end(probe: Probe<RoleName>): Promise<void> {
    this.#probes.delete(probe);
    await probe.kill();
  }

  /** Ends whatever still runs. */
  async close(): Promise<void> {
    await Promise.all([...this.#probes].map((probe) => this.end(probe)));
  }
}
