// The conclusions of an experiment that draws none of its own: which goals are met, and how its highlights compare with the
// best published pool or, without one, with the best row that has no pool.
import { bestRow, FEWEST_ROUNDS, fasterThan } from './conclusions.js';
import { formatReached } from '../report/format.js';

const OURS = 'threadwise';

/** How many goals are met, and which are not. */
export function goalsMet(scenarios) {
  const goals = scenarios.flatMap(({ goals: own, rows }) =>
    own.filter(({ of }) => rows.some(({ id }) => id === of)),
  );
  const [measured, others] = [true, false].map((isWanted) =>
    goals.filter(({ value }) => (value !== undefined) === isWanted),
  );
  if (measured.length === 0) return [];
  const rounds = Math.min(...scenarios.flatMap(({ rows }) => rows.flatMap(roundsOf)));
  if (rounds < FEWEST_ROUNDS) return ['Cannot tell whether goals are met: the rounds are too few'];
  const missed = measured.filter(({ isMet }) => !isMet);
  return [
    `${measured.length - missed.length} of ${measured.length} goals are met`,
    ...missed.map((goal) => `Not met, by ${goal.of}: ${goal.text}: it is ${formatReached(goal)}`),
    ...others.map((goal) => `Not measured, by ${goal.of}: ${goal.text}`),
  ];
}

/** How many rounds a row has; none if it failed. */
function roundsOf({ samples, figures }) {
  return Object.keys(figures).length === 0 ? [] : [samples.length];
}

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
