// The tools that `conclude` of an experiment gets; README.md lists them. Each takes scenarios as summary.js makes them. And the conclusions
// that are drawn with them.
import { bytes, counted, duration, perCent, times, timesFromTo } from '@threadwise/cli/analysis';
import { bestRow, estimate, fasterThan } from './conclusions.js';
import { amdahl, bestX, breakEven, slope } from './curves.js';
import { findingInParts } from './finding.js';
import { withInline } from './rows.js';
import { curveAgrees } from './shapes.js';

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

/** @param machine the machine on which it was measured */
export function toolsFor(machine) {
  return {
    ...{ estimate, fasterThan, bestRow, bestX, slope, breakEven, machine },
    amdahl: (...args) => amdahl(machine, ...args),
    curveAgrees: (...args) => curveAgrees(machine, ...args),
    words: { bytes, counted, duration, perCent, times, timesFromTo },
  };
}

/**
 * The conclusions of an experiment from its figures: what was found of its document's claims, and what it concludes itself,
 * without what is undefined.
 * @param result { scenarios, machine }, as it is saved
 */
export function conclude(experiment, { scenarios, machine }) {
  const draw = experiment.conclude ?? highlightsCompared;
  const material = [withInline(scenarios), toolsFor(machine)];
  const found = experiment.judge === undefined ? [] : [findingInParts(experiment.judge(...material))];
  const own = draw(...material);
  const sentences = Array.isArray(own)
    ? [...found, ...own.filter((sentence) => sentence !== undefined)]
    : own;
  const isText = (sentence) => typeof sentence === 'string' && sentence !== '';
  if (Array.isArray(sentences) && sentences.every(isText)) return sentences;
  throw new TypeError(
    `The conclusions of '${experiment.id}' should be sentences, not ${JSON.stringify(sentences)}`,
  );
}
