// Checks Fibonacci numbers, which are computed in another way than by the task.

/** Numbers beyond 2^53 are rounded in each addition: after thousands of them, by less than this share. */
const ROUNDING = 1e-12;
/** The index of the first Fibonacci number that is too large for a number of JavaScript. */
const FIRST_INFINITE = 1477;

const numberAt = (index) => (index < FIRST_INFINITE ? Number(exactFibonacci(index)) : Infinity);

/** @returns a function that says whether a result is fibonacci(index), except for rounding */
export function checkFor(index) {
  const exact = numberAt(index);
  return (result) => result === exact || Math.abs(result / exact - 1) < ROUNDING;
}

function exactFibonacci(index) {
  let [number, next] = [0n, 1n];
  for (let i = 0; i < index; i++) [number, next] = [next, number + next];
  return number;
}

/**
 * The workload of driver.js for one number, or for `batch` of them in a call. All calls are the same, so the sum of the scores is how many
 * results are right.
 */
export function workloadOf(index, batch) {
  const [isRight, exact] = [checkFor(index), numberAt(index)];
  if (batch === undefined)
    return {
      task: 'fibonacci',
      argument: () => index,
      score: (result) => Number(isRight(result)),
      expected: () => exact,
    };
  const indices = new Array(batch).fill(index);
  return {
    task: 'fibonacciAll',
    argument: () => indices,
    score: (results) => results.filter(isRight).length,
    expected: () => indices.map(() => exact),
  };
}
