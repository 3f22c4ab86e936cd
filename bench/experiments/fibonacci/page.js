// The texts and the picture of fibonacci in the documentation.
import { clause, factor, sentence } from '../../conclusions/clauses.js';
import { alongX } from '../../conclusions/rows.js';
import { relative } from '../../report/picture/points.js';
import { ACROSS, AUTO, BATCHED, INLINE, MANY, ONE, runTimeSentence, TIME } from './conclude.js';
import { published } from './published.js';
import { BY_N, LARGEST, RUN_TIME } from './scenarios.js';

const [
  { rows },
  {
    rows: [[, alone]],
  },
] = published.tables;
/** The n at which the document's text and its figures disagree. */
const MIDDLE = 1_000_000;
const inWords = (n) => n.toLocaleString('en-US');

const CURVES = [
  ['rebuilt', MANY, 'a new worker each round, 16 at a time, here'],
  ['other', ONE, 'one worker at a time, here'],
  ['ours', ACROSS, 'threadwise'],
  ['ours2', BATCHED, 'threadwise, batched'],
  ['ours3', AUTO, "threadwise, placement: 'auto'"],
];

export const page = {
  claim: 'Up to n = 1,000,000 main is faster, at 10,000,000 workers are',
  question: 'How much has a call to compute until a thread pays?',

  why(scenarios, { fasterThan }) {
    const [middle, largest] = [MIDDLE, LARGEST].map((n) =>
      fasterThan(
        alongX(scenarios, BY_N).find(({ x }) => x === n),
        MANY,
        INLINE,
        TIME,
      ),
    );
    return `Speed of 16, to main: n = ${inWords(MIDDLE)} ${factor(middle)}, ${inWords(LARGEST)} ${factor(largest)}.`;
  },

  says(scenarios, tools) {
    const { fasterThan, breakEven } = tools;
    const byN = alongX(scenarios, BY_N);
    const largest = byN.find(({ x }) => x === LARGEST);
    const lengths = alongX(scenarios, RUN_TIME);
    return [
      sentence(
        clause(
          fasterThan(largest, MANY, INLINE, TIME),
          `at n = ${inWords(LARGEST)}, a new worker for each round, 16 at a time`,
          'the main thread',
        ),
        clause(fasterThan(largest, ONE, INLINE, TIME), 'one worker at a time', 'it'),
      ),
      [
        sentence(`a pool keeps its workers: ${breakEven(byN, ACROSS, INLINE, TIME, 'step').sentence}`),
        sentence(runTimeSentence(lengths, BATCHED, tools)),
      ].join(' '),
      sentence(
        clause(
          fasterThan(byN[0], AUTO, INLINE, TIME),
          `at n = ${byN[0] === undefined ? 100 : inWords(byN[0].x)}, placement: 'auto', its start included`,
          'a plain loop',
        ),
        clause(
          fasterThan(largest, AUTO, ACROSS, TIME),
          `at n = ${inWords(LARGEST)} it`,
          'a pool that always crosses',
        ),
      ),
    ];
  },

  picture(scenarios) {
    const points = (row) =>
      alongX(scenarios, BY_N).map((scenario) => ({
        x: scenario.x,
        ...relative(scenario, row, TIME, { scenario, row: INLINE }),
      }));
    return {
      title: 'How many times as fast as the main thread 100 rounds are, by n',
      legend: [
        ['published', 'published, 16 at a time; one at a time at the right'],
        ...CURVES.map(([kind, , name]) => [kind, name]),
        ['inline', 'main thread'],
      ],
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
            ...[...CURVES, ['inline', INLINE]].map(([kind, row]) => ({ kind, points: points(row) })),
          ],
        },
      ],
    };
  },
};
