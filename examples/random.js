// Random numbers that are the same for the same seed (xorshift32).

/** @returns a function that returns the next number, from 1 to 2^32 - 1 */
export function randomFrom(seed) {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
