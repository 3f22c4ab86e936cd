/** Noise from a seed: each measurement differs by some share, whole rounds drift, and now and then one is far too slow. */
import type { Series } from '../../../experiment/statistics.js';

export const QUIET = {
  /** Standard deviation of the logarithm of a measurement: about the share by which it differs. */
  noise: 0,
  /** Standard deviation of the noise that all measurements of one round share. */
  drift: 0,
  /** The share of measurements that are 1.5 to 4 times too slow. */
  outliers: 0,
  seed: 1,
};

export function noiseFrom({ noise, drift, outliers, seed }: typeof QUIET) {
  const source = uniform(seed);
  const drifts: number[] = [];
  const driftOf = (round: number): number => {
    while (drifts.length <= round) drifts.push(drift * normal(source));
    return drifts[round]!;
  };
  const slow = (): number => (source() < outliers ? 1.5 + 2.5 * source() : 1);
  const series = (count: number, each: (round: number) => number): Series =>
    Array.from({ length: count }, (_, round) => each(round));
  return {
    /** A rate in each round. */
    rounds: (count: number, value: number): Series =>
      series(count, (round) => (value * Math.exp(noise * normal(source) + driftOf(round))) / slow()),
    /** A figure in each round that no wall clock measures: a tenth of the noise, no drift. */
    calm: (count: number, value: number): Series =>
      series(count, () => value * Math.exp((noise / 10) * normal(source))),
  };
}

/** Random numbers from 0 up to, not including, 1: G. Marsaglia's xorshift with 32 bits, multiplied. */
export function uniform(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (Math.imul(state, 0x2c1b3c6d) >>> 0) / 2 ** 32;
  };
}

/** A normally distributed number with mean 0 and standard deviation 1, by G. E. P. Box and M. E. Muller. */
export function normal(source: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - source())) * Math.cos(2 * Math.PI * source());
}
