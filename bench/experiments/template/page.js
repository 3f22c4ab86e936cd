// What is said of template: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, lessOf, sentence } from '../../conclusions/clauses.js';
import { claimOf, named, reaches } from '../../conclusions/finding.js';
import { median } from '../../conclusions/statistics.js';
import { legendOf, listOf, overTime, pointsBeside, seriesBy } from '../../report/picture/points.js';
import { published } from './published.js';
import { PUBLISHED_REPETITIONS, REPEATED, SINGLE } from './scenarios.js';

export const AS_PUBLISHED = 'as published, across';
export const OURS = 'threadwise, across';
export const AUTO = 'threadwise, auto';
export const RATE = 'requestsPerSecond';
export const DELAY = 'immediateUs';

const [, , { rows: gains }] = published.tables;

export function conclude(scenarios, tools) {
  const { fasterThan, breakEven } = tools;
  const [large, small] = [REPEATED, SINGLE].map((id) => named(scenarios, id));
  const compare = (scenario, what) => (row, other, metric) =>
    `${what}: ${fasterThan(scenario, row, other, metric).sentence}`;
  const [repeated, once] = [compare(large, 'A sentence 80 times'), compare(small, 'One sentence')];
  return [
    breakEven(scenarios, AS_PUBLISHED, 'inline', RATE, 'sentence').sentence,
    breakEven(scenarios, OURS, 'inline', RATE, 'sentence').sentence,
    repeated('threadwise, least-busy', AS_PUBLISHED, RATE),
    repeated(OURS, 'inline', RATE),
    repeated(OURS, 'inline', DELAY),
    repeated(AUTO, 'inline', RATE),
    repeated(AUTO, 'inline', DELAY),
    repeated(OURS, 'piscina (8 per worker), across', RATE),
    once(AUTO, 'inline', RATE),
    once(AUTO, AS_PUBLISHED, RATE),
  ];
}

/** Judges each claim of the chapter. */
export function judge(scenarios, { fasterThan, words }) {
  const [large, small] = [REPEATED, SINGLE].map((id) => named(scenarios, id));
  const [[, more], [, times]] = gains;
  const [rate, delay] = [RATE, DELAY].map((metric) => fasterThan(large, AS_PUBLISHED, 'inline', metric));
  const single = fasterThan(small, 'inline', AS_PUBLISHED, RATE);
  const [onMain, offloaded] = published.tables[0].rows.map(([, , us]) => us);
  const withIdle = words.times({ value: onMain / offloaded });
  return [
    claimOf('offloaded, more requests', rate),
    claimOf(`${more} % more`, rate, { holds: (found) => reaches(1 + more / 100, found) }),
    claimOf('a shorter delay of the event loop', delay),
    claimOf(`${times} times shorter without what it is when idle, ${withIdle} with that`, delay, {
      holds: (found) => reaches(onMain / offloaded, found),
    }),
    claimOf('with one sentence, the main thread wins', single),
  ];
}

const [
  { rows },
  {
    rows: [[, idleUs]],
  },
] = published.tables;
const [[, mainRate, mainUs], [, threadRate, threadUs]] = rows;
const MOST_POINTS = 60;
const WORDS = {
  better: 'answers more requests than',
  worse: 'answers fewer requests than',
  same: 'answers as many requests as',
};

const CURVES = [
  ['rebuilt', AS_PUBLISHED, 'the published pool, here'],
  ['ours', OURS, 'threadwise'],
  ['ours2', AUTO, "threadwise, placement: 'auto'"],
  ['inline', 'inline', 'main thread'],
];

export const page = {
  claim: 'On threads, large templates bring 43 % more requests, small ones fewer',
  question: 'Should a server render its templates on threads?',

  why(scenarios, { fasterThan }) {
    const [large, small] = [REPEATED, SINGLE].map((id) =>
      fasterThan(named(scenarios, id), AS_PUBLISHED, 'inline', RATE),
    );
    return `Requests, to main: of 80 sentences ${factor(large)}, of one ${factor(small)}.`;
  },

  says(scenarios, tools) {
    const [large, small] = [REPEATED, SINGLE].map((id) => named(scenarios, id));
    const requests = clausesBy(tools, RATE, WORDS);
    const delay = clausesBy(tools, DELAY, lessOf('delays the event loop'));
    return [
      sentence(
        requests(
          ...[large, AS_PUBLISHED, 'inline'],
          ...['with 80 sentences, the published pool', 'the main thread alone'],
        ),
        delay(large, AS_PUBLISHED, 'inline', 'it', 'rendering there'),
      ),
      sentence(
        'the size of the template decides',
        tools.breakEven(scenarios, AS_PUBLISHED, 'inline', RATE, 'sentence').sentence,
      ),
      sentence(
        requests(
          ...[small, AUTO, 'inline'],
          "threadwise with placement: 'auto', which renders where it is cheaper, for one sentence",
          'the main thread alone',
        ),
        delay(large, AUTO, 'inline', 'for 80 it', 'that'),
      ),
    ];
  },

  picture: (scenarios) => ({
    title: 'Requests a second by the size of the template, and the delay of the event loop over time',
    legend: [['published', 'published'], ...legendOf(CURVES)],
    panels: [
      {
        title: 'Requests a second by the size of the template',
        x: { label: 'sentences', isLog: true },
        y: { label: 'times as many as the main thread', isLog: true },
        series: [
          { kind: 'published', points: [{ x: PUBLISHED_REPETITIONS, value: threadRate / mainRate }] },
          ...seriesBy(CURVES, (row) => pointsBeside(scenarios, row, RATE, 'inline')),
        ],
      },
      delays(named(scenarios, REPEATED)),
    ],
  }),
};

/** How long a setImmediate takes over the time of the load, as a multiple of its time in an idle loop. */
function delays(scenario) {
  const series = seriesBy(CURVES, (row) => {
    const { samples = [] } = scenario?.rows.find(({ id }) => id === row) ?? {};
    const idle = median(samples.map(({ idleImmediateUs }) => idleImmediateUs));
    const points = overTime(listOf(scenario, row, 'immediatesUs'), MOST_POINTS);
    return points.map(({ x, value }) => ({ x, value: value / idle }));
  });
  const there = [threadUs, mainUs].map((us) => ({
    kind: 'published',
    points: [0, 100].map((x) => ({ x, value: us / idleUs })),
  }));
  return {
    title: 'Delay of the event loop over time, 80 sentences, one round',
    x: { label: '% of the time (published: means of 60 s)' },
    y: { label: 'times the delay of an idle loop', isLog: true },
    series: [...there, ...series],
  };
}
