// The texts and the picture of cluster in the documentation.
import { clause, factor, sentence } from '../../conclusions/clauses.js';
import { relative } from '../../report/picture/points.js';
import { CLUSTER, fourOf, OURS, PISCINA, PROCESSES } from './conclude.js';
import { published } from './published.js';

const [
  {
    head,
    rows: [single, four],
  },
] = published.tables;
const WORDS = { better: 'gets more done than', worse: 'gets less done than', same: 'gets as much done as' };
/** By metric: its label, its published column, and whether more is better. */
const SHOWN = {
  requestsPerSecond: ['requests/s', 'RPS sent', true],
  latencyP50Ms: ['median of the waits', 'median', false],
  latencyP95Ms: ['95th percentile of the waits', 'p95', false],
  latencyMaxMs: ['longest wait', 'max', false],
};
const ROWS = [
  ['rebuilt', CLUSTER],
  ['ours', OURS],
  ['other', PISCINA],
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

  says(scenarios, { fasterThan }) {
    const scenario = fourOf(scenarios);
    const compare = (row, other, metric, subject, name, words) =>
      clause(fasterThan(scenario, row, other, metric), subject, name, words);
    return [
      sentence(
        compare(
          CLUSTER,
          'inline',
          'requestsPerSecond',
          `a cluster of ${PROCESSES} processes`,
          'one process',
          WORDS,
        ),
        compare(CLUSTER, 'inline', 'latencyP50Ms', 'by the median of the waits it', 'that'),
      ),
      sentence(
        compare(
          OURS,
          CLUSTER,
          'requestsPerSecond',
          `one process with ${PROCESSES} threads of threadwise`,
          'the cluster',
          WORDS,
        ),
        compare(OURS, CLUSTER, 'latencyP95Ms', 'by the 95th percentile of the waits it', 'that'),
        compare(OURS, CLUSTER, 'latencyMaxMs', 'by the longest wait it', 'that'),
      ),
      sentence(
        compare(OURS, PISCINA, 'requestsPerSecond', 'beside piscina, threadwise', 'it', WORDS),
        compare(
          OURS,
          PISCINA,
          'latencyMaxMs',
          'by the longest wait, where connections that starve show, it',
          'that',
        ),
      ),
    ];
  },

  picture(scenarios) {
    const scenario = fourOf(scenarios);
    return {
      title: `How many times as good as one process ${PROCESSES} processes or threads are: requests a second, and waits`,
      legend: [
        ['published', 'published, cluster'],
        ['rebuilt', 'cluster, here'],
        ['ours', 'threadwise, pool'],
        ['other', 'piscina, pool'],
      ],
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
