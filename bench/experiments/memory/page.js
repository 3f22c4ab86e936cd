// What is said of memory: the claims of its document, its conclusions, and the texts and the picture of its section.
import { estimate as estimateOf } from '@threadwise/cli/analysis';
import { sentence, shown as shownWith } from '../../conclusions/clauses.js';
import { FEWEST_ROUNDS } from '../../conclusions/statistics.js';
import { isWithin, not } from '../../conclusions/finding.js';
import { seriesOf } from '../../conclusions/rows.js';
import { legendOf, seriesBy } from '../../report/picture/points.js';
import { published } from './published.js';
import { LOADING } from './scenarios.js';

export const BARE = 'as published';
const ROWS = [
  ['rebuilt', BARE, 'bare threads, here'],
  ['ours', 'threadwise', 'threadwise'],
  ['other', 'piscina', 'piscina'],
];
/** The factor within which a size is still about the published one. */
const ABOUT = 1.25;
/** What the chapter calls a megabyte, in MiB: a thousand kilobytes of ps, each of 1024 bytes. */
const MB = 1000 / 1024;

const [{ rows }, { rows: ofThread }] = published.tables;

export function conclude(scenarios, tools) {
  return [
    ...ROWS.flatMap(([, row]) => sentenceFor(row, perThread(scenarios, row, tools), tools)),
    ...sizes(scenarios, tools),
  ];
}

/** Judges each claim of the chapter. */
export function judge(scenarios, tools) {
  return [
    aboutSixMegabytes(perThread(scenarios, BARE, tools), idlingOf(scenarios), tools),
    moreWithModules(perKibibyte(scenarios, tools), loadingOf(scenarios), tools),
  ];
}

/** How much a thread takes. Starts at one thread, since the first one brings the pool and its package with it. */
export function perThread(scenarios, row, { slope }, metric = 'residentMiB') {
  const idling = idlingOf(scenarios).filter(({ x }) => x > 0);
  return slope(idling, row, metric);
}

export const perKibibyte = (scenarios, { slope }) => slope(loadingOf(scenarios), BARE, 'perThreadMiB');

export const loadingOf = (scenarios) => scenarios.filter(({ curve }) => curve === LOADING);
export const idlingOf = (scenarios) => scenarios.filter(({ curve }) => curve !== LOADING);

function aboutSixMegabytes(slope, scenarios, tools) {
  const [[, megabytes]] = ofThread;
  const claim = `about ${megabytes} MB a thread`;
  if (slope === undefined)
    return { claim, holds: undefined, said: 'it was not measured with several threads' };
  const isAbout = isWithin(slope, (megabytes * MB) / ABOUT, megabytes * MB * ABOUT);
  return { claim, holds: isFew(scenarios) ? undefined : isAbout, said: shown(slope, tools) };
}

function moreWithModules(slope, scenarios, tools) {
  const claim = 'more with what a thread loads';
  if (slope === undefined) return { claim, holds: undefined, said: 'it was not measured with several sizes' };
  const holds = isFew(scenarios) ? undefined : not(isWithin(slope, -Infinity, 0));
  return { claim, holds, said: `${shown(perMebibyte(slope), tools)} for each MiB of source` };
}

export const perMebibyte = (slope) =>
  Object.fromEntries(Object.entries(slope).map(([key, value]) => [key, 1024 * value]));

/** Whether there are too few rounds for a verdict: one round has no interval. */
function isFew(scenarios) {
  const counts = scenarios.flatMap(({ rows }) =>
    rows.filter(({ id }) => id === BARE).map(({ samples }) => samples.length),
  );
  return counts.length === 0 || Math.min(...counts) < FEWEST_ROUNDS;
}

/** A figure within the noise may be below zero. */
export const shown = (slope, { words }) =>
  shownWith(slope, (mebibytes) => `${mebibytes < 0 ? '-' : ''}${words.bytes(Math.abs(mebibytes) * 2 ** 20)}`);

function sentenceFor(row, slope, tools) {
  if (slope === undefined) return [];
  return [`Each further thread of ${row} takes ${shown(slope, tools)} of resident memory`];
}

/** How the other two sizes grow, there and here. */
function sizes(scenarios, tools) {
  const idling = idlingOf(scenarios);
  const growth = (column) => ((rows.at(-1)[column] - rows[0][column]) / rows.at(-1)[0] / 1024) * 2 ** 20;
  return [
    ['virtualMiB', 'virtual memory', 1],
    ['sizeMiB', 'what ps calls SIZE', 3],
  ].flatMap(([metric, what, column]) => {
    const slope = tools.slope(idling, BARE, metric);
    if (slope === undefined) return [];
    const there = tools.words.bytes(growth(column));
    return [`Each further bare thread adds ${shown(slope, tools)} of ${what}; published: ${there}`];
  });
}

export const page = {
  claim: 'A thread takes about 6 MB, and more with its modules',
  question: 'What does one more idle thread cost in memory?',

  why: (scenarios, tools) =>
    sentence(`${sizeOf(scenarios, BARE, tools)} a bare thread`, modules(scenarios, tools)),

  says(scenarios, tools) {
    const [bare, ours, piscina] = ROWS.map(([, row]) => sizeOf(scenarios, row, tools));
    const virtual = sizeOf(scenarios, BARE, tools, 'virtualMiB');
    return [
      sentence(
        `each further thread adds ${bare} of resident memory if it is bare, ${ours} as one of threadwise and ${piscina} as one of piscina`,
        'the published figures come to 5.6 MiB on Node 16',
      ),
      sentence(
        modules(scenarios, tools),
        'a worker that loads a framework weighs what the framework weighs, once for each thread',
      ),
      sentence(
        `virtual memory grows by ${virtual} a thread, and is only reserved`,
        'it matters in a process of 32 bits, which can address 4 GB for all its threads together',
      ),
    ];
  },

  picture: (scenarios) => ({
    title:
      'Memory added by idle threads, by their number; and of a thread by the size of the module that it loads',
    columns: 3,
    legend: [['published', 'published'], ...legendOf(ROWS)],
    panels: [
      growth(scenarios, 'Resident size', 'residentMiB', 2),
      growth(scenarios, 'SIZE of ps', 'sizeMiB', 3),
      {
        title: 'A thread that loads a module',
        x: { label: 'KiB of source' },
        y: { label: 'MiB a thread' },
        series: [{ kind: 'rebuilt', points: pointsOf(loadingOf(scenarios), BARE, 'perThreadMiB') }],
      },
    ],
  }),
};

const sizeOf = (scenarios, row, tools, metric) => {
  const slope = perThread(scenarios, row, tools, metric);
  return slope === undefined ? '(not measured yet)' : shown(slope, tools);
};

function modules(scenarios, tools) {
  const slope = perKibibyte(scenarios, tools);
  return slope === undefined
    ? 'what modules add is not measured yet'
    : `each MiB of source that it loads adds ${shown(perMebibyte(slope), tools)}`;
}

/** How much a size grows beyond that without threads, in each round. */
function growth(all, title, metric, column) {
  const idling = idlingOf(all);
  const none = rows[0][column];
  return {
    title,
    x: { label: 'threads' },
    y: { label: 'MiB more than without threads' },
    series: [
      {
        kind: 'published',
        points: rows.map((cells) => ({ x: cells[0], value: (cells[column] - none) / 1024 })),
      },
      ...seriesBy(ROWS, (row) => pointsOf(idling, row, metric, BARE)),
    ],
  };
}

/** @param base the row whose size without threads is subtracted; default: nothing is */
function pointsOf(scenarios, row, metric, base) {
  const empty = scenarios.find(({ x }) => x === 0);
  const none = base && seriesOf(empty, base, metric);
  return scenarios.flatMap((scenario) => {
    const own = seriesOf(scenario, row, metric).map((value, i) => value - (none?.[i] ?? 0));
    const estimate = estimateOf(own);
    return estimate === undefined || none?.length === 0 ? [] : [{ x: scenario.x, ...estimate }];
  });
}
