// What is said of snp: the claims of its document, its conclusions, and the texts and the picture of its section.
import { clausesBy, factor, sentence } from '../../conclusions/clauses.js';
import { atCores, claimOf, isNotable, sideBySide, withThreads } from '../../conclusions/finding.js';
import { legendOf, panelByThreads, timesAsGood } from '../../report/picture/points.js';
import { published } from './published.js';
import { HEAVY } from './scenarios.js';

export const METRIC = 'totalMs';
export const AS_PUBLISHED = 'as published, a thread for each share';
export const BY_OFFSET = 'threadwise, slices by offset';
export const SHARED = 'threadwise, shared buffer';
export const PISCINA = 'piscina, slices by offset';

export function conclude(scenarios, tools) {
  const { curveAgrees, machine } = tools;
  const heavy = scenarios.filter(({ curve }) => curve === HEAVY);
  const light = scenarios.filter(({ curve }) => curve !== HEAVY);
  const [{ rows }] = published.tables;
  const curve = { points: rows, better: 'lower', cores: published.cores };
  const [shape, lightShape] = [heavy, light].map((all) => curveAgrees(curve, all, AS_PUBLISHED, METRIC));
  const compared = [
    [AS_PUBLISHED, 'inline'],
    [BY_OFFSET, 'inline'],
    [BY_OFFSET, AS_PUBLISHED],
    [BY_OFFSET, PISCINA],
  ];
  return [
    shape.sentence,
    ...saidOf(heavy, atCores(heavy, machine), compared, tools),
    `With little work for a line: ${lightShape.sentence}`,
    ...saidOf(light, atCores(light, machine), [...compared, [SHARED, BY_OFFSET]], tools).map(
      (sentence) => `With little work for a line: ${sentence}`,
    ),
  ];
}

/** Judges each claim of the slides, with as much work for a line as published. */
export function judge(scenarios, tools) {
  const heavy = scenarios.filter(({ curve }) => curve === HEAVY);
  const most = Math.max(...published.tables[0].rows.map(([threads]) => threads));
  const cores = atCores(heavy, tools.machine)?.x;
  const faster = stepOf(heavy, 1, cores, tools);
  const slower = stepOf(heavy, most, cores, tools);
  return [
    claimOf('threads help up to the number of cores', faster, { holds: isNotable }),
    claimOf('more threads than cores make it slower', slower, { holds: isNotable }),
  ];
}

/** Compares the published program with as many threads as cores and with another number of threads. */
export function stepOf(scenarios, other, cores, { fasterThan }) {
  const places = [cores, other].map((x) => [
    `${AS_PUBLISHED}, threads: ${x}`,
    scenarios.find((one) => one.x === x),
    AS_PUBLISHED,
  ]);
  return fasterThan(sideBySide(places), places[0][0], places[1][0], METRIC);
}

function saidOf(scenarios, scenario, compared, { fasterThan, bestX, amdahl }) {
  return [
    ...[AS_PUBLISHED, BY_OFFSET].map((row) => bestX(scenarios, row, METRIC)?.sentence),
    ...compared.map(([row, other]) =>
      withThreads(scenario, fasterThan(scenario, row, other, METRIC).sentence),
    ),
    amdahl(scenarios, BY_OFFSET, METRIC)?.sentence,
  ];
}

const [{ rows }] = published.tables;
const MOST = Math.max(...rows.map(([threads]) => threads));
const CURVES = [
  ['rebuilt', AS_PUBLISHED, 'the published program, here'],
  ['ours', BY_OFFSET, 'threadwise, slices'],
  ['ours2', SHARED, 'threadwise, shared buffer'],
  ['other', PISCINA, 'piscina, slices'],
  ['inline', 'inline', 'no threads'],
];

export const page = {
  claim: 'As many threads as cores are fastest, more are slower',
  question: 'With how many threads is a genotype file searched fastest?',

  why(scenarios, tools) {
    const heavy = heavyOf(scenarios);
    const cores = atCores(heavy, tools.machine)?.x;
    if (cores === undefined) return 'It is not measured yet.';
    const [one, most] = [1, MOST].map((x) => factor(stepOf(heavy, x, cores, tools)));
    return `Speed of ${tools.words.counted(cores, 'thread')}: to one ${one}, to ${MOST} ${most}.`;
  },

  says(scenarios, tools) {
    const compare = clausesBy(tools, METRIC);
    const heavy = heavyOf(scenarios);
    const [full, lightFull] = [heavy, lightOf(scenarios)].map((all) => atCores(all, tools.machine));
    return [
      sentence(
        tools.bestX(heavy, AS_PUBLISHED, METRIC)?.sentence ??
          'how the published program grows with its threads is not measured yet',
        compare(
          ...[full, AS_PUBLISHED, 'inline'],
          ...['with as many threads as cores it', 'a search without threads'],
        ),
      ),
      sentence(
        compare(
          ...[full, BY_OFFSET, AS_PUBLISHED],
          'threadwise, whose workers stay and read their own slice of the file,',
          'starting threads and sending them lines',
        ),
        compare(full, BY_OFFSET, PISCINA, 'it', 'piscina with the same slices'),
      ),
      sentence(
        compare(
          ...[lightFull, AS_PUBLISHED, 'inline'],
          'with ten times the lines and hardly more to do than to read them, the published way',
          'a search without threads',
        ),
        compare(lightFull, SHARED, 'inline', 'a file in shared memory, searched by threadwise,', 'that'),
      ),
    ];
  },

  picture: (scenarios) => ({
    title: 'How many times as fast as the published program with one thread, by threads',
    legend: [['published', 'published'], ...legendOf(CURVES)],
    panels: [
      panel('As much work for a line as published', heavyOf(scenarios), timesAsGood(rows, rows[0][1])),
      panel('Little work for a line', lightOf(scenarios), []),
    ],
  }),
};

const heavyOf = (scenarios) => scenarios.filter(({ curve }) => curve === HEAVY);
const lightOf = (scenarios) => scenarios.filter(({ curve }) => curve !== HEAVY);

const panel = (title, scenarios, points) =>
  panelByThreads({
    title,
    y: { label: 'times as fast as the published program with one' },
    ...{ scenarios, metric: METRIC, curves: CURVES },
    base: { scenario: scenarios.find(({ x }) => x === 1), row: AS_PUBLISHED },
    there: [{ kind: 'published', points }],
  });
