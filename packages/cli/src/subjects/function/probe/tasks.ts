/** Tasks of ours, in every worker of a probe: they get what the user's function gets, and give what it gives. */
import type { Passing } from '../../../run/work/passing.js';

export interface EchoSetup {
  readonly input: unknown;
  readonly passing: Passing;
  readonly result: unknown;
  readonly threads: number;
  readonly outstanding: number;
  readonly warmMs: number;
}

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
  // Operators of 32-bit integers alone: an addition the compiler may one time make one of floats, four times as slow, another time not.
  const count = iterations | 0;
  let x = kept;
  // As the finalizers of hash functions mix: each step needs the one before.
  for (let i = 0; i < count; i++) x = Math.imul(x ^ (x >>> 15) ^ i, 0x2c1b3c6d);
  kept = x;
  return result;
}
