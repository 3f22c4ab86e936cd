// Whether the measured figures meet goals. A scenario states its goals as data.
import { describe, ratio } from './statistics.js';

/**
 * A goal of a scenario. `of`: the row that it is about; default: threadwise. `to`: what the row is compared with: a role, a
 * package or a row's id; of several rows, the one with the best median. `by`: how the two are compared.
 * @typedef {{ text: string, metric: string, of?: string, to?: string, by?: 'times' | 'share' | 'difference',
 *   atLeast?: number, atMost?: number }} Goal
 */

const OURS = 'threadwise';

const COMPARISONS = {
  /** How many times as good as the reference. */
  times: (value, reference, better) => ratio(value, reference, better),
  share: (value, reference) => value / reference,
  difference: (value, reference) => value - reference,
};

/**
 * @returns the goal with what was measured: `value` from the medians; `min` and `max` from the rounds, each compared with the
 *   same round of the reference; `rounds`: how many; `against`: the row of the reference. There is no `value` if it was not measured, or is no number.
 */
export function evaluate(goal, metrics, rows) {
  const metric = metrics.find(({ id }) => id === goal.metric);
  const { of = OURS, to } = goal;
  const own = rows.find(({ id }) => id === of);
  const reference =
    to &&
    bestRow(
      rows.filter((row) => [row.role, row.package, row.id].includes(to)),
      metric,
    );
  if (!isMeasured(own, metric) || (to && reference === undefined)) return { ...goal, of };
  const values = valuesByRound(goal, metric, own, reference);
  const { min, max } = describe(values);
  const value = compare(goal, metric, medianOf(own, metric), reference && medianOf(reference, metric));
  if (!Number.isFinite(value)) return { ...goal, of }; // a ratio to zero
  const { atLeast = -Infinity, atMost = Infinity } = goal;
  const isMet = value >= atLeast && value <= atMost;
  return { ...goal, of, against: reference?.id, value, min, max, isMet, rounds: values.length };
}

/** The row with the best median among those that were measured. */
export function bestRow(rows, metric) {
  const sign = metric.better === 'higher' ? 1 : -1; // a ratio would not do: a figure may be zero, or below
  const isBetter = (a, b) => sign * (medianOf(a, metric) - medianOf(b, metric)) > 0;
  return rows
    .filter((row) => isMeasured(row, metric))
    .reduce((best, row) => (best === undefined || isBetter(row, best) ? row : best), undefined);
}

const isMeasured = (row, { id }) => row?.figures[id] !== undefined;

const medianOf = (row, { id }) => row.figures[id].median;

function compare({ by }, { better }, value, reference) {
  return by === undefined ? value : COMPARISONS[by](value, reference, better);
}

function valuesByRound(goal, metric, own, reference) {
  const rounds = Math.min(own.samples.length, reference?.samples.length ?? Infinity);
  return own.samples
    .slice(0, rounds)
    .map((sample, round) => compare(goal, metric, sample[metric.id], reference?.samples[round][metric.id]));
}
