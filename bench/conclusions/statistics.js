// Medians, ranges and ratios of samples.

/** The fewest rounds from which anything is concluded: two agree by chance too often. */
export const FEWEST_ROUNDS = 3;

/** The value below which a share of the values lies (nearest rank). `sorted` is in ascending order and not empty. */
export function quantile(sorted, share) {
  const rank = Math.ceil(sorted.length * share);
  return sorted[Math.max(0, Math.min(sorted.length, rank) - 1)];
}

/** For an even number of samples, the mean of the two in the middle. */
export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and range; `noise` is the range as a share of the median: infinite for a median of 0 and rounds that differ. */
export function describe(samples) {
  const [min, max] = [Math.min(...samples), Math.max(...samples)];
  const middle = median(samples);
  return { median: middle, min, max, noise: max === min ? 0 : (max - min) / Math.abs(middle) };
}

/** How many times as good `value` is as `reference`: 2 is twice the calls, or half the time. */
export function ratio(value, reference, better) {
  return better === 'higher' ? value / reference : reference / value;
}
