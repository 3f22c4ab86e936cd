// The texts and the picture of read-files in the documentation.
import { clause, factor, sentence, shown } from '../../conclusions/clauses.js';
import { estimate } from '../../conclusions/conclusions.js';
import { inParts, listOf } from '../../report/picture/points.js';
import { named } from '../../conclusions/finding.js';
import { BLOCKING, METRIC, OURS, READ_FILES, rowOf, TOGETHER, WHAT } from './conclude.js';
import { NAMES, published } from './published.js';
import { TWO_REQUESTS } from './two-requests.js';

const MOST_POINTS = 40;
/** How many cores have their load drawn. */
const MOST_CORES = 4;
const SHORT = { [BLOCKING]: 'readFileSync', [TOGETHER]: 'readFile' };

export const page = {
  claim: 'Small files are read faster synchronously, large ones are not',
  question: 'Is a file read faster by blocking, or without?',

  why(scenarios, { fasterThan }) {
    const [small, large] = ['small-many', 'large'].map((id) =>
      fasterThan(named(scenarios, id), BLOCKING, TOGETHER, METRIC),
    );
    return `Synchronous to not: 3.3 kB ${factor(small)}, 6.5 MB ${factor(large)}.`;
  },

  says(scenarios, tools) {
    const { fasterThan } = tools;
    const [many, few, large] = Object.keys(WHAT).map((id) => named(scenarios, id));
    const load = (scenario, row) =>
      shown(tools.estimate(scenario, row, 'coresPercent'), (value) => tools.words.perCent(value / 100)) ??
      '(not measured yet)';
    const answered = ['readFileSync', 'readFile'].map((way) =>
      tools.estimate(named(scenarios, TWO_REQUESTS), `as published, ${way}`, 'firstUs'),
    );
    return [
      sentence(
        clause(
          fasterThan(many, BLOCKING, TOGETHER, METRIC),
          'ten thousand reads of a small file: a loop of readFileSync',
          'readFile all at once',
        ),
        clause(fasterThan(few, BLOCKING, TOGETHER, METRIC), 'a hundred: it', 'that'),
        clause(fasterThan(large, TOGETHER, BLOCKING, METRIC), 'of a large one, readFile', 'readFileSync'),
      ),
      sentence(
        `with large files, a loop of readFileSync takes ${load(large, BLOCKING)} of all cores, readFile ${load(large, TOGETHER)}`,
        answered.includes(undefined)
          ? undefined
          : `of two requests at once the first is answered after ${tools.words.duration(answered[0].value / 1000)} if reads block, and after ${tools.words.duration(answered[1].value / 1000)} if they do not, for then they take turns`,
      ),
      sentence(
        clause(
          fasterThan(many, OURS, BLOCKING, METRIC),
          'a pool of threadwise whose threads read many small files in one call',
          'the published loop',
        ),
        clause(
          fasterThan(many, READ_FILES, BLOCKING, METRIC),
          '`readFiles`, which gives each content to the caller,',
          'it',
        ),
      ),
    ];
  },

  picture(scenarios) {
    return {
      title:
        'Reads a second by way as a share of the best of the six, the load of the cores over time, and two requests at once',
      columns: 3,
      legend: [
        ['published', 'published'],
        ['rebuilt', 'here; core 1; P1'],
        ['ours', 'threadwise, many a call'],
        ['ours2', 'threadwise, readFiles'],
        ['inline', 'core 2; P2'],
        ['other', 'core 3'],
        ['ours3', 'core 4'],
      ],
      panels: [
        ...Object.keys(WHAT).map((id, i) => shares(named(scenarios, id), id, published.tables[i].rows)),
        ...[BLOCKING, TOGETHER].map((row) => loads(named(scenarios, 'large'), row)),
        turns(named(scenarios, TWO_REQUESTS)),
      ],
    };
  },
};

/** Rates in per cent of the best of the six ways, as published. */
function shares(scenario, id, there) {
  const middle = (row) => estimate(scenario, row, METRIC);
  const best = Math.max(...NAMES.map((name) => middle(rowOf(name))?.value ?? 0));
  const share = (row) =>
    Object.fromEntries(Object.entries(middle(row) ?? {}).map(([key, value]) => [key, (100 * value) / best]));
  const own = [
    ['ours', 'threads, many a call', OURS],
    ['ours2', 'readFiles', READ_FILES],
  ];
  return {
    title: WHAT[id],
    isNamed: id === 'small-many',
    x: { label: '% of the best of the six' },
    rows: [
      ...NAMES.map((name, i) => ({
        label: `${there[i][0]} ${name.replace(/ of /, ', ')}`,
        marks: [
          { kind: 'published', value: there[i][3] },
          { kind: 'rebuilt', ...share(rowOf(name)) },
        ],
      })),
      ...own.map(([kind, label, row]) => ({ label, marks: [{ kind, ...share(row) }] })),
    ],
  };
}

/** The load of each core in the first round. */
function loads(scenario, row) {
  const looks = listOf(scenario, row, 'coresOverTime').filter((look) => look.every(Number.isFinite));
  const cores = Math.min(MOST_CORES, looks[0]?.length ?? 0);
  return {
    title: `Load of cores, ${SHORT[row]}`,
    x: { label: '% of the time' },
    y: { label: 'load %, 6.5 MB', most: 100 },
    series: Array.from({ length: cores }, (_, core) => {
      const values = inParts(
        looks.map((look) => look[core]),
        MOST_POINTS,
      );
      return {
        kind: ['rebuilt', 'inline', 'other', 'ours3'][core],
        points: values.map((value, i) => ({ x: (100 * (i + 1)) / values.length, value })),
      };
    }),
  };
}

/** When each of two requests runs on the main thread. */
function turns(scenario) {
  return {
    title: 'Two requests at once, on main',
    x: { label: 'us' },
    lanes: ['readFileSync', 'readFile'].flatMap((way) =>
      listOf(scenario, `as published, ${way}`, 'spansUs').map((spans, i) => ({
        label: `${way}, P${i + 1}`,
        kind: i === 0 ? 'rebuilt' : 'inline',
        spans,
      })),
    ),
  };
}
