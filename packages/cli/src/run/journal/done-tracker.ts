/** Knows at any moment which inputs are done, in little space, though batches finish in any order. */

import type { Compare } from '../inputs/done.js';
import type { Done, Position, Span } from '../inputs/input-source.js';
import type { Batch } from '../work/batch.js';

/** A run of inputs that were read one after the other, all open or all done. */
interface Stretch {
  first: Position;
  last: Position;
  isDone: boolean;
  previous: Stretch | undefined;
  next: Stretch | undefined;
}

/**
 * A list of stretches in the order of reading. Done ones melt with their done neighbours and, at the front, into the
 * mark; so no more are kept than there are open batches, and one between each two of them.
 */
export class DoneTracker {
  #mark: Position | undefined;
  /** Left over by an earlier run, dropped when the mark has passed them. */
  #carried: readonly Span[];
  #head: Stretch | undefined;
  #tail: Stretch | undefined;
  readonly #open = new Map<Batch, Stretch>();
  readonly #compare: Compare;

  constructor(done: Done, compare: Compare) {
    this.#mark = done.mark;
    this.#carried = done.beyond;
    this.#compare = compare;
  }

  /** Must be called in the order of reading. */
  begin(batch: Batch): void {
    const { inputs } = batch;
    const stretch: Stretch = {
      first: inputs[0]!.position,
      last: inputs.at(-1)!.position,
      isDone: false,
      previous: this.#tail,
      next: undefined,
    };
    if (this.#tail === undefined) this.#head = stretch;
    else this.#tail.next = stretch;
    this.#tail = stretch;
    this.#open.set(batch, stretch);
  }

  /** Inverse of begin. `count`: how many inputs from the front are done; the rest stays open for good. */
  finish(batch: Batch, count: number): void {
    const stretch = this.#open.get(batch);
    if (stretch === undefined || count === 0) return;
    this.#open.delete(batch);
    if (count < batch.inputs.length) this.#split(stretch, batch, count);
    stretch.isDone = true;
    if (stretch.next?.isDone === true) this.#melt(stretch, stretch.next);
    if (stretch.previous?.isDone === true) this.#melt(stretch.previous, stretch);
    this.#advanceMark();
  }

  done(): Done {
    const beyond: Span[] = [...this.#carried];
    for (let stretch = this.#head; stretch !== undefined; stretch = stretch.next) {
      if (stretch.isDone) beyond.push([stretch.first, stretch.last]);
    }
    return { mark: this.#mark, beyond };
  }

  #split(stretch: Stretch, { inputs }: Batch, count: number): void {
    const rest: Stretch = {
      first: inputs[count]!.position,
      last: stretch.last,
      isDone: false,
      previous: stretch,
      next: stretch.next,
    };
    stretch.last = inputs[count - 1]!.position;
    this.#link(rest, stretch.next);
    this.#link(stretch, rest);
  }

  #melt(left: Stretch, right: Stretch): void {
    left.last = right.last;
    this.#link(left, right.next);
  }

  #link(left: Stretch, right: Stretch | undefined): void {
    left.next = right;
    if (right === undefined) this.#tail = left;
    else right.previous = left;
  }

  #advanceMark(): void {
    const head = this.#head;
    if (head?.isDone !== true) return;
    const mark = head.last;
    this.#mark = mark;
    this.#head = head.next;
    if (this.#head === undefined) this.#tail = undefined;
    else this.#head.previous = undefined;
    this.#carried = this.#carried.filter(([, last]) => this.#compare(last, mark) > 0);
  }
}
