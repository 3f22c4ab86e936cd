// The texts and the picture of read-files in the documentation.
import { clausesBy, factor, sentence, shown } from '../../conclusions/clauses.js';
import { estimate } from '../../conclusions/conclusions.js';
import { listOf, overTime } from '../../report/picture/points.js';
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
    const { estimate: estimateOf, words } = tools;
    const compare = clausesBy(tools, METRIC);
    const [many, few, large] = Object.keys(WHAT).map((id) => named(scenarios, id));
    const load = (row) =>
      shown(estimateOf(large, row, 'coresPercent'), (value) => words.perCent(value / 100)) ??
      '(not measured yet)';
    const [blocking, inTurns] = Object.values(SHORT).map((way) => {
      const first = estimateOf(named(scenarios, TWO_REQUESTS), `as published, ${way}`, 'firstUs');
      return first && words.duration(first.value / 1000);
    });
    return [
      sentence(
        compare(
          ...[many, BLOCKING, TOGETHER],
          ...['ten thousand reads of a small file: a loop of readFileSync', 'readFile all at once'],
        ),
        compare(few, BLOCKING, TOGETHER, 'a hundred: it', 'that'),
        compare(large, TOGETHER, BLOCKING, 'of a large one, readFile', 'readFileSync'),
      ),
      sentence(
        `with large files, a loop of readFileSync takes ${load(BLOCKING)} of all cores, readFile ${load(TOGETHER)}`,
        blocking &&
          inTurns &&
          `of two requests at once the first is answered after ${blocking} if reads block, and after ${inTurns} if they do not, for then they take turns`,
      ),
      sentence(
        compare(
          ...[many, OURS, BLOCKING],
          ...['a pool of threadwise whose threads read many small files in one call', 'the published loop'],
        ),
        compare(many, READ_FILES, BLOCKING, '`readFiles`, which gives each content to the caller,', 'it'),
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
      const loadsOfCore = looks.map((look) => look[core]);
      return {
        kind: ['rebuilt', 'inline', 'other', 'ours3'][core],
        points: overTime(loadsOfCore, MOST_POINTS),
      };
    }),
  };
}

/** When each of two requests runs on the main thread. */
function turns(scenario) {
  return {
    title: 'Two requests at once, on main',
    x: { label: 'us' },
    lanes: Object.values(SHORT).flatMap((way) =>
      listOf(scenario, `as published, ${way}`, 'spansUs').map((spans, i) => ({
        label: `${way}, P${i + 1}`,
        kind: i === 0 ? 'rebuilt' : 'inline',
        spans,
      })),
    ),
  };
}
