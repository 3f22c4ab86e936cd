// The texts and the picture of snp in the documentation.
import { clause, factor, sentence } from '../../conclusions/clauses.js';
import { relativeCurve, timesAsGood } from '../../report/picture/points.js';
import { atCores } from '../../conclusions/finding.js';
import { AS_PUBLISHED, BY_OFFSET, METRIC, PISCINA, SHARED, stepOf } from './conclude.js';
import { published } from './published.js';
import { HEAVY } from './scenarios.js';

const [{ rows }] = published.tables;
const MOST = Math.max(...rows.map(([threads]) => threads));

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
    const { fasterThan, bestX } = tools;
    const heavy = heavyOf(scenarios);
    const light = scenarios.filter(({ curve }) => curve !== HEAVY);
    const [full, lightFull] = [heavy, light].map((all) => atCores(all, tools.machine));
    return [
      sentence(
        bestX(heavy, AS_PUBLISHED, METRIC)?.sentence ??
          'how the published program grows with its threads is not measured yet',
        clause(
          fasterThan(full, AS_PUBLISHED, 'inline', METRIC),
          'with as many threads as cores it',
          'a search without threads',
        ),
      ),
      sentence(
        clause(
          fasterThan(full, BY_OFFSET, AS_PUBLISHED, METRIC),
          'threadwise, whose workers stay and read their own slice of the file,',
          'starting threads and sending them lines',
        ),
        clause(fasterThan(full, BY_OFFSET, PISCINA, METRIC), 'it', 'piscina with the same slices'),
      ),
      sentence(
        clause(
          fasterThan(lightFull, AS_PUBLISHED, 'inline', METRIC),
          'with ten times the lines and hardly more to do than to read them, the published way',
          'a search without threads',
        ),
        clause(
          fasterThan(lightFull, SHARED, 'inline', METRIC),
          'a file in shared memory, searched by threadwise,',
          'that',
        ),
      ),
    ];
  },

  picture: (scenarios) => ({
    title: 'How many times as fast as the published program with one thread, by threads',
    legend: [
      ['published', 'published'],
      ['rebuilt', 'the published program, here'],
      ['ours', 'threadwise, slices'],
      ['ours2', 'threadwise, shared buffer'],
      ['other', 'piscina, slices'],
      ['inline', 'no threads'],
    ],
    panels: [
      panel('As much work for a line as published', heavyOf(scenarios), timesAsGood(rows, rows[0][1])),
      panel(
        'Little work for a line',
        scenarios.filter(({ curve }) => curve !== HEAVY),
        [],
      ),
    ],
  }),
};

const heavyOf = (scenarios) => scenarios.filter(({ curve }) => curve === HEAVY);

function panel(title, scenarios, there) {
  const base = { scenario: scenarios.find(({ x }) => x === 1), row: AS_PUBLISHED };
  const curve = (kind, row) => ({ kind, points: relativeCurve(scenarios, row, METRIC, base) });
  return {
    title,
    x: { label: 'threads' },
    y: { label: 'times as fast as the published program with one' },
    series: [
      { kind: 'published', points: there },
      ...[
        ['rebuilt', AS_PUBLISHED],
        ['ours', BY_OFFSET],
        ['ours2', SHARED],
        ['other', PISCINA],
        ['inline', 'inline'],
      ].map((pair) => curve(...pair)),
    ],
  };
}
