// What is said of fibonacci: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, sentence } from '../../conclusions/clauses.js';
import { claimOf } from '../../conclusions/finding.js';
import { alongX } from '../../conclusions/rows.js';
import { legendOf, pointsBeside, seriesBy } from '../../report/picture/points.js';
import { published } from './published.js';
import { BY_N, LARGEST, RUN_TIME } from './scenarios.js';

export const TIME = 'totalMs';
export const RATE = 'callsPerSecond';
export const MANY = 'as published, 16 workers at a time';
export const ONE = 'as published, 1 worker at a time';
export const ACROSS = 'threadwise, across';
export const BATCHED = 'threadwise, batched';
export const AUTO = 'threadwise, auto';
const PISCINA = 'piscina (8 per worker), across';
export const INLINE = 'inline';

export function conclude(scenarios, tools) {
  const [byN, lengths] = [BY_N, RUN_TIME].map((wanted) => scenarios.filter(({ curve }) => curve === wanted));
  const { breakEven, fasterThan } = tools;
  const compare = (scenario, row, other, metric) =>
    `n = ${scenario.x.toLocaleString('en-US')}: ${fasterThan(scenario, row, other, metric).sentence}`;
  return [
    ...[MANY, ACROSS, BATCHED, AUTO].map(
      (row) => `${BY_N}: ${breakEven(byN, row, INLINE, TIME, 'step').sentence}`,
    ),
    ...byN.flatMap((scenario) => [
      compare(scenario, ACROSS, MANY, TIME),
      compare(scenario, AUTO, INLINE, TIME),
      compare(scenario, AUTO, ACROSS, TIME),
    ]),
    ...[ACROSS, BATCHED, PISCINA].map((row) => runTimeSentence(lengths, row, tools)),
    ...lengths.map((scenario) => `Warm, ${compare(scenario, AUTO, INLINE, RATE)}`),
  ];
}

/** Judges who wins at each n. At 1,000,000 the article's text and its figures disagree; the claim is that of the text. */
export function judge(scenarios, { fasterThan }) {
  const part = (claim, n, row, other) => {
    const scenario = scenarios.find(({ curve, x }) => curve === BY_N && x === n);
    const compared = fasterThan(scenario, row, other, TIME);
    return claimOf(claim, compared, { said: `n = ${n.toLocaleString('en-US')}: ${compared.sentence}` });
  };
  const main = 'the main thread wins';
  return [
    ...[100, 100_000, 1_000_000].map((n) => part(main, n, INLINE, MANY)),
    part('16 workers at a time win', LARGEST, MANY, INLINE),
    part('one worker at a time loses', LARGEST, INLINE, ONE),
  ];
}

/** The least run time with which a call pays: as many numbers as break even, times the time that one takes inline. */
export function runTimeSentence(scenarios, row, { breakEven, estimate, words }) {
  const { x, sentence } = breakEven(scenarios, row, INLINE, RATE, 'number');
  if (x === undefined) return `By the length of a task: ${sentence}`;
  const nearest = scenarios.toSorted((a, b) => distance(a.x, x.value) - distance(b.x, x.value))[0];
  const msPerNumber = 1000 / estimate(nearest, INLINE, RATE).value / nearest.x;
  const [at, low, high] = [x.value, x.low, x.high].map((numbers) => words.duration(numbers * msPerNumber));
  return `By the length of a task: ${sentence}: a run time of ${at} (${low} to ${high})`;
}

const distance = (a, b) => Math.abs(Math.log(a / b));

const [
  { rows },
  {
    rows: [[, alone]],
  },
] = published.tables;
/** The n at which the document's text and its figures disagree. */
const MIDDLE = 1_000_000;
const at = (scenarios, n) => alongX(scenarios, BY_N).find(({ x }) => x === n);
const inWords = (n) => n.toLocaleString('en-US');

const CURVES = [
  ['rebuilt', MANY, 'a new worker each round, 16 at a time, here'],
  ['other', ONE, 'one worker at a time, here'],
  ['ours', ACROSS, 'threadwise'],
  ['ours2', BATCHED, 'threadwise, batched'],
  ['ours3', AUTO, "threadwise, placement: 'auto'"],
  ['inline', INLINE, 'main thread'],
];

export const page = {
  claim: 'Up to n = 1,000,000 main is faster, at 10,000,000 workers are',
  question: 'How much has a call to compute until a thread pays?',

  why(scenarios, { fasterThan }) {
    const [middle, largest] = [MIDDLE, LARGEST].map((n) => fasterThan(at(scenarios, n), MANY, INLINE, TIME));
    return `Speed of 16, to main: n = ${inWords(MIDDLE)} ${factor(middle)}, ${inWords(LARGEST)} ${factor(largest)}.`;
  },

  says(scenarios, tools) {
    const compare = clausesBy(tools, TIME);
    const byN = alongX(scenarios, BY_N);
    const largest = at(scenarios, LARGEST);
    const [first, last] = [byN[0]?.x ?? 100, LARGEST].map((n) => `at n = ${inWords(n)}`);
    return [
      sentence(
        compare(
          ...[largest, MANY, INLINE],
          ...[`${last}, a new worker for each round, 16 at a time`, 'the main thread'],
        ),
        compare(largest, ONE, INLINE, 'one worker at a time', 'it'),
      ),
      [
        sentence(`a pool keeps its workers: ${tools.breakEven(byN, ACROSS, INLINE, TIME, 'step').sentence}`),
        sentence(runTimeSentence(alongX(scenarios, RUN_TIME), BATCHED, tools)),
      ].join(' '),
      sentence(
        compare(byN[0], AUTO, INLINE, `${first}, placement: 'auto', its start included`, 'a plain loop'),
        compare(largest, AUTO, ACROSS, `${last} it`, 'a pool that always crosses'),
      ),
    ];
  },

  picture(scenarios) {
    const points = (row) => pointsBeside(alongX(scenarios, BY_N), row, TIME, INLINE);
    return {
      title: 'How many times as fast as the main thread 100 rounds are, by n',
      legend: [['published', 'published, 16 at a time; one at a time at the right'], ...legendOf(CURVES)],
      panels: [
        {
          title: '100 rounds of fibonacci(n), from nothing to the last answer',
          x: { label: 'n', isLog: true },
          y: { label: 'times as fast as the main thread', isLog: true },
          series: [
            {
              kind: 'published',
              points: rows.map(([n, main, workers]) => ({ x: n, value: main / workers })),
            },
            { kind: 'published', points: [{ x: LARGEST, value: rows.at(-1)[1] / alone }] },
            ...seriesBy(CURVES, points),
          ],
        },
      ],
    };
  },
};
