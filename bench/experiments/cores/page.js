// The texts and the picture of cores in the documentation.
import { clause, clausesBy, factor, sentence, WORK } from '../../conclusions/clauses.js';
import { legendOf, panelByThreads } from '../../report/picture/points.js';
import { atCores, named } from '../../conclusions/finding.js';
import { AS_PUBLISHED, coresOf, METRIC, OURS, stepOf, whatCanBeShown } from './conclude.js';
import { published } from './published.js';
import { curveOf, MOST_CORES } from './scenarios.js';

const [{ rows: matrix }] = published.tables;
const CURVES = [
  ['rebuilt', AS_PUBLISHED, 'the published pool, here'],
  ['ours', OURS, 'threadwise'],
  ['other', 'piscina', 'piscina'],
  ['inline', 'inline', 'no threads'],
];

export const page = {
  claim: 'Two threads on three cores double the work done, more add nothing',
  question: 'How many cores and threads does a server need that computes for each request?',

  why(scenarios, tools) {
    const lacking = coresOf(tools.machine) < 3 ? 'Three cores are lacking; two' : 'Two';
    return `${lacking} threads, all cores to one: ${factor(stepOf(scenarios, ...lossOn(coresOf(tools.machine)), tools))}.`;
  },

  says(scenarios, tools) {
    const cores = coresOf(tools.machine);
    const step = (from, to, ...names) => clause(stepOf(scenarios, from, to, tools), ...names, WORK);
    const [requests, longest] = [METRIC, 'latencyMaxMs'].map((metric) => clausesBy(tools, metric));
    const full = atCores(onCores(scenarios, cores), tools.machine);
    return [
      sentence(
        whatCanBeShown(cores),
        step(...lossOn(cores), 'with two threads, the published program on all cores', 'itself on one'),
      ),
      sentence(
        step([1, 1], [1, 2], 'one thread on two cores', 'one thread on one core'),
        step([1, 2], [2, 2], 'on two cores, a second thread', 'a single one'),
      ),
      sentence(
        requests(
          ...[full, OURS, AS_PUBLISHED],
          ...[`on ${curveOf(cores)} with as many threads, threadwise`, 'the published pool', WORK],
        ),
        longest(full, OURS, 'piscina', 'by the longest that a request waits, it', 'piscina'),
      ),
    ];
  },

  picture(scenarios) {
    const base = { scenario: named(scenarios, 'cores-1-threads-1'), row: AS_PUBLISHED };
    const panel = (cores) => {
      const own = onCores(scenarios, cores);
      const points = matrix.map((cells) => ({ x: cells[0], value: cells[cores] / matrix[0][1] }));
      return panelByThreads({
        title: `${curveOf(cores)}${own.length === 0 ? ': not this machine' : ''}`,
        y: { label: 'requests/s, to 1 thread on 1 core', most: MOST_FACTOR },
        ...{ scenarios: own, metric: METRIC, base, curves: CURVES },
        there: [{ kind: 'published', points }],
      });
    };
    return {
      title:
        'Requests a second by threads, on one to four cores, as many times as with one thread on one core',
      legend: [['published', 'published'], ...legendOf(CURVES)],
      panels: Array.from({ length: MOST_CORES }, (_, i) => panel(i + 1)),
    };
  },
};

/** The end of the scale that all panels share, so that they can be compared. */
const MOST_FACTOR = 2.4;

const onCores = (scenarios, cores) => scenarios.filter(({ curve }) => curve === curveOf(cores));

/** The step of two threads from one core to all, [threads, cores]. */
const lossOn = (cores) => [
  [2, 1],
  [2, Math.max(2, cores)],
];
