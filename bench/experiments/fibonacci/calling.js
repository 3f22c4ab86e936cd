// Computes the same number in `rounds` rounds, in several ways. `onResult` gets each result.

/** A loop without a pool. */
export function callInLoop(pool, { rounds, argument, onResult }) {
  for (let i = 0; i < rounds; i++) onResult(pool.call('fibonacci', argument));
}

/** Makes a call for each round, all at once: calls that the pool cannot begin wait in its queue. */
export function callEach(pool, { rounds, argument, onResult }) {
  const one = async () => onResult(await pool.call('fibonacci', argument));
  return Promise.all(Array.from({ length: rounds }, one));
}

/** Makes as many calls as there are threads, each for the same share of the rounds. */
export function callBatched(pool, { rounds, argument, threads, onResult }) {
  const size = Math.ceil(rounds / threads);
  const share = async (_, i) => {
    const length = Math.min(size, rounds - i * size);
    for (const result of await pool.call('fibonacciAll', new Array(length).fill(argument))) onResult(result);
  };
  return Promise.all(Array.from({ length: Math.ceil(rounds / size) }, share));
}
