// The texts and the picture of cores in the documentation.
import { clause, factor, sentence } from '../../conclusions/clauses.js';
import { relativeCurve } from '../../report/picture/points.js';
import { atCores, named } from '../../conclusions/finding.js';
import { AS_PUBLISHED, coresOf, METRIC, OURS, stepOf, whatCanBeShown } from './conclude.js';
import { published } from './published.js';
import { curveOf, MOST_CORES } from './scenarios.js';

const [{ rows: matrix }] = published.tables;
const WORDS = { better: 'gets more done than', worse: 'gets less done than', same: 'gets as much done as' };

export const page = {
  claim: 'Two threads on three cores double the work done, more add nothing',
  question: 'How many cores and threads does a server need that computes for each request?',

  why(scenarios, tools) {
    const lacking = coresOf(tools.machine) < 3 ? 'Three cores are lacking; two' : 'Two';
    return `${lacking} threads, all cores to one: ${factor(lossOf(scenarios, tools))}.`;
  },

  says(scenarios, tools) {
    const { fasterThan, machine } = tools;
    const step = (from, to) => stepOf(scenarios, from, to, tools);
    const most = curveOf(coresOf(machine));
    const full = atCores(
      scenarios.filter(({ curve }) => curve === most),
      machine,
    );
    return [
      sentence(
        whatCanBeShown(coresOf(machine)),
        clause(
          lossOf(scenarios, tools),
          'with two threads, the published program on all cores',
          'itself on one',
          WORDS,
        ),
      ),
      sentence(
        clause(step([1, 1], [1, 2]), 'one thread on two cores', 'one thread on one core', WORDS),
        clause(step([1, 2], [2, 2]), 'on two cores, a second thread', 'a single one', WORDS),
      ),
      sentence(
        clause(
          fasterThan(full, OURS, AS_PUBLISHED, METRIC),
          `on ${most} with as many threads, threadwise`,
          'the published pool',
          WORDS,
        ),
        clause(
          fasterThan(full, OURS, 'piscina', 'latencyMaxMs'),
          'by the longest that a request waits, it',
          'piscina',
        ),
      ),
    ];
  },

  picture(scenarios) {
    const base = { scenario: named(scenarios, 'cores-1-threads-1'), row: AS_PUBLISHED };
    const panel = (cores) => {
      const own = scenarios.filter(({ curve }) => curve === curveOf(cores));
      const curve = (kind, row) => ({ kind, points: relativeCurve(own, row, METRIC, base) });
      return {
        title: `${curveOf(cores)}${own.length === 0 ? ': not this machine' : ''}`,
        x: { label: 'threads' },
        y: { label: 'requests/s, to 1 thread on 1 core', most: MOST_FACTOR },
        series: [
          {
            kind: 'published',
            points: matrix.map((cells) => ({ x: cells[0], value: cells[cores] / matrix[0][1] })),
          },
          curve('rebuilt', AS_PUBLISHED),
          curve('ours', OURS),
          curve('other', 'piscina'),
          curve('inline', 'inline'),
        ],
      };
    };
    return {
      title:
        'Requests a second by threads, on one to four cores, as many times as with one thread on one core',
      legend: [
        ['published', 'published'],
        ['rebuilt', 'the published pool, here'],
        ['ours', 'threadwise'],
        ['other', 'piscina'],
        ['inline', 'no threads'],
      ],
      panels: Array.from({ length: MOST_CORES }, (_, i) => panel(i + 1)),
    };
  },
};

/** The end of the scale that all panels share, so that they can be compared. */
const MOST_FACTOR = 2.4;

const lossOf = (scenarios, tools) =>
  stepOf(scenarios, [2, 1], [2, Math.max(2, coresOf(tools.machine))], tools);
