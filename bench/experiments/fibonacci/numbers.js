// Which Fibonacci number is right: computed by another way than that of the task.

/** What is beyond 2^53 is rounded in each addition: by less than this share, after thousands of them. */
const ROUNDING = 1e-12;
/** The first one that no number of JavaScript holds. */
const FIRST_INFINITE = 1477;

/** @returns whether a result is fibonacci(index), but for rounding */
export function checkFor(index) {
  const exact = index < FIRST_INFINITE ? Number(exactFibonacci(index)) : Infinity;
  return (result) => result === exact || Math.abs(result / exact - 1) < ROUNDING;
}

function exactFibonacci(index) {
  let [number, next] = [0n, 1n];
  for (let i = 0; i < index; i++) [number, next] = [next, number + next];
  return number;
}
