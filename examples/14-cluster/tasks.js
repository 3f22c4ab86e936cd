// What a worker thread does.
export { countPrimes } from './primes.js';
