/** Tasks of ours, in every worker of a probe: they get what the user's function gets, and give what it gives. */
import type { EchoSetup } from './protocol.js';

let result: unknown;
/** What was computed goes here, so that it is not optimised away. */
let kept = 0;

export function setup({ data }: { readonly data: Pick<EchoSetup, 'result'> }): void {
  result = data.result;
}

/** Does nothing. */
export function echo(_input: unknown): unknown {
  return result;
}

/** Computes for a time that is known, and touches no memory: the same work, whoever has the core in the meantime. */
export function spin(iterations: number, _input: unknown): unknown {
  let x = kept;
  // The constants of a linear congruential generator (D. E. Knuth, vol. 2): each step needs the one before.
  for (let i = 0; i < iterations; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  kept = x;
  return result;
}
