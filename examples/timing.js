// How long work takes, and what is said of it in the end.

/** @returns the result, and how many milliseconds it took */
export async function timed(run) {
  const begin = performance.now();
  const result = await run();
  return [result, performance.now() - begin];
}

/** What threads brought, in words. @param alone, together milliseconds @param what took that long */
export function gain({ threads, alone, together, what = 'it' }) {
  return (
    `On ${threads} threads ${what} took ${together.toFixed(0)} ms, in one ${alone.toFixed(0)} ms: ` +
    `${(alone / together).toFixed(2)} times as fast`
  );
}
