// Computes the same number in so many rounds, in each of the ways that there are. `onResult` gets each result.

/** Without a pool. */
export function callInLoop(pool, { rounds, argument, onResult }) {
  for (let i = 0; i < rounds; i++) onResult(pool.call('fibonacci', argument));
}

/** A call for each round, all of them at once: what a pool does not begin waits in its queue. */
export function callEach(pool, { rounds, argument, onResult }) {
  const one = async () => onResult(await pool.call('fibonacci', argument));
  return Promise.all(Array.from({ length: rounds }, one));
}

/** As many calls as threads, with the same share of the rounds each. */
export function callBatched(pool, { rounds, argument, threads, onResult }) {
  const size = Math.ceil(rounds / threads);
  const share = async (_, i) => {
    const length = Math.min(size, rounds - i * size);
    for (const result of await pool.call('fibonacciAll', new Array(length).fill(argument))) onResult(result);
  };
  return Promise.all(Array.from({ length: Math.ceil(rounds / size) }, share));
}
