/**
 * Figures with their intervals, out of few and noisy measurements. The interval of a median is that of order statistics (the sign
 * test, W. J. Conover, "Practical Nonparametric Statistics"), which assumes nothing about the distribution of the noise. Where even the
 * smallest and the largest value are too close for the confidence, it is widened to Student's interval, which assumes a normal one.
 */

import { deviation, mean, quantileSorted } from 'd3-array';

/** A figure with its interval: with 95 % confidence it lies from `low` to `high`. */
export type Estimate = Readonly<Record<'value' | 'low' | 'high', number>>;

/** Repeated measurements of the same thing, one of each round: the same places of two series belong together. Empty: it was not measured. */
export type Series = readonly number[];

export type Spread = NonNullable<ReturnType<typeof spreadOf>>;

const CONFIDENCE = 0.95;

/** The median and its interval; undefined: there is none. Values that are not finite are left out; both ends of a single value are that value. */
export function estimate(series: Series, confidence = CONFIDENCE): Estimate | undefined {
  const sorted = sortedOf(series);
  return sorted.length === 0 ? undefined : intervalOf(sorted, confidence, widened);
}

/** The ratio `of / to`, round by round, so that both were measured in the same conditions. Undefined for fewer than two rounds. */
export function ratio(of: Series, to: Series, confidence = CONFIDENCE): Estimate | undefined {
  const sorted = sortedOf(pairwise(of, to, (a, b) => a / b));
  if (sorted.length < 2) return undefined;
  return intervalOf(sorted, confidence, sorted[0]! > 0 ? widenedByFactors : widened);
}

/** The figure with its interval, each turned into something else by a function that only rises. */
export function mapped({ value, low, high }: Estimate, turn: (value: number) => number): Estimate {
  return { value: turn(value), low: turn(low), high: turn(high) };
}

/** Combines the values of each round that both series have; results that are no number are left out. */
export function pairwise(a: Series, b: Series, combine: (a: number, b: number) => number): number[] {
  const rounds = Math.min(a.length, b.length);
  return Array.from({ length: rounds }, (_, i) => combine(a[i]!, b[i]!)).filter(Number.isFinite);
}

/** The confidence that each of `count` intervals needs, so that all hold with that of one (C. E. Bonferroni): the best is best by chance, too. */
export function confidenceOfEach(count: number): number {
  return 1 - (1 - CONFIDENCE) / Math.max(1, count);
}

/** Half the width of the interval of repeated runs of the same thing, as a share of their median; undefined: there are fewer than two. */
export function noiseOf(series: Series): number | undefined {
  const sorted = sortedOf(series);
  if (sorted.length < 2) return undefined;
  const { value, low, high } = between(sorted, Math.max(0, outside(sorted.length, 1 - CONFIDENCE)));
  const noise = (high - low) / 2 / value;
  return Number.isFinite(noise) ? noise : undefined;
}

/** Turns rounds, each a record of figures, into one series for each of the named figures. */
export function seriesOf<K extends string>(
  rounds: readonly Readonly<Record<K, number>>[],
  ...names: readonly K[]
): Record<K, number[]> {
  const series = names.map((name) => [name, rounds.map((round) => round[name])]);
  return Object.fromEntries(series) as Record<K, number[]>;
}

/** The median; undefined: nothing was measured. */
export function middleOf(series: Series): number | undefined {
  return estimate(series)?.value;
}

/** The estimate if all its figures are finite, so that it can be shown; a ratio to 0 is not. */
export function real(figure: Estimate | undefined): Estimate | undefined {
  return Object.values(figure ?? {}).every(Number.isFinite) ? figure : undefined;
}

export function spreadOf(values: Series) {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
  const [count, max] = [sorted.length, at(1)];
  return { count, mean: mean(sorted)!, p50: at(0.5), p90: at(0.9), p99: at(0.99), max };
}

/** Returns at most `count` of the items, evenly spread over the list. */
export function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}

function sortedOf(series: Series): number[] {
  return series.filter(Number.isFinite).toSorted((a, b) => a - b);
}

/** @param widen makes the interval where even all values together are too few for this confidence */
function intervalOf(sorted: number[], confidence: number, widen: typeof widened): Estimate {
  const left = outside(sorted.length, 1 - confidence);
  return left < 0 ? widen(sorted, 1 - confidence) : between(sorted, left);
}

/** The median, and the interval of the values without `left` of them at each end. */
function between(sorted: number[], left: number): Estimate {
  return { value: quantileSorted(sorted, 0.5)!, low: sorted[left]!, high: sorted.at(-1 - left)! };
}

/** The interval by Student's t, which contains all values; it reaches below 0 only where a value does. */
function widened(sorted: number[], doubt: number): Estimate {
  const all = between(sorted, 0);
  const { length: count } = sorted;
  // Not a number for a single value.
  const half = (studentQuantile(doubt, count - 1) * deviation(sorted)!) / Math.sqrt(count);
  if (!Number.isFinite(half)) return all;
  const center = mean(sorted)!;
  const low = Math.max(all.low < 0 ? -Number.MAX_VALUE : 0, Math.min(all.low, center - half));
  return { ...all, low, high: Math.max(all.high, center + half) };
}

/** `widened` for ratios, by their logarithms: twice as much is as far from one as half as much. */
function widenedByFactors(sorted: number[], doubt: number): Estimate {
  const { value, low, high } = between(sorted, 0);
  const logs = widened(sorted.map(Math.log), doubt);
  const most = Math.min(Number.MAX_VALUE, Math.max(high, Math.exp(logs.high)));
  return { value, low: Math.min(low, Math.exp(logs.low)), high: most };
}

/** How many of `count` values to leave out at each end, so that the true median lies among the rest but for `doubt`; -1: even all are too few. */
function outside(count: number, doubt: number): number {
  // Each value is below the median with probability 1/2, so the number of those below has a binomial distribution. Logarithms do not underflow.
  let below = 0;
  let log = count * Math.log(0.5);
  for (let left = 0; ; left++) {
    below += Math.exp(log);
    if (2 * below > doubt) return left - 1;
    log += Math.log((count - left) / (left + 1));
  }
}

/** How often the interval of an angle is halved: then the angle is as exact as a double. */
const HALVINGS = 60;

/**
 * The number for which Student's t with a whole number of degrees of freedom lies between minus and plus that number with probability
 * 1 - `doubt`. Uses the closed forms in M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
 */
export function studentQuantile(doubt: number, freedom: number): number {
  let [low, high] = [0, Math.PI / 2];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (within(middle, freedom) < 1 - doubt) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** The probability that t lies between minus and plus the square root of `freedom` times the tangent of the angle. */
function within(angle: number, freedom: number): number {
  if (freedom === 1) return (2 * angle) / Math.PI;
  const isOdd = freedom % 2 === 1;
  const square = Math.cos(angle) ** 2;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = term;
  for (let k = isOdd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= ((k - 1) / k) * square;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
