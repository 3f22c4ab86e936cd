// Summarizes the samples of an experiment: medians, ranges, ratios to the best published pool, and goals.
import { bestRow, evaluate } from './goals.js';
import { describe, ratio } from './statistics.js';

/**
 * @param plan [{ scenario, entries }] @param describeContender returns the fields of a contender that its row shows
 * @returns for each scenario: the best published row by metric, the figures of each row, and the goals
 */
export function summarize(plan, { samples, failures }, describeContender = ({ role }) => ({ role })) {
  return plan.map(({ scenario, entries }) => {
    const { id, title, x, curve, metrics, goals = [], highlights = [] } = scenario;
    const rows = entries.map(({ id: entryId, contender }) => {
      const own = samples[id][entryId];
      const failure = failures.find((one) => one.scenario === id && one.entry === entryId);
      // An entry that fails in one round has no figures: the other rounds mean nothing.
      const figures = failure ? {} : figuresOf(metrics, own);
      return { id: entryId, ...describeContender(contender), ...outcomeOf(failure), samples: own, figures };
    });
    const published = rows.filter(({ role }) => role === 'published');
    const best = Object.fromEntries(metrics.map((metric) => [metric.id, bestRow(published, metric)]));
    return {
      ...{ id, title, x, curve, metrics, highlights },
      bestPublished: mapValues(best, (row) => row?.id),
      rows: rows.map((row) => withRatios(row, best, metrics)),
      goals: goals.map((goal) => evaluate(goal, metrics, rows)),
    };
  });
}

function outcomeOf(failure) {
  if (failure === undefined) return {};
  return failure.isAvailable ? { failure: failure.message } : { notAvailable: failure.message };
}

/** A metric that a sample does not give has no figure. */
function figuresOf(metrics, samples) {
  const given = metrics.filter(({ id }) => samples.every((values) => values[id] !== undefined));
  return Object.fromEntries(given.map(({ id }) => [id, describe(samples.map((values) => values[id]))]));
}

/** Adds to each figure how many times as good its median is as that of the best published row. */
function withRatios(row, best, metrics) {
  const figures = mapValues(row.figures, (figure, id) => {
    const { better } = metrics.find((metric) => metric.id === id);
    const medians = [figure.median, best[id]?.figures[id].median];
    const toBest = ratio(...medians, better);
    // There is none to a figure of zero, and none of a figure below zero.
    const isThere = Number.isFinite(toBest) && medians.every((value) => value >= 0);
    return { ...figure, toBestPublished: isThere ? toBest : undefined };
  });
  return { ...row, figures };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
