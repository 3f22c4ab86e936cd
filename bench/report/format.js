// Formats figures, ratios and goals as text, for the terminal and for Markdown.

/** A number with three significant digits and separators of thousands. */
export function formatNumber(value) {
  const digits = Number(value.toPrecision(3));
  return digits.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

export function formatRatio(value) {
  if (value === undefined) return '';
  return value >= 100 ? `${formatNumber(value)} x` : `${value.toPrecision(2)} x`;
}

const COMPARED = new Set(['times', 'share']);

/**
 * @param goal as goals.js evaluates it
 * @returns the measured value, its range over the rounds, and whether the goal is met
 */
export function formatGoal({ by, metric, value, min, max, isMet }, metrics) {
  if (value === undefined) return { measured: '', range: '', verdict: 'not measured' };
  const { unit } = metrics.find(({ id }) => id === metric);
  const show = COMPARED.has(by) ? formatRatio : formatNumber;
  return {
    measured: COMPARED.has(by) ? show(value) : `${show(value)} ${unit}`,
    range: `${show(min)} - ${show(max)}`,
    verdict: isMet ? 'yes' : 'no',
  };
}
