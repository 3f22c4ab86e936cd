// The texts and the picture of placement in the documentation.
import { sentence } from '../../conclusions/clauses.js';
import { bestRow } from '../../conclusions/conclusions.js';
import { relative } from '../../report/picture/points.js';

const AUTO = 'threadwise, auto';
const ACROSS = 'threadwise, across';

export const page = {
  question: 'Does a pool find out by itself which calls to run on the calling thread?',

  says(scenarios, { fasterThan }) {
    const compared = withAuto(scenarios).map((scenario) => {
      const metric = scenario.metrics[0].id;
      const others = [ACROSS, inlineOf(scenario)].filter((row) => row !== undefined);
      return {
        id: scenario.id,
        verdicts: others.map((row) => fasterThan(scenario, AUTO, row, metric).verdict),
      };
    });
    const thatAre = (isOne) => compared.filter(({ verdicts }) => isOne(verdicts)).map(({ id }) => id);
    const worst = thatAre(
      (verdicts) => verdicts.length > 1 && verdicts.every((verdict) => verdict === 'slower'),
    );
    const gains = thatAre((verdicts) => verdicts[0] === 'faster');
    return [
      sentence(
        `placement: 'auto' is surely faster than always crossing in ${gains.length} of ${compared.length} cases${inList(gains)}`,
      ),
      sentence(
        worst.length === 0
          ? 'it is surely slower than both of its alternatives, always crossing and no pool, in none'
          : `it is slower than both of its alternatives, always crossing and no pool, in ${worst.length}${inList(worst)}`,
        'what it costs to look where calls run is part of it',
      ),
    ];
  },

  picture: (scenarios) => ({
    title: "How many times as fast placement: 'auto' is as always crossing, and as no pool",
    legend: [
      ['ours', 'to always crossing'],
      ['inline', 'to no pool: right of 1 is better'],
    ],
    panels: [
      {
        title: "placement: 'auto', beside its alternatives",
        x: { label: 'times as fast', isLog: true },
        rows: withAuto(scenarios).map((scenario) => ({
          label: scenario.id,
          marks: [
            ['ours', ACROSS],
            ['inline', inlineOf(scenario)],
          ].map(([kind, row]) => ({
            kind,
            ...relative(scenario, AUTO, scenario.metrics[0].id, { scenario, row }),
          })),
        })),
      },
    ],
  }),
};

const withAuto = (scenarios) => scenarios.filter(({ rows }) => rows.some(({ id }) => id === AUTO));
const inlineOf = (scenario) => bestRow(scenario, scenario.metrics[0].id, ({ role }) => role === 'inline');
const inList = (ids) => (ids.length === 0 ? '' : `: ${ids.join(', ')}`);
