// The conclusions of an experiment that draws none of its own: how its highlights compare with the best published pool or,
// without one, with the best row that has no pool.
import { bestRow, fasterThan } from './conclusions.js';

const OURS = 'threadwise';

/** Compares each highlight with the best row of the others. */
export function highlightsCompared(scenarios) {
  return scenarios.flatMap((scenario) =>
    scenario.highlights.flatMap(({ metric, of = OURS, text = scenario.title }) => {
      const other = othersBest(scenario, metric);
      if (other === undefined) return [];
      return [`${text}: ${fasterThan(scenario, of, other, metric).sentence}`];
    }),
  );
}

function othersBest(scenario, metric) {
  const published = bestRow(scenario, metric, ({ role }) => role === 'published');
  return published ?? bestRow(scenario, metric, ({ role }) => role === 'inline' || role === 'bare');
}
