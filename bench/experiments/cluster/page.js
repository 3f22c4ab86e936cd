// What is said of cluster: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, sentence, WORK } from '../../conclusions/clauses.js';
import { atCores, claimOf } from '../../conclusions/finding.js';
import { legendOf, relative } from '../../report/picture/points.js';
import { published } from './published.js';

export const CLUSTER = 'as published, cluster';
export const OURS = 'threadwise, pool';
export const PISCINA = 'piscina, pool';
/** How many processes the published cluster has. */
export const PROCESSES = 4;
/** The metrics by which the published cluster was better than one process, and how the claims say so. */
export const METRICS = {
  requestsPerSecond: 'gets more requests done',
  latencyP50Ms: 'answers sooner in the median',
  latencyP95Ms: 'answers sooner in 95 of 100',
  latencyMaxMs: 'answers sooner at worst',
};

export function conclude(scenarios, tools) {
  const { fasterThan, bestX, machine } = tools;
  const scenario = atCores(scenarios, machine);
  const compare = (row, other, metric, at = scenario) => {
    const { sentence } = fasterThan(at, row, other, metric);
    return at === undefined ? sentence : `With ${at.x} threads, or processes: ${sentence}`;
  };
  return [
    bestX(scenarios, CLUSTER, 'requestsPerSecond', 'worker')?.sentence,
    bestX(scenarios, OURS, 'requestsPerSecond')?.sentence,
    ...Object.keys(METRICS).map((metric) => compare(OURS, CLUSTER, metric)),
    compare(OURS, 'inline', 'requestsPerSecond'),
    compare(OURS, PISCINA, 'requestsPerSecond', fourOf(scenarios)),
    compare(OURS, PISCINA, 'latencyMaxMs', fourOf(scenarios)),
  ];
}

/** Judges each claim of the slides. */
export function judge(scenarios, { fasterThan }) {
  const four = fourOf(scenarios);
  const part = (claim, ...compared) => claimOf(claim, fasterThan(four, ...compared));
  return [
    ...Object.entries(METRICS).map(([metric, what]) =>
      part(`a cluster of ${PROCESSES} ${what} than one process`, CLUSTER, 'inline', metric),
    ),
    part(
      `clustering rather than threads: a cluster of ${PROCESSES} gets more requests done than a pool of ${PROCESSES} threads`,
      ...[CLUSTER, OURS, 'requestsPerSecond'],
    ),
  ];
}

/** The scenario with as many processes, or threads, as published. */
export const fourOf = (scenarios) => scenarios.find(({ x }) => x === PROCESSES);

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
