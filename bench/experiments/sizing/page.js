// The texts and the picture of sizing in the documentation.
import { clause, sentence } from '../../conclusions/clauses.js';
import { bestRow } from '../../conclusions/conclusions.js';
import { relative } from '../../report/picture/points.js';
import { named } from '../../conclusions/finding.js';

const AUTO = 'threadwise, auto';
const METRIC = 'callsPerSecond';
const WORDS = { better: 'gets more done than', worse: 'gets less done than', same: 'gets as much done as' };

export const page = {
  question: 'Does a pool find its number of threads by itself?',

  says(scenarios, { fasterThan }) {
    const compare = (id, what) => {
      const scenario = named(scenarios, id);
      return clause(
        fasterThan(scenario, AUTO, bestFixed(scenario), METRIC),
        `with ${what}, threads: 'auto'`,
        scenario === undefined
          ? 'the best fixed size'
          : `the best fixed size (${sizeOf(bestFixed(scenario))})`,
        WORDS,
      );
    };
    return [
      sentence(compare('compute', 'tasks that compute'), compare('block', 'tasks that block their thread')),
      sentence(compare('wait', 'tasks that only wait'), compare('mixed', 'tasks that do both')),
      sentence(compare('changing', 'a load that changes')),
    ];
  },

  picture: (scenarios) => ({
    title: "How many times as much threads: 'auto' gets done as the best fixed size, by load",
    legend: [['ours', "threads: 'auto', to the best fixed size: right of 1 is better"]],
    panels: [
      {
        title: "threads: 'auto' beside fixed sizes",
        x: { label: 'times as many calls' },
        rows: scenarios.map((scenario) => ({
          label: `${scenario.id} (best: ${sizeOf(bestFixed(scenario))})`,
          marks: [
            { kind: 'ours', ...relative(scenario, AUTO, METRIC, { scenario, row: bestFixed(scenario) }) },
          ],
        })),
      },
    ],
  }),
};

const bestFixed = (scenario) => scenario && bestRow(scenario, METRIC, ({ id }) => id !== AUTO);
const sizeOf = (row) => (row === undefined ? 'none' : row.replace(/\D+/g, ''));
