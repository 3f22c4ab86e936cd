/** Asks the scaling policy how many workers there should be, when something happened or when it wants to be asked. */
import type { LoadView, Measured, Scaling, TimerHandle } from '../contracts.js';

/** One change of a pool's size, and what it was decided on. */
export interface SizingDecision {
  /** When it was decided. Milliseconds since the epoch. */
  readonly at: number;
  /** Who decided. */
  readonly by: 'pool' | 'coordinator';
  /** How many there were. Workers. */
  readonly from: number;
  /** How many are wanted. Workers. */
  readonly to: number;
  /** The reason, in words. */
  readonly why: string;
  /** Tasks that waited. Tasks. */
  readonly queued: number;
  /** Workers that had nothing to do. Workers. */
  readonly idle: number;
}

interface SizerContext {
  readonly by: SizingDecision['by'];
  readonly scaling: Scaling;
  readonly platform: { now(): number; timer(ms: number, callback: () => void): TimerHandle };
  load(): Omit<LoadView, 'now' | 'measured'>;
  measure(): Measured;
  /** The time has come at which the policy wanted to be asked: `target` is to be called. */
  onDue(): void;
  /** The policy wants another number of workers than there are, or another than it wanted before. */
  onDecision(decision: SizingDecision): void;
}

export class Sizer {
  /** Whether more waiting tasks would change nothing. */
  isSated = false;
  readonly #context: SizerContext;
  #state: unknown;
  #timer: { readonly handle: TimerHandle; readonly dueAt: number } | undefined;
  #isDue = false;
  /** The change that was told last: it is not told again. */
  #told = { from: -1, to: -1 };

  constructor(context: SizerContext) {
    this.#context = context;
    this.#state = context.scaling.initial;
  }

  /** How many workers there should be now, within the bounds. */
  target(): number {
    const { scaling, platform, measure } = this.#context;
    const now = platform.now();
    const measured = this.#isDue ? measure() : undefined;
    this.#isDue = false;
    const load: LoadView = { ...this.#context.load(), now, measured };
    const { target, why, state, againMs, isSated } = scaling.decide(load, this.#state);
    this.#state = state;
    this.isSated = isSated;
    this.#schedule(now, againMs);
    const bounded = Math.max(load.min, Math.min(load.max, target));
    const { current: from, queued, idle } = load;
    this.#tell({ at: now, from, queued, idle }, bounded, reasonOf(load, target, why));
    return bounded;
  }

  /** The pool has `from` workers, fewer than the bounds ask for: there are to be `min`, and the policy is not asked. */
  least(now: Pick<SizingDecision, 'from' | 'queued' | 'idle'>, min: number): void {
    this.#tell({ ...now, at: this.#context.platform.now() }, min, atLeast(min));
  }

  /** From now on the policy is not asked at the times that it wanted. */
  stop(): void {
    this.#timer?.handle.cancel();
    this.#timer = undefined;
  }

  /** Sets the one timer to the earliest time at which the policy wanted to be asked. */
  #schedule(now: number, againMs: number | undefined): void {
    if (againMs === undefined) return;
    const dueAt = now + againMs;
    if (this.#timer !== undefined && this.#timer.dueAt <= dueAt) return;
    this.#timer?.handle.cancel();
    const handle = this.#context.platform.timer(againMs, () => {
      this.#timer = undefined;
      this.#isDue = true;
      this.#context.onDue();
    });
    this.#timer = { handle, dueAt };
  }

  #tell(of: Omit<SizingDecision, 'by' | 'to' | 'why'>, to: number, why: string): void {
    const { from } = of;
    const isTold = this.#told.from === from && this.#told.to === to;
    this.#told = { from, to };
    if (isTold || from === to) return;
    this.#context.onDecision({ ...of, by: this.#context.by, to, why });
  }
}

/** The reason of a decision: the bound, if that decided and not the policy. */
function reasonOf({ min, max }: LoadView, target: number, why: string): string {
  if (target < min) return atLeast(min);
  return target > max ? `${why}; there may be at most ${max}` : why;
}

function atLeast(min: number): string {
  return `there must be at least ${min}`;
}
