/** --range a..b: the integers from a to b are the inputs, both ends included. */

import {
  compareNumbers,
  type Done,
  type Input,
  type InputSource,
  isDone,
  type Sample,
  type SampledInput,
} from './input-source.js';

export interface RangeOptions {
  readonly from: number;
  readonly to: number;
}

/** Numbers are free to make; a group only has to be larger than a batch. */
const GROUP = 4096;

export function openRange({ from, to }: RangeOptions): InputSource {
  const total = to - from + 1;
  return {
    kind: 'range',
    identity: { kind: 'range', from, to },
    total,
    totalBytes: undefined,
    compare: compareNumbers,
    count() {},
    read: (done) => read(from, total, done),
    sample: (count) => sample(from, total, count),
    close() {},
  };
}

function* read(from: number, total: number, done: Done): Generator<readonly Input[]> {
  const start = done.mark === undefined ? 0 : Number(done.mark) + 1;
  for (let first = start; first < total; first += GROUP) {
    const group: Input[] = [];
    for (let position = first; position < Math.min(first + GROUP, total); position += 1) {
      if (!isDone(done, position, compareNumbers)) group.push({ value: from + position, position, bytes: 0 });
    }
    if (group.length > 0) yield group;
  }
}

function sample(from: number, total: number, count: number): Sample {
  // Spread evenly: what a number costs often grows with it.
  const size = Math.min(count, total);
  const inputs = Array.from({ length: size }, (_, i): SampledInput => {
    const position = Math.floor((i * total) / size);
    return { value: from + position, position, bytes: 0, weight: 1 };
  });
  return { inputs, how: 'spread evenly over the range' };
}
