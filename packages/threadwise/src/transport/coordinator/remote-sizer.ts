/** What the coordinator says about the pool's size, as main has it. */
import type { Link, LinkEvents, RemoteSizing, ReservedEvents, ThreadSpec } from '../../core/contracts.js';
import type { SizingDecision } from '../../core/workers/sizer.js';
import type { Reserve } from './reserve.js';

export class RemoteSizer implements RemoteSizing {
  wanted: number | undefined;
  readonly #tell: (min: number, max: number) => void;
  readonly #drain: () => void;
  readonly #reserve: Reserve;
  #news: (SizingDecision | undefined)[] = [];
  #bounds: { readonly min: number; readonly max: number } | undefined;
  #onWanted: (decision: SizingDecision | undefined) => void = () => undefined;

  /** @param tell the coordinator, if there is one @param drain hears what it has said */
  constructor(tell: (min: number, max: number) => void, drain: () => void, reserve: Reserve) {
    this.#tell = tell;
    this.#drain = drain;
    this.#reserve = reserve;
  }

  reserve(events: LinkEvents, specOf: (link: Link) => ThreadSpec, callbacks: ReservedEvents) {
    return this.#reserve.add(events, specOf, callbacks);
  }

  bound(bounds: { readonly min: number; readonly max: number }): void {
    this.#bounds = bounds;
    this.wanted = undefined; // it was said of other bounds
    this.repeat();
  }

  drain(): void {
    this.#drain();
    this.settledBatch();
  }

  onWanted(callback: (decision: SizingDecision | undefined) => void): void {
    this.#onWanted = callback;
  }

  hear(wanted: number, decision: SizingDecision | undefined): void {
    this.wanted = wanted;
    this.#news.push(decision);
  }

  /**
   * Everything that had arrived was heard. Not before that: a main thread that was busy hears what was wanted first, and then
   * that the coordinator has started as many by itself.
   */
  settledBatch(): void {
    const news = this.#news;
    this.#news = [];
    for (const decision of news) this.#onWanted(decision);
  }

  /** The coordinator is dead: until the next one has said something, main decides. */
  forget(): void {
    this.wanted = undefined;
  }

  /** Tells a coordinator, which may be a new one, what it is to know. */
  repeat(): void {
    if (this.#bounds !== undefined) this.#tell(this.#bounds.min, this.#bounds.max);
  }
}
