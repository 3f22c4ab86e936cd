// The work: how many steps of the Collatz rule lead from a number to 1, and how often each number of steps occurs.
import { randomFrom } from '../random.js';

/** How many numbers of steps are counted: more than any number up to 2^20 takes; 837,799 takes the most, 524. */
export const BINS = 1024;

/** The map: applies `n / 2` or `3 n + 1` until the number is 1. */
export function stepsOf(number) {
  let steps = 0;
  // `n` may exceed 2^32, but never 2^53; its last bit is right all the same.
  for (let n = number; n !== 1; steps++) n = (n & 1) === 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/** Maps and reduces some numbers: adds them to the histogram. */
export function count(numbers, histogram) {
  for (const number of numbers) histogram[stepsOf(number)] += 1;
}

/** Fills an array with whole numbers from 1 to 2^20, the same for the same seed. */
export function fill(numbers, seed) {
  const random = randomFrom(seed);
  for (let i = 0; i < numbers.length; i++) numbers[i] = (random() >>> 12) + 1;
}
