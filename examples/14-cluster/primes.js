// The work: counts the primes below a number with the sieve of Eratosthenes.

/** The largest number that is accepted: larger ones would take too long. */
export const MAX_BELOW = 10_000_000;

export function countPrimes(below) {
  const isComposite = new Uint8Array(below);
  let count = 0;
  for (let number = 2; number < below; number++) {
    if (isComposite[number]) continue;
    count += 1;
    for (let multiple = number * number; multiple < below; multiple += number) isComposite[multiple] = 1;
  }
  return count;
}
