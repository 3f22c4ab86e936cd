// What is said of read-files: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, sentence, shown } from '../../conclusions/clauses.js';
import { estimate as estimateOf } from '../../conclusions/conclusions.js';
import { claimOf, isFewRounds, isWithin, named, not } from '../../conclusions/finding.js';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { formatNumber } from '../../report/format.js';
import { listOf, overTime } from '../../report/picture/points.js';
import { NAMES, published } from './published.js';
import { TWO_REQUESTS } from './two-requests.js';

export const METRIC = 'readsPerSecond';
export const rowOf = (name) => `${AS_PUBLISHED}, ${name}`;
export const BLOCKING = rowOf('loop of readFileSync');
export const TOGETHER = rowOf('Promise.all of readFile');
export const OURS = 'threadwise, workers read, batched';
export const READ_FILES = 'threadwise, readFiles';
export const WHAT = { 'small-many': '3.3 kB x 10,000', 'small-few': '3.3 kB x 100', large: '6.5 MB x 100' };

export function conclude(scenarios, tools) {
  const { fasterThan, bestRow } = tools;
  const compared = Object.keys(WHAT).flatMap((id) => named(scenarios, id) ?? []);
  const ours = compared.flatMap((scenario) => {
    const best = bestRow(scenario, METRIC, ({ role }) => role === 'as-published');
    return best === undefined ? [] : [OURS, READ_FILES].map((row) => say(scenario, row, best, fasterThan));
  });
  return [
    ...compared.flatMap((scenario) => sharesSaid(scenario, tools)),
    ...ours,
    ...compared.flatMap((scenario) => cores(scenario, tools)),
  ];
}

/** Judges each claim of the article. */
export function judge(scenarios, tools) {
  const [many, few, large] = Object.keys(WHAT).map((id) => named(scenarios, id));
  const part = (claim, ...compared) => claimOf(claim, tools.fasterThan(...compared, METRIC));
  return [
    part(`synchronously, ${WHAT['small-many']}`, many, BLOCKING, TOGETHER),
    part(`synchronously, ${WHAT['small-few']}`, few, BLOCKING, TOGETHER),
    part(`asynchronously, ${WHAT.large}`, large, TOGETHER, BLOCKING),
    coresPart('readFileSync keeps one core busy', large, BLOCKING, tools, (used) =>
      isWithin(used, 1 / ABOUT, ABOUT),
    ),
    coresPart('readFile uses several cores', large, TOGETHER, tools, (used) =>
      not(isWithin(used, -Infinity, ABOUT)),
    ),
  ];
}

/** Judges how many cores a way keeps busy; other programs count as well. @param isTrue judges an estimate in cores */
function coresPart(claim, scenario, row, { estimate, words, machine }, isTrue) {
  const load = estimate(scenario, row, 'coresPercent');
  if (load === undefined)
    return { claim, holds: undefined, said: `the load of the cores with ${row} was not measured` };
  const inCores = Object.fromEntries(
    Object.entries(load).map(([key, percent]) => [key, (percent / 100) * machine.cores]),
  );
  const holds = isFewRounds(scenario, row) ? undefined : isTrue(inCores);
  return {
    claim,
    holds,
    said: `${row}: ${formatNumber(inCores.value)} of ${words.counted(machine.cores, 'core')}`,
  };
}

/** The factor by which a load may be off, because of what else the system does. */
const ABOUT = 1.25;

const say = (scenario, row, best, fasterThan) =>
  `${WHAT[scenario.id]}: ${fasterThan(scenario, row, best, METRIC).sentence}`;

/** Each way as a share of the best of the six, as published. */
function sharesSaid(scenario, { estimate }) {
  const rates = NAMES.flatMap((name) => {
    const rate = estimate(scenario, rowOf(name), METRIC)?.value;
    return rate === undefined ? [] : [[name, rate]];
  });
  if (rates.length === 0) return [];
  const best = Math.max(...rates.map(([, rate]) => rate));
  const said = rates.map(([name, rate]) => `${name} ${formatNumber((100 * rate) / best)} %`);
  return [`${WHAT[scenario.id]}, as shares of the best of the six: ${said.join(', ')}`];
}

/** How much of all cores a way takes. */
function cores(scenario, { estimate, words }) {
  const said = [BLOCKING, TOGETHER, OURS].flatMap((row) => {
    const load = estimate(scenario, row, 'coresPercent');
    return load === undefined ? [] : [`${row} ${words.perCent(load.value / 100)}`];
  });
  return said.length === 0 ? [] : [`${WHAT[scenario.id]}, load of all cores together: ${said.join(', ')}`];
}

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
    const { estimate, words } = tools;
    const compare = clausesBy(tools, METRIC);
    const [many, few, large] = Object.keys(WHAT).map((id) => named(scenarios, id));
    const load = (row) =>
      shown(estimate(large, row, 'coresPercent'), (value) => words.perCent(value / 100)) ??
      '(not measured yet)';
    const [blocking, inTurns] = Object.values(SHORT).map((way) => {
      const first = estimate(named(scenarios, TWO_REQUESTS), `as published, ${way}`, 'firstUs');
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
  const middle = (row) => estimateOf(scenario, row, METRIC);
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
