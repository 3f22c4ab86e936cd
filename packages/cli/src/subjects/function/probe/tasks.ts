/** Tasks for the probe `costs`: they take the user's arguments and return one of the user's results. */

let result: unknown;
/** What was computed goes here, so that it is not optimised away. */
let kept = 0;

export function setup({ data }: { readonly data: { readonly result: unknown } }): void {
  result = data.result;
}

/** Computes nothing, and does not return its input, but the result given to `setup`. */
export function echo(_input: unknown): unknown {
  return result;
}

/** Computes without touching memory, so that other programs on the machine do not change the work. */
export function spin(iterations: number, _input: unknown): unknown {
  // Only 32-bit integer operators: an addition is sometimes compiled as one of floats, which is four times as slow.
  const count = iterations | 0;
  let x = kept;
  // Mixes like the finalizer of a hash function: each step needs the one before.
  for (let i = 0; i < count; i++) x = Math.imul(x ^ (x >>> 15) ^ i, 0x2c1b3c6d);
  kept = x;
  return result;
}
