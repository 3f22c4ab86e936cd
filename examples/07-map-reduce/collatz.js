// The work, plainly: how many steps of Collatz' rule lead from a number to 1, and how often each number of steps occurs.
import { randomFrom } from '../random.js';

/** More steps than any number up to 2^20 takes: 837,799 takes the most, 524. */
export const BINS = 1024;

/** The map: `n / 2` or `3 n + 1`, until it is 1. */
export function stepsOf(number) {
  let steps = 0;
  // On the way up it passes 2^32, and never 2^53; its last bit is right all the same.
  for (let n = number; n !== 1; steps++) n = (n & 1) === 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/** Map and reduction of some numbers: adds to the histogram. */
export function count(numbers, histogram) {
  for (const number of numbers) histogram[stepsOf(number)] += 1;
}

/** Whole numbers from 1 to 2^20, the same for the same seed. */
export function fill(numbers, seed) {
  const random = randomFrom(seed);
  for (let i = 0; i < numbers.length; i++) numbers[i] = (random() >>> 12) + 1;
}
