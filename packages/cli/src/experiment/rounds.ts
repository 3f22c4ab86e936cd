/** The rounds of every measurement, in which everything takes turns: who is next, for how long, when the rounds end, and what is left out. */
import { openAll } from './lane.js';
import { ENOUGH_ROUNDS, FEWEST_ROUNDS } from './rules.js';
import { clamp, type Session } from './session.js';

/** One of the things that are measured in turn. */
export interface Turn<S> {
  /** The name by which the report says that it was left out. */
  readonly what: string;
  /** Whether all other turns are compared with this one, so that no round can do without it. */
  readonly isBase?: boolean;
  /** Whether it could not be measured: the session knows why. */
  isDead?(): boolean;
  /** Starts its process ahead of its first turn. */
  open?(): Promise<void>;
  /** Resolves to undefined if it could not be measured, which the session then knows, or if it was interrupted. */
  take(slice: Slice): Promise<S | undefined>;
}

/** `round`: its number, from 0. */
export type Slice = { readonly ms: number; readonly round: number };

type Round<S> = Map<Turn<S>, S>;

/** Tells the waiting user what is known so far. Returns the answer, if there is no doubt about it. */
export type Look = () => string | undefined;

export interface RoundsOptions<S> {
  readonly session: Session;
  /** Most important first. */
  readonly turns: readonly Turn<S>[];
  /** How many of the turns, from the first on, are measured in any case. */
  readonly needed: number;
  /** How many of the turns, from the first on, the first answer is about. Default: `needed`. */
  readonly first?: number;
  /** How many milliseconds a turn lasts, and how many at least. */
  readonly slice: { readonly ms: number; readonly least: number };
  /** Estimates in milliseconds until the real figures are known: what a turn takes beside its slice, and what the start of its process takes. */
  readonly overheadMs: number;
  readonly openMs?: number;
  /** Undefined: nobody waits for an answer, and the rounds go on as long as there is time. */
  readonly look?: Look | undefined;
  /** How many rounds are enough for any answer. */
  readonly most?: number | undefined;
  /** Returns how many of the first rounds ran while the code was not warm yet. */
  readonly coldOf?: (series: readonly (readonly S[])[]) => number;
  /** What the progress says before the number of the round: `cold, `. */
  readonly title?: string;
}

/** When the rounds are to end, in milliseconds by the clock of the session. */
export interface Until {
  readonly endMs: number;
  /** Takes the place of `endMs` as long as there are not enough rounds. */
  readonly latestMs?: number;
}

/** Why the rounds ended. certain: there are enough. over: there is no time for another one. failed: what all others are compared with could not be measured. */
export type Ending = 'certain' | 'over' | 'interrupted' | 'failed';

/** How many milliseconds after the start of the command a first answer is shown. */
export const FIRST_ANSWER_MS = 10_000;

export class Rounds<S> {
  readonly #options: RoundsOptions<S>;
  readonly #session: Session;
  readonly #rounds: Round<S>[] = [];
  /** The round that could not be completed: it is used if there is no other. */
  #unfinished: Round<S> | undefined;
  /** How many of the first rounds are short, and measure only what the first answer needs, so that it comes soon. */
  readonly #firstLook: number;
  #opened = 0;
  #openMs: number;
  /** How many turns, most important first, are taken in the next round. */
  #wanted: number;
  #overheadMs: number;
  #answer: string | undefined;
  #ending: Ending | undefined;

  constructor(options: RoundsOptions<S>) {
    const { session, slice, turns, look, overheadMs, openMs = 0 } = options;
    this.#options = options;
    this.#session = session;
    this.#wanted = turns.length;
    this.#overheadMs = overheadMs;
    this.#openMs = openMs;
    const answerMs = turns.length * (openMs + FEWEST_ROUNDS * (slice.ms + overheadMs));
    const isLate = session.sinceStartMs + answerMs > FIRST_ANSWER_MS;
    // With a small budget, rounds that do not count would take too much of it, and the answer at its end comes soon enough.
    const isWorthIt = look !== undefined && session.plan.budgetMs > 2 * FIRST_ANSWER_MS;
    this.#firstLook = isLate && isWorthIt ? FEWEST_ROUNDS : 0;
  }

  /** The rounds that count. The first ones, which were short or ran code that was not warm yet, do not count if there are enough others. */
  get kept(): readonly ReadonlyMap<Turn<S>, S>[] {
    if (this.complete === 0 && this.#unfinished !== undefined) return [this.#unfinished];
    return this.#rounds.slice(Math.min(this.#leading, Math.max(0, this.complete - ENOUGH_ROUNDS)));
  }

  get complete(): number {
    return this.#rounds.length;
  }

  /** The values of `turn`, one for each round that counts, up to the first round without it: the same index in two series is the same round. */
  of(turn: Turn<S>): S[] {
    return leading(this.kept, turn);
  }

  /** Makes rounds, at least one, until there are enough or the time is over. May be called again, with more time. */
  async run(until: Until): Promise<Ending> {
    for (;;) {
      this.#ending = this.#endingBefore(until) ?? (await this.#round(until));
      if (this.#ending !== undefined) return this.#ending;
    }
  }

  /** Called after the last round: tells the session what is missing. */
  finish(): void {
    if (this.#ending === undefined || this.#ending === 'failed') return;
    if (this.complete < ENOUGH_ROUNDS) this.#session.isShort = true;
    if (this.#ending === 'interrupted') return;
    const { turns, needed } = this.#options;
    for (const turn of turns.slice(needed)) {
      if (turn.isDead?.() !== true && this.of(turn).length === 0) this.#session.skipForTime(turn.what);
    }
  }

  /** How many rounds at the beginning do not count where there are enough others. */
  get #leading(): number {
    const { turns, needed, coldOf } = this.#options;
    const cold = coldOf?.(turns.slice(0, needed).map((turn) => leading(this.#rounds, turn))) ?? 0;
    return Math.max(this.#firstLook, cold);
  }

  /** Why no other round follows; undefined: one does. */
  #endingBefore({ endMs, latestMs = endMs }: Until): Ending | undefined {
    const session = this.#session;
    const { most = Number.POSITIVE_INFINITY } = this.#options;
    if (session.isAborted) return 'interrupted';
    if (this.#ending === 'failed' || this.#turns().length === 0) return 'failed';
    if (this.complete === 0) return undefined;
    if (this.#isCertain() || this.complete >= most) return 'certain';
    const missing = ENOUGH_ROUNDS + this.#leading - this.complete;
    const restMs = (missing > 0 ? latestMs : endMs) - session.now();
    if (missing > 0 && !this.#isFirstLook) this.#leaveOutUntilFit(restMs, missing * this.#turnMs);
    return this.#turns().length * (this.#sliceMs + this.#overheadMs) <= restMs ? undefined : 'over';
  }

  /** Whether enough rounds gave the same answer twice in a row: among many looks, a single one is certain by chance. */
  #isCertain(): boolean {
    if (this.complete < FEWEST_ROUNDS) return false;
    const before = this.#answer;
    this.#answer = this.#options.look?.();
    const isEnough = this.complete >= ENOUGH_ROUNDS + this.#leading;
    return isEnough && this.#answer !== undefined && this.#answer === before;
  }

  get #isFirstLook(): boolean {
    return this.complete < this.#firstLook;
  }

  #turns(): readonly Turn<S>[] {
    const { turns, needed, first = needed } = this.#options;
    const count = this.#isFirstLook ? first : this.#wanted;
    return turns.slice(0, count).filter((turn) => turn.isBase === true || turn.isDead?.() !== true);
  }

  /** How many milliseconds the next turn lasts: less for the first turns, where the answer would come too late. */
  get #sliceMs(): number {
    const { slice } = this.#options;
    if (!this.#isFirstLook) return slice.ms;
    const restMs = FIRST_ANSWER_MS - this.#session.sinceStartMs;
    const turns = (this.#firstLook - this.complete) * Math.max(1, this.#turns().length);
    return clamp(restMs / turns - this.#overheadMs, slice.least, slice.ms);
  }

  get #turnMs(): number {
    return this.#options.slice.ms + this.#overheadMs;
  }

  /** Gives up the least important turns until there is time for the rest, each of which takes `eachMs`. */
  #leaveOutUntilFit(restMs: number, eachMs: number): void {
    const least = Math.min(this.#options.needed, this.#wanted);
    this.#wanted = clamp(Math.floor(restMs / eachMs), least, this.#wanted);
  }

  /** Starts the processes, first those that are needed: on a busy machine there may be no time for more. */
  async #open({ endMs }: Until): Promise<void> {
    const { needed, turns } = this.#options;
    if (this.#opened < needed) {
      const begin = this.#session.now();
      await openAll(turns.slice(this.#opened, needed));
      this.#opened = needed;
      this.#openMs = (this.#session.now() - begin) / needed;
    }
    if (this.#isFirstLook || this.#opened >= turns.length) return;
    // The time for the start of those that run already is added, since the next line counts a start for each turn.
    const restMs = endMs - this.#session.now() + needed * this.#openMs;
    this.#leaveOutUntilFit(restMs, this.#openMs + ENOUGH_ROUNDS * this.#turnMs);
    await openAll(turns.slice(needed, this.#wanted));
    this.#opened = turns.length;
  }

  async #round(until: Until): Promise<Ending | undefined> {
    const session = this.#session;
    const number = this.complete;
    await this.#open(until);
    session.say(`${this.#options.title ?? ''}round ${number + 1}`);
    const turns = this.#turns();
    const count = Math.max(1, turns.length);
    const ms = this.#sliceMs;
    const begin = session.now();
    const round: Round<S> = new Map();
    for (let i = 0; i < turns.length; i++) {
      // Each round begins with another turn, so that none is always first.
      const turn = turns[(number + i) % count]!;
      const isLate = number > 0 && session.isOver;
      const taken = isLate || session.isAborted ? undefined : await turn.take({ ms, round: number });
      if (taken !== undefined) round.set(turn, taken);
      else if (turn.isBase === true || isLate || session.isAborted) {
        this.#unfinished ??= round;
        if (session.isAborted) return 'interrupted';
        return isLate ? 'over' : 'failed';
      }
    }
    this.#overheadMs = Math.max(0, (session.now() - begin) / count - ms);
    this.#rounds.push(round);
    return undefined;
  }
}

function leading<S>(rounds: readonly ReadonlyMap<Turn<S>, S>[], turn: Turn<S>): S[] {
  const missing = rounds.findIndex((round) => !round.has(turn));
  return rounds.slice(0, missing === -1 ? rounds.length : missing).map((round) => round.get(turn)!);
}

export function sliceFor(
  { ms, least, most }: { readonly ms: number; readonly least: number; readonly most: number },
  turns: number,
  rounds: number,
  overheadMs: number,
): number {
  return clamp(ms / (Math.max(1, turns) * rounds) - overheadMs, least, most);
}
