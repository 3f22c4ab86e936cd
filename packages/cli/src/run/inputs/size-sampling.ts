/** Chooses a few inputs that stand for all, though most bytes are in a few of them. */

import type { Input, SampledInput } from './input-source.js';

/** Of the whole that is sampled. */
export interface Whole {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Systematic sampling with unequal probabilities (Horvitz and Thompson, https://doi.org/10.2307/2280784): half of an
 * input's chance is the same for all, half is by its size, and its weight is the inverse of the chance. The weighted sum
 * over the sample then estimates the sum over all, and well where the cost is a price per input plus one per byte.
 */
export function* sampleBySize(
  inputs: Iterable<Input>,
  size: number,
  { count, bytes }: Whole,
): Generator<SampledInput> {
  let position = 0.5;
  for (const input of inputs) {
    const share = bytes === 0 ? 1 / count : 0.5 / count + (0.5 * input.bytes) / bytes;
    const chance = count <= size ? 1 : Math.min(1, size * share);
    const before = Math.floor(position);
    position += chance;
    if (Math.floor(position) > before) yield { ...input, weight: 1 / chance };
  }
}
