// The texts and the picture of processes in the documentation.
import { sentence } from '../../conclusions/clauses.js';
import { relative } from '../../report/picture/points.js';
import { besidePublished, publishedBest } from '../crossing/page.js';

const OURS = 'threadwise';
/** Only threadwise can have several workers in a process. */
const hasPublished = ({ id }) => id !== 'memory-shared';

export const page = {
  question: 'What does it cost to have work done in another process?',

  says(scenarios, { fasterThan }) {
    const compare = besidePublished(scenarios, fasterThan);
    return [
      sentence(
        compare('trivial', 'callsPerSecond', 'with 1,000 calls outstanding'),
        compare('one-at-a-time', 'p50Microseconds', 'with one call at a time'),
      ),
      sentence(
        compare('small-object', 'callsPerSecond', 'with a small object there and back'),
        compare('bytes-1m', 'callsPerSecond', 'with 1 MiB of bytes'),
      ),
      sentence(
        compare('memory', 'perWorkerMiB', 'for each further worker', {
          better: 'takes less memory than',
          worse: 'takes more memory than',
          same: 'takes as much memory as',
        }),
      ),
    ];
  },

  picture: (scenarios) => ({
    title:
      'How many times as good as the best published pool with processes threadwise is, by what is measured',
    legend: [['ours', 'threadwise, to the best published pool: right of 1 is better']],
    panels: [
      {
        title: 'Beside the best published pool',
        x: { label: 'times as good', isLog: true },
        rows: scenarios.filter(hasPublished).map((scenario) => {
          const metric = scenario.metrics[0].id;
          const base = { scenario, row: publishedBest(scenario, metric) };
          return {
            label: scenario.title,
            marks: [{ kind: 'ours', ...relative(scenario, OURS, metric, base) }],
          };
        }),
      },
    ],
  }),
};
