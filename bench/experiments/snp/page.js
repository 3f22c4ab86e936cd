// The texts and the picture of snp in the documentation.
import { clausesBy, factor, sentence } from '../../conclusions/clauses.js';
import { legendOf, panelByThreads, timesAsGood } from '../../report/picture/points.js';
import { atCores } from '../../conclusions/finding.js';
import { AS_PUBLISHED, BY_OFFSET, METRIC, PISCINA, SHARED, stepOf } from './conclude.js';
import { published } from './published.js';
import { HEAVY } from './scenarios.js';

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
