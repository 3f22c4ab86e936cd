/** Asks the scaling policy how many workers there should be, when something happened or when it wants to be asked. */
import type { LoadView, Measured, Platform, Scaling, TimerHandle } from '../contracts.js';

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
  readonly platform: Pick<Platform, 'now' | 'timer'>;
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
    if (againMs !== undefined) this.#schedule(now, againMs);
    return this.#tell(load, target, target > load.max ? `${why}; there may be at most ${load.max}` : why);
  }

  /** The pool has fewer workers than the bounds ask for: there are to be `min`, and the policy is not asked. */
  least(): void {
    this.#tell(this.#context.load(), 0, '');
  }

  /** Inverse of `#schedule`. */
  stop(): void {
    this.#timer?.handle.cancel();
    this.#timer = undefined;
  }

  /** Sets the one timer to the earliest time at which the policy wanted to be asked. */
  #schedule(now: number, againMs: number): void {
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

  /** Returns the target, kept within the bounds. */
  #tell(load: ReturnType<SizerContext['load']>, target: number, reason: string): number {
    const { current: from, min, max, queued, idle } = load;
    const { by, platform, onDecision } = this.#context;
    const to = Math.max(min, Math.min(max, target));
    const isTold = this.#told.from === from && this.#told.to === to;
    this.#told = { from, to };
    const why = target < min ? `there must be at least ${min}` : reason;
    if (!isTold && from !== to) onDecision({ at: platform.now(), by, from, to, why, queued, idle });
    return to;
  }
}
