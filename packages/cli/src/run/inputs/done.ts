/** Which inputs an earlier run of the journal has finished; used by every kind of input when it goes on. */

import type { Done, Input, Position, SampledInput } from './input-source.js';

export type Compare = (a: Position, b: Position) => number;

export const compareNumbers: Compare = (a, b) => Number(a) - Number(b);

export function isDone(done: Done, position: Position, compare: Compare): boolean {
  if (done.mark === undefined && done.beyond.length === 0) return false;
  if (done.mark !== undefined && compare(position, done.mark) <= 0) return true;
  return done.beyond.some(([first, last]) => compare(position, first) >= 0 && compare(position, last) <= 0);
}

export interface Counted {
  readonly value: unknown;
  readonly bytes: number;
}

/** Gives the values of a stream their numbers as positions and leaves out those that are done. */
export async function* numbered(
  groups: AsyncIterable<readonly Counted[]>,
  done: Done,
): AsyncGenerator<readonly Input[]> {
  let position = 0;
  for await (const group of groups) {
    const inputs: Input[] = [];
    for (const { value, bytes } of group) {
      if (!isDone(done, position, compareNumbers)) inputs.push({ value, bytes, position });
      position += 1;
    }
    if (inputs.length > 0) yield inputs;
  }
}

/** The first `count` inputs of a stream, as a sample. */
export async function* firstOf(
  groups: AsyncIterable<readonly Input[]>,
  count: number,
): AsyncGenerator<SampledInput> {
  let left = count;
  for await (const group of groups) {
    for (const input of group.slice(0, left)) yield { ...input, weight: 1 };
    left -= group.length;
    if (left <= 0) return;
  }
}
