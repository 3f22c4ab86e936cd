// The texts and the picture of cluster in the documentation.
import { clausesBy, factor, sentence, WORK } from '../../conclusions/clauses.js';
import { legendOf, relative } from '../../report/picture/points.js';
import { CLUSTER, fourOf, OURS, PISCINA, PROCESSES } from './conclude.js';
import { published } from './published.js';

const [
  {
    head,
    rows: [single, four],
  },
] = published.tables;
/** By metric: its label, its published column, and whether more is better. */
const SHOWN = {
  requestsPerSecond: ['requests/s', 'RPS sent', true],
  latencyP50Ms: ['median of the waits', 'median', false],
  latencyP95Ms: ['95th percentile of the waits', 'p95', false],
  latencyMaxMs: ['longest wait', 'max', false],
};
const ROWS = [
  ['rebuilt', CLUSTER, 'cluster, here'],
  ['ours', OURS, 'threadwise, pool'],
  ['other', PISCINA, 'piscina, pool'],
];

export const page = {
  claim: 'A cluster serves an API better than one process, or threads',
  question: 'Should an API that computes be several processes, or one with threads?',

  why(scenarios, { fasterThan }) {
    const [one, threads] = ['inline', OURS].map((row) =>
      factor(fasterThan(fourOf(scenarios), CLUSTER, row, 'requestsPerSecond')),
    );
    return `Requests of ${PROCESSES} processes: to one ${one}, to ${PROCESSES} threads ${threads}.`;
  },

  says(scenarios, tools) {
    const scenario = fourOf(scenarios);
    const [requests, median, late, longest] = Object.keys(SHOWN).map((metric) => {
      const compare = clausesBy(tools, metric, metric === 'requestsPerSecond' ? WORK : undefined);
      return (...rows) => compare(scenario, ...rows);
    });
    return [
      sentence(
        requests(CLUSTER, 'inline', `a cluster of ${PROCESSES} processes`, 'one process'),
        median(CLUSTER, 'inline', 'by the median of the waits it', 'that'),
      ),
      sentence(
        requests(OURS, CLUSTER, `one process with ${PROCESSES} threads of threadwise`, 'the cluster'),
        late(OURS, CLUSTER, 'by the 95th percentile of the waits it', 'that'),
        longest(OURS, CLUSTER, 'by the longest wait it', 'that'),
      ),
      sentence(
        requests(OURS, PISCINA, 'beside piscina, threadwise', 'it'),
        longest(OURS, PISCINA, 'by the longest wait, where connections that starve show, it', 'that'),
      ),
    ];
  },

  picture(scenarios) {
    const scenario = fourOf(scenarios);
    return {
      title: `How many times as good as one process ${PROCESSES} processes or threads are: requests a second, and waits`,
      legend: [['published', 'published, cluster'], ...legendOf(ROWS)],
      panels: [
        {
          title: `${PROCESSES} processes, or threads, beside one process`,
          x: { label: 'times as good as one process: more requests, shorter waits' },
          rows: Object.entries(SHOWN).map(([metric, [label, column, isMore]]) => {
            const [before, after] = [single, four].map((row) => row[head.indexOf(column)]);
            return {
              label,
              marks: [
                { kind: 'published', value: isMore ? after / before : before / after },
                ...ROWS.map(([kind, row]) => ({
                  kind,
                  ...relative(scenario, row, metric, { scenario, row: 'inline' }),
                })),
              ],
            };
          }),
        },
      ],
    };
  },
};
