// The texts and the picture of sizing in the documentation.
import { clausesBy, sentence, WORK } from '../../conclusions/clauses.js';
import { bestRow } from '../../conclusions/conclusions.js';
import { pictureBeside } from '../../report/picture/points.js';
import { named } from '../../conclusions/finding.js';

const AUTO = 'threadwise, auto';
const METRIC = 'callsPerSecond';

export const page = {
  question: 'Does a pool find its number of threads by itself?',

  says(scenarios, tools) {
    const clauseOf = clausesBy(tools, METRIC, WORK);
    const compare = (id, what) => {
      const scenario = named(scenarios, id);
      const best = bestFixed(scenario);
      const other = `the best fixed size${scenario === undefined ? '' : ` (${sizeOf(best)})`}`;
      return clauseOf(scenario, AUTO, best, `with ${what}, threads: 'auto'`, other);
    };
    return [
      sentence(compare('compute', 'tasks that compute'), compare('block', 'tasks that block their thread')),
      sentence(compare('wait', 'tasks that only wait'), compare('mixed', 'tasks that do both')),
      sentence(compare('changing', 'a load that changes')),
    ];
  },

  picture: (scenarios) =>
    pictureBeside({
      title: "How many times as much threads: 'auto' gets done as the best fixed size, by load",
      ours: "threads: 'auto'",
      others: 'the best fixed size',
      panel: "threads: 'auto' beside fixed sizes",
      x: { label: 'times as many calls' },
      compared: scenarios.map((scenario) => {
        const other = bestFixed(scenario);
        return {
          label: `${scenario.id} (best: ${sizeOf(other)})`,
          scenario,
          row: AUTO,
          metric: METRIC,
          other,
        };
      }),
    }),
};

const bestFixed = (scenario) => scenario && bestRow(scenario, METRIC, ({ id }) => id !== AUTO);
const sizeOf = (row) => (row === undefined ? 'none' : row.replace(/\D+/g, ''));
