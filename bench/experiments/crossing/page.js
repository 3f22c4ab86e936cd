// The texts and the picture of crossing in the documentation.
import { clause, lessOf, sentence } from '../../conclusions/clauses.js';
import { bestRow } from '../../conclusions/conclusions.js';
import { pictureBeside } from '../../report/picture/points.js';
import { named } from '../../conclusions/finding.js';

const OURS = 'threadwise';

export const page = {
  question: 'What does it cost to have work done on another thread?',

  says(scenarios, { fasterThan }) {
    const compare = besidePublished(scenarios, fasterThan);
    return [
      sentence(
        compare('trivial', 'callsPerSecond', 'with 1,000 calls outstanding'),
        compare('one-at-a-time', 'p50Microseconds', 'with one call at a time'),
      ),
      sentence(
        compare('bytes-10k', 'callsPerSecond', 'with 10 KiB of bytes in each call'),
        compare('bytes-1m', 'callsPerSecond', 'with 1 MiB'),
      ),
      sentence(
        compare('quiet', 'busy5Microseconds', 'for one task on an idle pool'),
        compare('cold-start', 'coldMs', 'from the import to the first result'),
        compare('idle', 'idlePercent', 'when idle', lessOf('takes', ' CPU time')),
      ),
    ];
  },

  picture: (scenarios) =>
    besidePublishedPicture(
      'the best published pool',
      scenarios.flatMap((scenario) => scenario.highlights.map((highlight) => ({ scenario, ...highlight }))),
    ),
};

/** @param compared what each row of the picture compares; default: threadwise, by the title of the scenario */
export const besidePublishedPicture = (others, compared) =>
  pictureBeside({
    title: `How many times as good as ${others} threadwise is, by what is measured`,
    others: 'the best published pool',
    panel: 'Beside the best published pool',
    x: { label: 'times as good', isLog: true },
    compared: compared.map(({ scenario, metric, of = OURS, text = scenario.title }) => ({
      ...{ label: text, scenario, row: of, metric, other: publishedBest(scenario, metric) },
    })),
  });

/** Makes clauses that compare threadwise with the best published pool, by a metric of a scenario. */
export function besidePublished(scenarios, fasterThan) {
  return (id, metric, what, words) => {
    const scenario = named(scenarios, id);
    const other = publishedBest(scenario, metric);
    const beside = `${other ?? 'a published pool'} ${what}`;
    return clause(fasterThan(scenario, OURS, other, metric), OURS, beside, words);
  };
}

function publishedBest(scenario, metric) {
  return scenario && bestRow(scenario, metric, ({ role }) => role === 'published');
}
