// Figures, ratios and goals as text, for the terminal and for Markdown.

/** Three digits that mean something, and thousands apart. */
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
 * @returns what was measured, its range over the rounds, and whether that is enough
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
