// The texts and the picture of fibonacci in the documentation.
import { clausesBy, factor, sentence } from '../../conclusions/clauses.js';
import { alongX } from '../../conclusions/rows.js';
import { legendOf, pointsBeside, seriesBy } from '../../report/picture/points.js';
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
