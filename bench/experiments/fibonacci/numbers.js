// Checks Fibonacci numbers, which are computed in another way than by the task.

/** Numbers beyond 2^53 are rounded in each addition: after thousands of them, by less than this share. */
const ROUNDING = 1e-12;
/** The index of the first Fibonacci number that is too large for a number of JavaScript. */
const FIRST_INFINITE = 1477;

/** @returns a function that says whether a result is fibonacci(index), except for rounding */
export function checkFor(index) {
  const exact = index < FIRST_INFINITE ? Number(exactFibonacci(index)) : Infinity;
  return (result) => result === exact || Math.abs(result / exact - 1) < ROUNDING;
}

export function exactFibonacci(index) {
  let [number, next] = [0n, 1n];
  for (let i = 0; i < index; i++) [number, next] = [next, number + next];
  return number;
}
