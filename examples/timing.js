// Measures how long work takes, and says how much threads gained.

/** @returns the result, and how many milliseconds it took */
export async function timed(run) {
  const begin = performance.now();
  const result = await run();
  return [result, performance.now() - begin];
}

/** Says how much threads gained. @param alone, together milliseconds @param what the work, as the subject of the sentence */
export function gain({ threads, alone, together, what = 'it' }) {
  return (
    `On ${threads} threads ${what} took ${together.toFixed(0)} ms, in one ${alone.toFixed(0)} ms: ` +
    `${(alone / together).toFixed(2)} times as fast`
  );
}
