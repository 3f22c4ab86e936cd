// The work: nothing but computing, so that as many run at a time as there are CPUs.

/** One byte for each number below it: what a task takes of memory beyond its heap. */
export const MAX_BELOW = 20_000_000;

/** How many primes there are below a number: the sieve of Eratosthenes. */
export function countPrimes(below) {
  const isComposite = new Uint8Array(below);
  let count = 0;
  for (let n = 2; n < below; n++) {
    if (isComposite[n]) continue;
    count++;
    for (let multiple = n * n; multiple < below; multiple += n) isComposite[multiple] = 1;
  }
  return count;
}
