/** A distribution in six figures. */
import type { Spread } from '../subjects/function/rules/samples.js';

export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { count: sorted.length, mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sorted.at(-1)! };
}
