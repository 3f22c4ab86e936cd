// Formats figures, ratios and goals as text, for the terminal and for Markdown.
import { FEWEST_ROUNDS } from '../conclusions/statistics.js';

/** A number with three significant digits and separators of thousands. */
export function formatNumber(value) {
  const digits = Number(value.toPrecision(3));
  return digits.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/** @param value a file has null for one that was undefined, or infinite */
export function formatRatio(value) {
  if (value === undefined || value === null) return '';
  return value >= 100 ? `${formatNumber(value)} x` : `${value.toPrecision(2)} x`;
}

const COMPARED = new Set(['times', 'share']);

/**
 * @param goal as goals.js evaluates it
 * @returns the measured value, its range over the rounds, and whether the goal is met
 */
export function formatGoal(goal, metrics) {
  const { by, metric, value, min, max, isMet, rounds } = goal;
  if (value === undefined) return { measured: '', range: '', verdict: 'not measured' };
  const { unit } = metrics.find(({ id }) => id === metric);
  const show = showOf(by);
  return {
    measured: COMPARED.has(by) ? formatReached(goal) : `${formatReached(goal)} ${unit}`,
    range: `${show(min)} - ${show(max)}`,
    verdict: rounds < FEWEST_ROUNDS ? 'too few rounds' : isMet ? 'yes' : 'no',
  };
}

/** The value of a goal; where that is missed by little, with as many digits as it takes to tell. */
export function formatReached({ by, value, isMet, atLeast, atMost }) {
  const limit = value < atLeast ? atLeast : atMost;
  const show = showOf(by);
  if (isMet || limit === undefined || show(value) !== show(limit)) return show(value);
  let digits = 3;
  while (Number(value.toPrecision(digits)) === limit) digits++;
  return `${value.toPrecision(digits)}${COMPARED.has(by) ? ' x' : ''}`;
}

function showOf(by) {
  return COMPARED.has(by) ? formatRatio : formatNumber;
}

/** The cell of a figure that does not exist. */
export const NONE = '-';

/** Why a row has no figures. */
export function whyNot({ failure, notAvailable }) {
  if (notAvailable !== undefined) return `not available: ${reasonIn(notAvailable)}`;
  return failure === undefined ? NONE : `failed: ${reasonIn(failure)}`;
}

/** The line of a process's error output that has the reason, with the next one if it says no more than that there is one, without folders. */
function reasonIn(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const at = Math.max(
    0,
    lines.findIndex((line) => /^\w*Error\b/.test(line)),
  );
  const reason = lines[at]?.endsWith(':') ? `${lines[at]} ${lines[at + 1] ?? ''}` : (lines[at] ?? '');
  return reason.trim().replace(/file:\/\/\S*\//g, '');
}
