// The work: only computing, so that as many tasks run at a time as there are CPUs.

/** The largest `below`. A task needs one byte of memory, beyond its heap, for each number below that. */
export const MAX_BELOW = 20_000_000;

/** Counts the primes below a number with the sieve of Eratosthenes. */
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
