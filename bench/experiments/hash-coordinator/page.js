// What is said of hash-coordinator: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, sentence, shown } from '../../conclusions/clauses.js';
import {
  claimOf,
  isFewRounds,
  isWithin,
  named,
  reaches,
  sideBySide,
  withThreads,
} from '../../conclusions/finding.js';
import { firstSampleOf } from '../../conclusions/rows.js';
import { formatNumber } from '../../report/format.js';
import { beyondMany, hashPicture, scenarioAtCores } from '../hash-direct/page.js';
import { ONE_GO } from '../hash-direct/one-go.js';
import { published as direct } from '../hash-direct/published.js';
import { published } from './published.js';
import { SIZING } from './scenarios.js';

export const WITH = 'as published, coordinator';
export const WITHOUT = 'as published, no coordinator';
export const OURS = 'threadwise, coordinator, leased';
export const MOVED = 'threadwise, coordinator, moved';
const COPIED = 'threadwise, copied';

/** A coordinator has time to spare if it is busy for at most this many per cent of its time. */
const SPARE = 50;

const [{ rows }, { rows: gains }] = published.tables;
const [{ rows: directRows }] = direct.tables;
/** The published utilisation of the coordinator in per cent, the lowest and the highest. */
const [LEAST, MOST] = [Math.min, Math.max].map((pick) => pick(...rows.map((cells) => cells[5])));

export function conclude(scenarios, tools) {
  const { fasterThan, bestX, curveAgrees } = tools;
  const scenario = scenarioAtCores(scenarios, tools);
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const compared = [
    [WITH, WITHOUT],
    [OURS, WITH],
    [MOVED, WITH],
    [OURS, 'inline'],
  ];
  return [
    curveAgrees(curve, scenarios, WITH, 'cleanMs').sentence,
    ...['cleanMs', 'totalMs'].map((metric) => beyondMany(scenarios, WITH, metric, rows, tools)),
    atMost(scenarios, tools),
    ...[WITH, MOVED, COPIED].map(
      (row) => fasterThan(named(scenarios, ONE_GO), row, WITHOUT, 'leftPercent').sentence,
    ),
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, 'totalMs').sentence),
    ),
    bestX(scenarios, WITH, 'totalMs')?.sentence,
    bestX(scenarios, OURS, 'totalMs')?.sentence,
    ...[WITH, OURS].map((row) => utilization(scenario, row, tools)),
    sizing(named(scenarios, SIZING), tools),
  ];
}

/** Judges each claim of the article. The factor is that of the best of either row, as in the article. */
export function judge(scenarios, tools) {
  const scenario = scenarioAtCores(scenarios, tools);
  const [[, factor]] = gains;
  const gain = tools.fasterThan(scenario, WITH, WITHOUT, 'cleanMs');
  const best = bestOfBoth(scenarios, tools);
  const spare = tools.estimate(scenario, WITH, 'coordinatorPercent');
  return [
    claimOf('a coordinator shortens the clean time', gain, { said: withThreads(scenario, gain.sentence) }),
    claimOf(`almost ${factor} times, best against best`, best, { holds: (found) => reaches(factor, found) }),
    {
      claim: 'the coordinator has time to spare',
      holds:
        spare === undefined || isFewRounds(scenario, WITH) ? undefined : isWithin(spare, -Infinity, SPARE),
      said: utilization(scenario, WITH, tools) ?? 'it was not measured',
    },
  ];
}

export function bestOfBoth(scenarios, { bestX, fasterThan }) {
  const places = [WITH, WITHOUT].map((row) => {
    const x = bestX(scenarios, row, 'cleanMs')?.best;
    return [`${row}, ${x ?? 'any'} threads`, x && scenarios.find((one) => one.x === x), row];
  });
  return fasterThan(sideBySide(places), places[0][0], places[1][0], 'cleanMs');
}

/** Compares the totals for the most workers: there, by the article's figures, its program takes longer with a coordinator than without one. */
function atMost(scenarios, { fasterThan, words }) {
  const most = rows.at(-1)[0];
  const { sentence } = fasterThan(
    scenarios.find(({ x }) => x === most),
    WITH,
    WITHOUT,
    'totalMs',
  );
  const there = directRows.at(-1)[3] / rows.at(-1)[3];
  return `With ${words.counted(most, 'thread')}: ${sentence}; published: ${words.times({ value: there })}`;
}

/** How busy the coordinator and its workers were. */
function utilization(scenario, row, { estimate, words }) {
  const [coordinator, workers] = ['coordinatorPercent', 'workersPercent'].map((metric) =>
    estimate(scenario, row, metric),
  );
  if (coordinator === undefined || workers === undefined) return undefined;
  const [one, many] = [coordinator, workers].map(({ value }) => words.perCent(value / 100));
  return withThreads(
    scenario,
    `the coordinator of ${row} has a utilisation of ${one}, its workers of ${many}; published: ${LEAST} to ${MOST} % for the coordinator`,
  );
}

function sizing(scenario, { estimate, words }) {
  const [workers, changes] = ['workers', 'changes'].map(
    (metric) => estimate(scenario, 'threadwise', metric)?.value,
  );
  if (workers === undefined || changes === undefined) return undefined;
  return `Our coordinator, left to find the number of workers by itself, changed it ${words.counted(changes, 'time')} and ended with ${words.counted(workers, 'worker')}`;
}

/** The utilisation of each worker, as the article prints it, and how our coordinator changed the number of workers. */
export function tables(scenarios) {
  return [
    ...[WITH, MOVED].flatMap((row) => utilizationTable(scenarios, row)),
    ...sizesTable(named(scenarios, SIZING)),
  ];
}

function utilizationTable(scenarios, row) {
  const points = scenarios
    .map((scenario) => ({ x: scenario.x, sample: firstSampleOf(scenario, row) }))
    .filter(({ x, sample }) => x !== undefined && sample?.eachPercent !== undefined)
    .toSorted((a, b) => a.x - b.x);
  if (points.length === 0) return [];
  const most = Math.max(...points.map(({ sample }) => sample.eachPercent.length));
  const show = (percent) => (percent === undefined ? undefined : Math.round(percent));
  return [
    {
      title: `Utilisation in %, ${row}, in the first round`,
      head: ['threads', 'coordinator', ...Array.from({ length: most }, (_, i) => `w${i + 1}`)],
      rows: points.map(({ x, sample }) => [
        ...[x, show(sample.coordinatorPercent)],
        ...Array.from({ length: most }, (_, i) => show(sample.eachPercent[i])),
      ]),
    },
  ];
}

function sizesTable(scenario) {
  const sizes = firstSampleOf(scenario, 'threadwise')?.sizes ?? [];
  if (sizes.length === 0) return [];
  return [
    {
      title: 'How our coordinator changed the number of workers, in the first round',
      head: ['after ms', 'workers', 'why'],
      rows: sizes.map(([at, workers, why]) => [formatNumber(at), workers, why]),
    },
  ];
}

export const page = {
  claim: 'A coordinator thread makes it almost 4 times faster',
  question: 'Does a thread that does nothing but hand out the files keep the others busy?',

  why(scenarios, tools) {
    const busy = busyOf(WITH, 'coordinatorPercent', scenarios, tools) ?? '(not measured)';
    return `Speed, best to best: ${factor(bestOfBoth(scenarios, tools))}; coordinator busy: ${busy}.`;
  },

  says(scenarios, tools) {
    const [clean, total] = ['cleanMs', 'totalMs'].map((metric) => clausesBy(tools, metric));
    const scenario = scenarioAtCores(scenarios, tools);
    const [busy, workers] = ['coordinatorPercent', 'workersPercent'].map((metric) =>
      busyOf(WITH, metric, scenarios, tools),
    );
    const isBusier = tools.estimate(scenario, WITH, 'coordinatorPercent')?.low > MOST;
    return [
      sentence(
        clean(
          ...[scenario, WITH, WITHOUT],
          ...['with as many threads as cores, the clean time with the published coordinator', 'without it'],
          { better: 'is shorter than', worse: 'is longer than', same: 'is as long as' },
        ),
        total(scenario, WITH, WITHOUT, 'all in all, reads included, it', 'no coordinator'),
      ),
      sentence(
        busy === undefined
          ? 'how busy the coordinator is is not measured yet'
          : `its event loop is busy for ${busy} of the time, those of its workers for ${workers}; published were ${LEAST} to ${MOST} % for the coordinator`,
        isBusier
          ? 'here it is busier, for a digest is shorter than there and it hands out more files a second'
          : undefined,
        clean(scenario, OURS, WITH, 'our coordinator with leased memory', 'the published one'),
      ),
      sentence(sizingOf(scenarios, tools)),
    ];
  },

  picture: (scenarios) =>
    hashPicture(scenarios, {
      title: 'How many times as fast as one worker without a coordinator, clean time and total, by threads',
      base: WITHOUT,
      reference: directRows,
      legend: [['inline', 'published, without']],
      there: [
        ['published', rows],
        ['inline', directRows],
      ],
      here: [
        ['rebuilt', WITH, 'with a coordinator, here'],
        ['other', WITHOUT, 'without, here'],
        ['ours', OURS, 'threadwise, coordinator, leased'],
        ['ours2', MOVED, 'threadwise, coordinator, moved'],
      ],
    }),
};

function busyOf(row, metric, scenarios, tools) {
  const { estimate, words } = tools;
  return shown(estimate(scenarioAtCores(scenarios, tools), row, metric), (value) =>
    words.perCent(value / 100),
  );
}

function sizingOf(scenarios, { estimate, words }) {
  const [changes, workers] = ['changes', 'workers'].map(
    (metric) => estimate(named(scenarios, SIZING), 'threadwise', metric)?.value,
  );
  if (workers === undefined)
    return 'how our coordinator changes the number of workers by itself is not measured yet';
  return `the article announces a coordinator that changes the number of workers: ours did so ${words.counted(changes, 'time')}, and ended with ${words.counted(workers, 'worker')}`;
}
