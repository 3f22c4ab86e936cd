// What the samples of an experiment say: medians, ranges, and ratios to the best published pool.
import { describe, ratio } from './statistics.js';

/**
 * @param contenders [{ id, role, … }]: what else they hold is kept
 * @returns for each scenario: the best published pool by its first metric, and each contender's figures
 */
export function summarize(experiment, contenders, { samples, failures }) {
  return experiment.scenarios.map(({ id, title, metrics }) => {
    const rows = contenders.map((contender) => {
      const own = samples[id][contender.id];
      const failure = failures.find((one) => one.scenario === id && one.contender === contender.id);
      // A contender that fails in one round has no figures: the others of its rounds mean nothing.
      const figures = failure ? {} : figuresOf(metrics, own);
      return { ...contender, failure: failure?.message, samples: own, figures };
    });
    const [first] = metrics;
    const best = bestOf(
      rows.filter(({ role, failure }) => role === 'published' && !failure),
      first,
    );
    return {
      id,
      title,
      metrics,
      bestPublished: best?.id,
      rows: rows.map((row) => withRatios(row, best, metrics)),
    };
  });
}

function figuresOf(metrics, samples) {
  return Object.fromEntries(metrics.map(({ id }) => [id, describe(samples.map((values) => values[id]))]));
}

function bestOf(rows, { id, better }) {
  const isBetter = (a, b) => ratio(a.figures[id].median, b.figures[id].median, better) > 1;
  return rows.reduce((best, row) => (best === undefined || isBetter(row, best) ? row : best), undefined);
}

/** Adds to each figure how many times as good its median is as that of the best published pool. */
function withRatios(row, best, metrics) {
  const figures = Object.fromEntries(
    metrics
      .filter(({ id }) => row.figures[id] !== undefined)
      .map(({ id, better }) => {
        const figure = row.figures[id];
        const toBest = best && ratio(figure.median, best.figures[id].median, better);
        return [id, { ...figure, toBestPublished: toBest }];
      }),
  );
  return { ...row, figures };
}
