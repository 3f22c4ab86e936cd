/** Knows at any moment which inputs are done, in little space, though batches finish in any order. */

import type { Compare, Done, Position, Span } from '../inputs/input-source.js';
import type { Batch } from '../work/batch.js';

/** Inputs that were read one after the other: all of an open batch, or all done. */
interface Stretch {
  readonly first: Position;
  readonly last: Position;
  readonly state: Batch | 'open for good' | 'done';
}

export class DoneTracker {
  #mark: Position | undefined;
  /** Left over by an earlier run, dropped when the mark has passed them. */
  #carried: readonly Span[];
  /** In the order of reading. Done ones become one with their neighbours: there are no more than two for an open batch. */
  readonly #stretches: Stretch[] = [];
  readonly #compare: Compare;

  constructor(done: Done, compare: Compare) {
    this.#mark = done.mark;
    this.#carried = done.beyond;
    this.#compare = compare;
  }

  /** Must be called in the order of reading. */
  begin(batch: Batch): void {
    this.#stretches.push(stretch(batch.inputs, batch));
  }

  /** Inverse of begin. `count`: how many inputs from the front are done; the rest stays open for good. */
  finish(batch: Batch, count: number): void {
    const at = this.#stretches.findIndex(({ state }) => state === batch);
    if (at === -1 || count === 0) return;
    const done = [stretch(batch.inputs.slice(0, count), 'done')];
    const rest = batch.inputs.slice(count);
    this.#stretches.splice(at, 1, ...done, ...(rest.length > 0 ? [stretch(rest, 'open for good')] : []));
    this.#join(at);
    this.#join(at - 1);
    const [front] = this.#stretches;
    if (front?.state !== 'done') return;
    this.#stretches.shift();
    this.#mark = front.last;
    this.#carried = this.#carried.filter(([, last]) => this.#compare(last, front.last) > 0);
  }

  done(): Done {
    const done = this.#stretches.filter(({ state }) => state === 'done');
    return {
      mark: this.#mark,
      beyond: [...this.#carried, ...done.map(({ first, last }): Span => [first, last])],
    };
  }

  /** Makes one of the stretch there and the next one, if both are done. */
  #join(at: number): void {
    const [left, right] = [this.#stretches[at], this.#stretches[at + 1]];
    if (left?.state !== 'done' || right?.state !== 'done') return;
    this.#stretches.splice(at, 2, { first: left.first, last: right.last, state: 'done' });
  }
}

function stretch(inputs: Batch['inputs'], state: Stretch['state']): Stretch {
  return { first: inputs[0]!.position, last: inputs.at(-1)!.position, state };
}
